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
