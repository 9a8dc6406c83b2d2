import { MailroomError } from '../../kernel/errors.ts';
import type { JsonObject } from '../../kernel/json.ts';
import type { Moment } from '../../kernel/times.ts';
import type { RunState } from '../machine/state.ts';
import { resumptionOf } from '../machine/resumption.ts';
import { compile } from '../machine/rules.ts';
import { documentOf } from '../machine/view.ts';
import type { StepLog, StoredRun } from '../../project/definition/contracts.ts';
import type { Workflows } from './workflows.ts';
import { runSummary, type RunHosting } from './summary.ts';
import { standingOfStep } from '../../documents/standing.ts';
import type {
  ResumptionDocument,
  RunDocument,
  RunSummary,
  StepDocument,
  StepDocuments,
} from '../../documents/runs.ts';
import type { WaitingGate } from '../../documents/status.ts';

/** A run as its journal shows it, now or at a moment; then it had a host until it ended. */
async function runAt(
  stored: StoredRun,
  moment: Moment | null,
): Promise<{ readonly state: RunState } & RunHosting> {
  const state = stored.state(moment);
  if (moment !== null) return { state, alive: state.endedAt === null, pending: [] };
  return { state, alive: await stored.alive(), pending: state.endedAt === null ? stored.pending() : [] };
}

/**
 * The runs of a project, newest first, now or at a time (milliseconds since 1970); an unreadable
 * one hides no other.
 */
export async function readRuns(
  workflows: Pick<Workflows, 'runs' | 'run'>,
  time: number | null = null,
): Promise<{ readonly runs: readonly RunSummary[]; readonly unreadable: readonly MailroomError[] }> {
  const runs: RunSummary[] = [];
  const unreadable: MailroomError[] = [];
  const begun = workflows.runs().filter(({ startedAt }) => time === null || startedAt <= time);
  for (const card of begun) {
    try {
      const stored = workflows.run(card.run);
      const { state, ...hosting } = await runAt(stored, time === null ? null : { time });
      runs.push(runSummary(state, stored.definition, hosting, card));
    } catch (error) {
      if (!(error instanceof MailroomError) || error.code === 'E_INTERNAL') throw error;
      unreadable.push(error);
    }
  }
  return { runs, unreadable };
}

/** A run with its steps and its parameters, now or at a moment. */
export async function readRun(stored: StoredRun, moment: Moment | null = null): Promise<RunDocument> {
  const { state, ...hosting } = await runAt(stored, moment);
  const summary = runSummary(state, stored.definition, hosting, stored.card);
  const document = documentOf(state, compile(stored.definition)) as JsonObject &
    Pick<RunDocument, 'warnings' | 'steps'>;
  const gates = new Map(summary.gates.map((each) => [each.gate, each]));
  const steps = completed(document.steps, '', { run: stored.run, gates });
  return { ...summary, ...document, steps, parameters: state.given?.parameters ?? {} };
}

interface OfRun {
  readonly run: string;
  /** By their paths. */
  readonly gates: ReadonlyMap<string, WaitingGate>;
}

/**
 * Steps with how they stand, and with the addresses of their artifacts. `within`: the path of the
 * body, with its `/`.
 */
function completed(steps: StepDocuments, within: string, of: OfRun): StepDocuments {
  const all = Object.entries(steps).map(([id, step]): [string, StepDocument] => {
    const path = `${within}${id}`;
    const { steps: inner, items } = step;
    const document = {
      ...step,
      standing: standingOfStep(step.status, of.gates.get(path) ?? null),
      artifacts: step.artifacts.map((each) => ({
        ...each,
        address: artifactAddress(of.run, path, each.name),
      })),
      ...(inner && { steps: completed(inner, `${path}/`, of) }),
      ...(items && {
        items: items.map((item) => ({
          ...item,
          steps: completed(item.steps, `${path}/${String(item.index)}/`, of),
        })),
      }),
    };
    return [id, document];
  });
  return Object.fromEntries(all);
}

/** Where the API lists the files of an artifact. */
export function artifactAddress(run: string, step: string, name: string): string {
  return `/api/v1/workflow-runs/${[run, 'artifacts', step, name].map(encodeURIComponent).join('/')}`;
}

/** What a resume would do, step by step. */
export function readResumption(stored: StoredRun): ResumptionDocument {
  const rules = compile(stored.definition);
  const state = stored.state();
  return { schema: 1, run: stored.run, steps: resumptionOf(state, rules, null) };
}

/** The logs of a run, or of one of its steps with all below it, in the order of their attempts. */
export function logsOf(stored: StoredRun, step: string | null, attempt: number | null): StepLog[] {
  const isWanted = (path: string, name: string) =>
    (step === null || `${path}/`.startsWith(`${step}/`) || path.endsWith(`/${step}`)) &&
    (attempt === null || name.split('/').at(-2)?.split('.')[1] === String(attempt));
  return stored.logs().filter(({ path, name }) => isWanted(path, name));
}
