import process from 'node:process';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { program, type TestProject } from './project.ts';

/** What a tool answers, as far as tests look at it. */
export interface ToolAnswer {
  readonly isError: boolean;
  /** All its texts, a line each. */
  readonly text: string;
  /** Undefined: there is none. */
  readonly document: unknown;
}

/** The tools of the real `mailroom mcp` in a project, by the official client. It checks answers by the schemas that tools list. */
export class McpTools {
  readonly client: Client;

  private constructor(client: Client) {
    this.client = client;
  }

  /** `more`: variables of the server besides PATH and HOME. */
  static async open(
    place: TestProject,
    more: Readonly<Record<string, string>> = {},
    options: readonly string[] = [],
  ): Promise<McpTools> {
    const env = { PATH: process.env['PATH'] ?? '', HOME: place.root, ...more };
    const client = new Client({ name: 'agent of a person', version: '1' });
    const args = [program, 'mcp', ...options];
    await client.connect(new StdioClientTransport({ command: process.execPath, args, cwd: place.root, env }));
    // Only then does the client know the schemas.
    await client.listTools();
    return new McpTools(client);
  }

  async call(
    name: string,
    given: object,
    options: Parameters<Client['callTool']>[1] = {},
  ): Promise<ToolAnswer> {
    const asked = { name, arguments: given as Record<string, unknown> };
    const { content, structuredContent, isError } = await this.client.callTool(asked, options);
    const texts = content.flatMap((each) => (each.type === 'text' ? each.text : []));
    return { isError: isError === true, text: texts.join('\n'), document: structuredContent };
  }

  async close(): Promise<void> {
    await this.client.close();
  }
}
