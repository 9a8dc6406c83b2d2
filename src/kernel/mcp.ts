/** The name of the server of a turn's tools: for a role, and in the CLIs. */
export const toolsName = 'mailroom';

/** MCP servers for one invocation, by name. Names have letters, digits, `-` and `_`. */
export interface McpAccess {
  /** Servers from the person's own settings of the CLI; an unknown name is an error of the turn. */
  readonly own: readonly string[];
  /**
   * Servers that are connected for this invocation alone, whatever the settings say; all of their
   * tools are allowed.
   */
  readonly servers: Readonly<Record<string, McpServer>>;
}

/**
 * How a server is reached: a program that speaks on its standard input and output, or an address.
 */
export type McpServer =
  | {
      readonly command: string;
      readonly args: readonly string[];
      readonly env: Readonly<Record<string, string>>;
    }
  | { readonly url: string; readonly headers: Readonly<Record<string, string>> };

/** The warning that a provider's agent cannot use the named MCP servers. `why`: in words. */
export function withoutServers(names: readonly string[], provider: string, why: string): string {
  const servers = names.map((name) => `\`${name}\``).join(', ');
  return `the MCP ${names.length === 1 ? 'server' : 'servers'} ${servers} cannot be connected to \`${provider}\`: ${why}`;
}
