import type { Invocation } from '../core/ports.ts';
import { variables } from './variables.ts';

/** The server of tools of a turn, as the CLIs are told of it: under this name, with all that it needs to know. */
export const toolsName = 'mailroom';

export interface ToolServer {
  readonly command: string;
  readonly args: readonly string[];
  /** CLIs do not hand on their own environment. */
  readonly env: Readonly<Record<string, string>>;
}

/** Null: the turn gets none. */
export function toolsOf(invocation: Invocation): ToolServer | null {
  const [command, ...args] = invocation.tools?.command ?? [];
  return command === undefined ? null : { command, args, env: variables(invocation) };
}
