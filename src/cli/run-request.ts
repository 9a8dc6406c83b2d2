import type { Context } from './context.ts';
import { caller } from './control.ts';
import { follow } from './run-follow.ts';
import type { AskedWorkflow } from '../operations/runs/documents.ts';
import { workspaceOf, type StartOptions } from './run-start.ts';

/**
 * Starts a run that an event requests, with the event's parameters, and follows it until it ends.
 */
export function startAsked(context: Context, asked: AskedWorkflow, options: StartOptions): Promise<number> {
  context.outsideTurn('run');
  const { workflows } = context.place();
  const workspace = workspaceOf(context, asked.workflow, asked.definition, options);
  const rest = { context: {}, workspace, only: null, record: null, replay: null };
  context.announce();
  return follow(context, options, (watch) =>
    workflows.begin({ ...asked, ...rest, person: caller(context), watch }),
  );
}
