import { toolsName, type McpServer } from '../kernel/mcp.ts';
import { variables } from './variables.ts';
import type { Invocation } from './provider.ts';

/**
 * Every MCP server that is connected only for an invocation, by name: the turn's tools, and the
 * servers given to it.
 */
export function serversOf(invocation: Invocation): Record<string, McpServer> {
  const [command, ...args] = invocation.tools?.command ?? [];
  const given = invocation.mcp?.servers ?? {};
  // CLIs do not pass their own environment on.
  return command === undefined
    ? given
    : { ...given, [toolsName]: { command, args, env: variables(invocation) } };
}

/** The names of the user's own servers that it may use, without those that Mailroom connects. */
export function ownOf(invocation: Invocation): string[] {
  const ours = serversOf(invocation);
  return (invocation.mcp?.own ?? []).filter((name) => !Object.hasOwn(ours, name));
}

/** The names of all servers that it may use. */
export function namesOf(invocation: Invocation): string[] {
  return [...Object.keys(serversOf(invocation)), ...ownOf(invocation)];
}
