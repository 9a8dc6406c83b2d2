import { dirname, posix } from 'node:path';
import { MailroomError } from '../../kernel/errors.ts';
import type { Context } from '../context.ts';
import { stepsIn } from '../../workflow/bodies.ts';
import type { Workflow } from '../../workflow/model.ts';
import type { FileChange } from '../../project/definition/contracts.ts';
import type { Workflows } from '../../workflow/runs/workflows.ts';
import { reportFailure } from '../failures.ts';
import { line } from '../format.ts';
import { openWorkflow } from '../workflow-place.ts';
import { expectDefinition, startRun, workspaceOf, type StartOptions } from '../run-start.ts';

/** Milliseconds between two checks of the files. */
const lookEvery = 500;

/**
 * Runs until Ctrl-C, with the exit code of the last run. The files are read before each run, so
 * that an edit during a run starts another one.
 */
export async function watch(context: Context, reference: string, options: StartOptions): Promise<number> {
  const { terminal } = context;
  const found = await openWorkflow(context, reference, { overrides: options.overrides ?? [] });
  const { workflows } = context.place();
  const definition = expectDefinition(found);
  const workspace = workspaceOf(context, found, definition, options);
  const look = (): ChangesSince => changesIn(workflows, workspace, definition);
  const edits = new Edits(terminal, declaredIn(definition));
  const end = new AbortController();
  const forget = terminal.onSignal(() => end.abort());
  try {
    let changes = look();
    let code = await startRun(context, reference, options);
    for (;;) {
      // Read before the run's changes: both then include an edit between the two.
      const since = look();
      const edited = edits.during(changes());
      const change = end.signal.aborted ? null : (edited ?? (await nextChange(terminal, since, end.signal)));
      if (change === null) return code;
      terminal.complain(`${line(`${change.path} was ${change.what}`)}
`);
      changes = look();
      code = await startAgain(context, reference, options);
    }
  } finally {
    forget();
  }
}

/** The files that have changed since this was made. */
type ChangesSince = () => readonly FileChange[];

/**
 * Distinguishes users' edits from a run's own changes: its declared outputs, and files that two
 * consecutive runs changed.
 */
class Edits {
  readonly #terminal: Context['terminal'];
  readonly #declared: readonly string[];
  #last: ReadonlySet<string> = new Set();

  constructor(terminal: Context['terminal'], declared: readonly string[]) {
    this.#terminal = terminal;
    this.#declared = declared;
  }

  /** The first edit among the files that changed during a run; null: none. */
  during(changed: readonly FileChange[]): FileChange | null {
    const own = (path: string): boolean =>
      this.#declared.some((each) => path === each || path.startsWith(`${each}/`));
    const undeclared = changed.filter(({ path }) => !own(path));
    const [edit] = undeclared.filter(({ path }) => !this.#last.has(path));
    const again = undeclared.find(({ path }) => this.#last.has(path));
    if (edit === undefined && again !== undefined)
      this.#terminal.complain(
        `${line(again.path)} changed in two runs, one after the other: it counts as changed by the run; save it again to start another\n`,
      );
    this.#last = new Set(undeclared.map(({ path }) => path));
    return edit ?? null;
  }
}

/** The files of the workspace that steps declare as outputs, where their paths are literal. */
function declaredIn({ body }: Workflow): string[] {
  const paths = stepsIn(body).flatMap(({ outputs, stdout }) => [
    ...outputs.map(({ path }) => path),
    ...(stdout === null ? [] : [stdout.path]),
  ]);
  return paths.flatMap(([only, ...rest]) =>
    only?.kind === 'text' && rest.length === 0 ? [posix.normalize(only.text)] : [],
  );
}

/**
 * Reports an error that prevents a later run, such as a mistake in an edited definition: the next
 * change may fix it.
 */
async function startAgain(context: Context, reference: string, options: StartOptions): Promise<number> {
  try {
    return await startRun(context, reference, options);
  } catch (error) {
    if (!(error instanceof MailroomError)) throw error;
    const called = { name: context.name, words: [], commands: [] };
    return reportFailure(error, context.terminal, { json: options.json === true, debug: false, called });
  }
}

/** Waits for a change; null after Ctrl-C, even if a file has changed. */
async function nextChange(
  terminal: Context['terminal'],
  look: ChangesSince,
  ended: AbortSignal,
): Promise<FileChange | null> {
  terminal.complain('waiting for a change; Ctrl-C ends\n');
  for (;;) {
    await pause(terminal, lookEvery);
    if (ended.aborted) return null;
    const [change] = look();
    if (change !== undefined) return change;
  }
}

/** Watches the files whose changes start a run: those that steps work on, and the definition. */
function changesIn(
  workflows: Workflows,
  workspace: string,
  { ownWorkspace, contextDir }: Workflow,
): ChangesSince {
  if (ownWorkspace === null) return workflows.watchFiles(workspace, contextDir ?? '.mailroom');
  const made = `${ownWorkspace.workspace}/artifacts`;
  return workflows.watchFiles(dirname(workspace), made, ['workflows', ownWorkspace.workspace]);
}

function pause(terminal: Context['terminal'], milliseconds: number): Promise<void> {
  return new Promise((over) => {
    const forget = terminal.every(milliseconds, () => {
      forget();
      over();
    });
  });
}
