import type { Hooks } from '../project/definition/hooks.ts';
import type { AddedRoutes } from '../server/http/route.ts';
import type { AddedTools } from '../server/mcp/project.ts';
import type { Context } from './context.ts';
import type { Commands } from './commands/table.ts';

/**
 * A part of the program that the rest does not know: it lies in a folder of `extensions/` and in
 * the list there. Without both the program builds and works.
 */
export interface Extension extends Hooks {
  readonly name: string;
  /** Its commands, at the end of a group of the help. */
  readonly commands?: {
    readonly project?: Commands;
    readonly mail?: Commands;
    readonly workflows?: Commands;
  };
  /** Loads its operations of the HTTP API. */
  readonly routes?: AddedRoutes;
  /** Its tools for a person's agent; null: the project has no use for them. */
  readonly tools?: (context: Context) => Promise<AddedTools | null>;
}
