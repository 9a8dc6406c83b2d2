import { isJsonObject, type Json, type JsonObject } from '../kernel/json.ts';
import type { McpServer } from '../kernel/mcp.ts';
import { ownValue, setOwn } from '../kernel/own.ts';
import type { ProgramHome } from './program-home.ts';
import { jsonSettings, missingServers, serversIn } from './own-settings.ts';
import { ownOf, serversOf } from './tools.ts';
import type { Invocation } from './provider.ts';

/**
 * Overridden by the user's own settings: no update, no statistics, at most three requests if one
 * fails.
 */
const defaults: JsonObject = {
  general: { enableAutoUpdate: false, enableAutoUpdateNotification: false, maxAttempts: 3 },
  privacy: { usageStatisticsEnabled: false },
};

/**
 * Override all others. No folder is trusted while settings are read, so that a repository's
 * settings and variable files do not count, even if the user has trusted it. No start removes
 * conversations: gemini 0.61.0 writes a second file of one that is resumed in a later minute than
 * it began in, and its next start removes both.
 */
const forced: JsonObject = {
  general: { sessionRetention: { enabled: false } },
  security: { folderTrust: { enabled: true } },
  advanced: { ignoreLocalEnv: true },
};

/** The name of the file with the rules of a turn, in the turn's folder. */
export const policyName = 'gemini-policy.toml';

/**
 * Gemini reads settings from its home folder and from the workspace, where Mailroom must not write.
 * (It also knows system-wide ones, in folders that only root can write.) Its conversations lie in
 * `tmp` and are found by markers there and in `history`.
 */
export function geminiHome(invocation: Invocation): ProgramHome {
  return {
    variable: 'GEMINI_CLI_HOME',
    folder: '.gemini',
    beside: ['.agents'],
    lasting: ['tmp', 'history'],
    settings: {
      name: 'settings.json',
      text: (own, path) => {
        const theirs = jsonSettings('gemini', path, own);
        return `${JSON.stringify(merged(theirs, invocation, path), null, 2)}\n`;
      },
    },
  };
}

/** The defaults, overridden by the user's own settings, overridden by those of this turn. */
function merged(own: JsonObject, invocation: Invocation, path: string): JsonObject {
  const { maxSteps, paths } = invocation;
  const limit: JsonObject = maxSteps === null ? {} : { model: { maxSessionTurns: maxSteps } };
  const context = isJsonObject(own['context']) ? own['context']['includeDirectories'] : undefined;
  const included = Array.isArray(context) ? context : [];
  const turn: JsonObject = {
    // As flags, a path with a comma would be read as two.
    adminPolicyPaths: [`${paths.folder}/${policyName}`],
    context: { includeDirectories: [...included, paths.outbox] },
  };
  const settings = [own, limit, forced, turn].reduce(over, defaults);
  return { ...settings, mcpServers: servers(own, invocation, path) };
}

/**
 * Only the user's servers that the role names. Without trust gemini would ask for approval, and a
 * turn has no one to answer.
 */
function servers(own: JsonObject, invocation: Invocation, path: string): JsonObject {
  const theirs = serversIn(own, 'mcpServers');
  const used = ownOf(invocation);
  const missing = used.filter((name) => !isJsonObject(ownValue(theirs, name)));
  if (missing.length > 0) throw missingServers('gemini', missing, path);
  const all: [string, JsonObject][] = [
    ...used.map((name): [string, JsonObject] => [name, ownValue(theirs, name) as JsonObject]),
    ...Object.entries(serversOf(invocation)).map(([name, server]): [string, JsonObject] => [
      name,
      definition(server),
    ]),
  ];
  return Object.fromEntries(all.map(([name, server]) => [name, { ...server, trust: true }]));
}

function definition(server: McpServer): JsonObject {
  if ('url' in server) return { httpUrl: server.url, headers: { ...server.headers } };
  return { command: server.command, args: [...server.args], env: { ...server.env } };
}

function over(below: JsonObject, above: JsonObject): JsonObject {
  const result: Record<string, Json> = { ...below };
  for (const [key, value] of Object.entries(above)) {
    const under = ownValue(result, key);
    setOwn(result, key, isJsonObject(under) && isJsonObject(value) ? over(under, value) : value);
  }
  return result;
}
