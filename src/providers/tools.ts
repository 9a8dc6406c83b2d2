import type { McpServer } from '../kernel/mcp.ts';
import { variables } from './variables.ts';
import type { Invocation } from './provider.ts';

/** The name under which CLIs know the server of the tools of a turn. */
export const toolsName = 'mailroom';

/** Every MCP server that is connected for an invocation alone, by name: its tools, and those that it was given. */
export function serversOf(invocation: Invocation): Record<string, McpServer> {
  const [command, ...args] = invocation.tools?.command ?? [];
  const given = invocation.mcp?.servers ?? {};
  // CLIs do not hand on their own environment.
  return command === undefined
    ? given
    : { ...given, [toolsName]: { command, args, env: variables(invocation) } };
}

/** The names of the person's own servers that it may use; one that we connect ourselves is not theirs. */
export function ownOf(invocation: Invocation): string[] {
  const ours = serversOf(invocation);
  return (invocation.mcp?.own ?? []).filter((name) => !Object.hasOwn(ours, name));
}

/** The names of all servers that it may use. */
export function namesOf(invocation: Invocation): string[] {
  return [...Object.keys(serversOf(invocation)), ...ownOf(invocation)];
}
