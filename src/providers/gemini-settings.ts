import { isJsonObject, type Json, type JsonObject } from '../kernel/json.ts';
import type { McpServer } from '../kernel/mcp.ts';
import type { ProgramHome } from './program-home.ts';
import { jsonSettings, missingServers, serversIn } from './own-settings.ts';
import { ownOf, serversOf } from './tools.ts';
import type { Invocation } from './provider.ts';

/** Below the person's own settings: no update, no statistics, three requests in all where one fails. */
const defaults: JsonObject = {
  general: { enableAutoUpdate: false, enableAutoUpdateNotification: false, maxAttempts: 3 },
  privacy: { usageStatisticsEnabled: false },
};

/**
 * Above them: a folder is not trusted when settings are read, so that those of a repository do not count, whatever the
 * person said of it; nor do variables from its files.
 */
const shutOut: JsonObject = {
  security: { folderTrust: { enabled: true } },
  advanced: { ignoreLocalEnv: true },
};

/** The file with the rules of a turn, in its folder. */
export const policyName = 'gemini-policy.toml';

/**
 * Gemini takes settings from its home folder and from the workspace, which is not ours to write. (It knows system-wide
 * ones, too, but only in folders that root alone can write.) Its conversations lie in `tmp` and are found by marks there
 * and in `history`.
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

/** The defaults, over them the person's own, over them what only this turn has. */
function merged(own: JsonObject, invocation: Invocation, path: string): JsonObject {
  const { maxSteps, paths } = invocation;
  const limit: JsonObject = maxSteps === null ? {} : { model: { maxSessionTurns: maxSteps } };
  const context = isJsonObject(own['context']) ? own['context']['includeDirectories'] : undefined;
  const included = Array.isArray(context) ? context : [];
  const turn: JsonObject = {
    // As flags they would be taken for two where a path has a comma.
    adminPolicyPaths: [`${paths.folder}/${policyName}`],
    context: { includeDirectories: [...included, paths.outbox] },
  };
  const settings = [own, limit, shutOut, turn].reduce(over, defaults);
  return { ...settings, mcpServers: servers(own, invocation, path) };
}

/** None of the person's own but those that the role names. Without trust it would ask, and there is nobody to answer. */
function servers(own: JsonObject, invocation: Invocation, path: string): JsonObject {
  const theirs = serversIn(own, 'mcpServers');
  const used = ownOf(invocation);
  const missing = used.filter((name) => !isJsonObject(theirs[name]));
  if (missing.length > 0) throw missingServers('gemini', missing, path);
  const all: [string, JsonObject][] = [
    ...used.map((name): [string, JsonObject] => [name, theirs[name] as JsonObject]),
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
    const under = result[key];
    result[key] = isJsonObject(under) && isJsonObject(value) ? over(under, value) : value;
  }
  return result;
}
