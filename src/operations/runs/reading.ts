import { MailroomError } from '../../kernel/errors.ts';
import type { Json } from '../../kernel/json.ts';
import { resumptionOf } from '../../workflow/machine/resumption.ts';
import { compile } from '../../workflow/machine/rules.ts';
import { documentOf } from '../../workflow/machine/view.ts';
import type { StoredRun, WorkflowServices } from './services.ts';
import { runSummary, type RunSummary } from './summary.ts';

/** The runs of a project, newest first; an unreadable one hides no other. */
export async function readRuns(
  workflows: WorkflowServices,
): Promise<{ readonly runs: readonly RunSummary[]; readonly unreadable: readonly MailroomError[] }> {
  const runs: RunSummary[] = [];
  const unreadable: MailroomError[] = [];
  for (const card of workflows.runs()) {
    try {
      const stored = workflows.run(card.run);
      runs.push(runSummary(stored.state(), stored.definition, await stored.alive(), card));
    } catch (error) {
      if (!(error instanceof MailroomError) || error.code === 'E_INTERNAL') throw error;
      unreadable.push(error);
    }
  }
  return { runs, unreadable };
}

/** A run with its steps and its parameters. */
export async function readRun(stored: StoredRun): Promise<Record<string, Json>> {
  const state = stored.state();
  const summary = runSummary(state, stored.definition, await stored.alive(), stored.card);
  const steps = documentOf(state, compile(stored.definition));
  return {
    ...(summary as unknown as Record<string, Json>),
    ...steps,
    parameters: state.given?.parameters ?? {},
  };
}

/** What a resume would do, step by step. */
export function readResumption(stored: StoredRun): {
  readonly schema: 1;
  readonly run: string;
  readonly steps: object;
} {
  const rules = compile(stored.definition);
  const state = stored.state();
  return { schema: 1, run: stored.run, steps: resumptionOf(state, rules, null) };
}

/**
 * The output of a run, or of one of its steps: each log under a heading, from byte `after` of the
 * whole.
 */
export function readLogs(stored: StoredRun, step: string | null, attempt: number | null): string {
  const isWanted = (path: string, name: string) =>
    (step === null || `${path}/`.startsWith(`${step}/`) || path.endsWith(`/${step}`)) &&
    (attempt === null || name.split('/').at(-2)?.split('.')[1] === String(attempt));
  return stored
    .logs()
    .filter(({ path, name }) => isWanted(path, name))
    .map((log) => {
      const { name } = log;
      const { text } = log.read(0);
      return text === '' ? '' : `== ${name}\n${text}${text.endsWith('\n') ? '' : '\n'}`;
    })
    .join('');
}
