/** MCP servers for one invocation, by name. Names have letters, digits, `-` and `_`. */
export interface McpAccess {
  /** Servers that the person has set up in their own settings of the CLI; a name that is not there is an error of the turn. */
  readonly own: readonly string[];
  /** Servers that are connected for this invocation alone, whatever the settings say; all of their tools may be used. */
  readonly servers: Readonly<Record<string, McpServer>>;
}

/** How a server is reached: a program that speaks on its standard input and output, or an address. */
export type McpServer =
  | {
      readonly command: string;
      readonly args: readonly string[];
      readonly env: Readonly<Record<string, string>>;
    }
  | { readonly url: string; readonly headers: Readonly<Record<string, string>> };

/** Says that MCP servers are named for the agent of a provider that can be given none. `why`: in words. */
export function withoutServers(names: readonly string[], provider: string, why: string): string {
  const servers = names.map((name) => `\`${name}\``).join(', ');
  return `the MCP ${names.length === 1 ? 'server' : 'servers'} ${servers} cannot be connected to \`${provider}\`: ${why}`;
}
