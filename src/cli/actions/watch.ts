import { dirname } from 'node:path';
import { MailroomError } from '../../core/errors.ts';
import type { Context } from '../context.ts';
import type { Workflow } from '../../core/workflow/model.ts';
import type { FileChange, WorkflowServices } from '../run-services.ts';
import { tellFailure } from '../failures.ts';
import { openWorkflow } from '../workflow-place.ts';
import { expectDefinition, startRun, workspaceOf, type StartOptions } from '../run-start.ts';

/** Milliseconds between two looks at the files. */
const lookEvery = 500;

/** Ends with Ctrl-C, by the exit code of the last run. What a run itself changes starts no other. */
export async function watch(context: Context, reference: string, options: StartOptions): Promise<number> {
  const { terminal } = context;
  const found = await openWorkflow(context, reference, { overrides: options.overrides ?? [] });
  const { workflows } = context.place();
  const definition = expectDefinition(found);
  const workspace = workspaceOf(context, found, definition, options);
  const changes = () => changesIn(workflows, workspace, definition);
  const end = new AbortController();
  const forget = terminal.onSignal(() => end.abort());
  try {
    let code = await startRun(context, reference, options);
    for (;;) {
      const change = await nextChange(terminal, changes, end.signal);
      if (change === null) return code;
      terminal.complain(`${change.path} was ${change.what}\n`);
      code = await startAgain(context, reference, options);
    }
  } finally {
    forget();
  }
}

/** What keeps a later run from starting, as a definition that is being edited, is told: the next change may have mended it. */
async function startAgain(context: Context, reference: string, options: StartOptions): Promise<number> {
  try {
    return await startRun(context, reference, options);
  } catch (error) {
    if (!(error instanceof MailroomError)) throw error;
    const called = { words: [], commands: [] };
    return tellFailure(error, context.terminal, { json: options.json === true, debug: false, called });
  }
}

/** Waits for a change of the files as they are now; null after Ctrl-C, whatever has changed. */
async function nextChange(
  terminal: Context['terminal'],
  changes: () => () => FileChange | null,
  ended: AbortSignal,
): Promise<FileChange | null> {
  if (ended.aborted) return null;
  const look = changes();
  terminal.complain('waiting for a change; Ctrl-C ends\n');
  for (;;) {
    await pause(terminal, lookEvery);
    if (ended.aborted) return null;
    const change = look();
    if (change !== null) return change;
  }
}

/** Looks at the files whose changes start a run: those that steps work on, and the definition. */
function changesIn(
  workflows: WorkflowServices,
  workspace: string,
  { home, contextDir }: Workflow,
): () => FileChange | null {
  if (home === null) return workflows.watchFiles(workspace, contextDir ?? '.mailroom');
  const made = `${home.workspace}/artifacts`;
  return workflows.watchFiles(dirname(workspace), made, ['workflows', home.workspace]);
}

function pause(terminal: Context['terminal'], milliseconds: number): Promise<void> {
  return new Promise((over) => {
    const forget = terminal.every(milliseconds, () => {
      forget();
      over();
    });
  });
}
