import { MailroomError, messageOf } from '../core/errors.ts';
import { isJsonObject, type JsonObject } from '../core/json.ts';
import type { Invocation, ProgramHome } from '../core/ports.ts';
import { toolsName, toolsOf } from './tools.ts';

/** Below the person's own settings: no update, no statistics, three requests in all where one fails. */
const defaults: JsonObject = {
  general: { enableAutoUpdate: false, enableAutoUpdateNotification: false, maxAttempts: 3 },
  privacy: { usageStatisticsEnabled: false },
};

/**
 * Gemini takes settings from its home folder and from the workspace, which is not ours to write. (It knows system-wide
 * ones, too, but only in folders that root alone can write.) Its conversations lie in `tmp` and are found by marks there
 * and in `history`.
 */
export function geminiHome(invocation: Invocation): ProgramHome {
  return {
    variable: 'GEMINI_CLI_HOME',
    folder: '.gemini',
    beside: ['.agents', '.env'],
    lasting: ['tmp', 'history'],
    settings: {
      name: 'settings.json',
      text: (own, path) => `${JSON.stringify(merged(readOwn(own, path), invocation), null, 2)}\n`,
    },
  };
}

/** The defaults, over them the person's own, over them what only this turn has. */
function merged(own: JsonObject, invocation: Invocation): JsonObject {
  const { maxSteps } = invocation;
  const limit: JsonObject = maxSteps === null ? {} : { model: { maxSessionTurns: maxSteps } };
  return over(over(over(defaults, own), limit), served(own, invocation));
}

function served(own: JsonObject, invocation: Invocation): JsonObject {
  const tools = toolsOf(invocation);
  if (tools === null) return {};
  const { command, args, env } = tools;
  // Without trust it would ask, and there is nobody to answer.
  const server = { command, args: [...args], env: { ...env }, trust: true };
  const allowed = isJsonObject(own['mcp']) ? own['mcp']['allowed'] : undefined;
  const named = Array.isArray(allowed) ? { mcp: { allowed: [...allowed, toolsName] } } : {};
  return { mcpServers: { [toolsName]: server }, ...named };
}

function over(below: JsonObject, above: JsonObject): JsonObject {
  const result: JsonObject = { ...below };
  for (const [key, value] of Object.entries(above)) {
    const under = result[key];
    result[key] = isJsonObject(under) && isJsonObject(value) ? over(under, value) : value;
  }
  return result;
}

/** A text, which stays, or a comment, as gemini allows them in its settings. */
const textOrComment = /("(?:\\.|[^"\\])*")|\/\/[^\n]*|\/\*[\s\S]*?\*\//g;

function readOwn(text: string | null, path: string): JsonObject {
  if (text === null) return {};
  let own: unknown;
  try {
    own = JSON.parse(text.replaceAll(textOrComment, (_, kept: string | undefined) => kept ?? ' '));
  } catch (error) {
    throw unusable(path, messageOf(error));
  }
  if (!isJsonObject(own)) throw unusable(path, 'it holds no JSON object');
  return own;
}

function unusable(path: string, why: string): MailroomError {
  return new MailroomError('E_PROVIDER', `gemini cannot use ${path}: ${why}; mend that file, or remove it`);
}
