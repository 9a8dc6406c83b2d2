import { parse } from 'smol-toml';
import { MailroomError, messageOf } from '../kernel/errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../kernel/json.ts';
import { ownValue } from '../kernel/own.ts';

/** The content of a user's JSON settings file of a CLI; an empty object if it does not exist. */
export function jsonSettings(cli: string, path: string, text: string | null): JsonObject {
  return settings(cli, path, text, (own) => JSON.parse(withoutComments(own)) as unknown);
}

/** The same for a TOML file. */
export function tomlSettings(cli: string, path: string, text: string | null): JsonObject {
  return settings(cli, path, text, parse);
}

/** The MCP servers in settings, under the given key. */
export function serversIn(own: JsonObject, key: string): Record<string, Json> {
  const servers = ownValue(own, key);
  return isJsonObject(servers) ? servers : {};
}

/** The error of a turn whose role names servers that the user has not configured. */
export function missingServers(cli: string, names: readonly string[], path: string): MailroomError {
  const servers = names.map((name) => `\`${name}\``).join(', ');
  return new MailroomError(
    'E_PROVIDER',
    `${cli} knows no MCP server ${servers}: ${path} does not define it; add it there, or do not ask for it`,
  );
}

function settings(
  cli: string,
  path: string,
  text: string | null,
  read: (text: string) => unknown,
): JsonObject {
  if (text === null || text.trim() === '') return {};
  let own: unknown;
  try {
    own = read(text);
  } catch (error) {
    throw unusable(cli, path, messageOf(error));
  }
  if (!isJsonObject(own)) throw unusable(cli, path, 'it holds no JSON object');
  return own;
}

/** A string, which stays, or a comment or trailing comma, which CLIs allow in their settings. */
const stringOrExtra =
  /("(?:\\.|[^"\\])*")|\/\/[^\n]*|\/\*[\s\S]*?\*\/|,(?=(?:\s|\/\/[^\n]*|\/\*[\s\S]*?\*\/)*[}\]])/g;

function withoutComments(text: string): string {
  return text.replaceAll(stringOrExtra, (_, kept: string | undefined) => kept ?? ' ');
}

function unusable(cli: string, path: string, why: string): MailroomError {
  return new MailroomError(
    'E_PROVIDER',
    `${cli} cannot use ${path}: ${why}; correct that file, or remove it`,
  );
}
