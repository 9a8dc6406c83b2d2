import { MailroomError } from '../../kernel/errors.ts';
import type { JsonObject } from '../../kernel/json.ts';
import type { Moment } from '../../kernel/times.ts';
import type { RunState } from '../machine/state.ts';
import { resumptionOf } from '../machine/resumption.ts';
import { compile } from '../machine/rules.ts';
import { documentOf } from '../machine/view.ts';
import type { StepLog, StoredRun } from '../../project/definition/contracts.ts';
import type { Workflows } from './workflows.ts';
import { runRow, runSummary, type RunHosting, type RunRow } from './summary.ts';
import { standingOfStep } from '../../documents/standing.ts';
import type {
  ResumptionDocument,
  RunDocument,
  RunSummary,
  StepDocument,
  StepDocuments,
} from '../../documents/runs.ts';
import type { RunCard } from '../../letters/letters.ts';
import type { WaitingGate } from '../../documents/status.ts';

/** Who hosts a run. In the past it had a host if it did something later, or has one still. */
export async function hostingOf(
  { alive, pending, state: stateAt }: Pick<StoredRun, 'alive' | 'pending' | 'state'>,
  { endedAt, events }: RunState,
  isPast: boolean,
): Promise<RunHosting> {
  if (!isPast) return { alive: await alive(), pending: endedAt === null ? pending() : [] };
  return { alive: endedAt === null && (stateAt(null).events > events || (await alive())), pending: [] };
}

type ListedRuns = Pick<Workflows, 'runs' | 'run' | 'row' | 'alive' | 'pending'>;

/** The summary of a run, now or at a time. */
async function listedRun(workflows: ListedRuns, card: RunCard, time: number | null): Promise<RunSummary> {
  const { run } = card;
  const now = workflows.row(run);
  const isEnded = now.endedAt !== null && (time === null || now.endedAt <= time);
  if (time !== null && !isEnded) {
    const stored = workflows.run(run);
    const state = stored.state({ time });
    return runSummary(rowOf(state, stored), await hostingOf(stored, state, true), card);
  }
  const pending = isEnded ? [] : workflows.pending(run);
  return runSummary(now, { alive: await workflows.alive(run), pending }, card);
}

function rowOf(state: RunState, stored: StoredRun): RunRow {
  return runRow(state, compile(stored.definition));
}

interface RunsAsked {
  /** In milliseconds since 1970; null: now. */
  readonly time?: number | null;
  /** Absent: all. */
  readonly cards?: readonly RunCard[];
}

/** Runs of a project, newest first, now or at a time; an unreadable one hides no other. */
export async function readRuns(
  workflows: ListedRuns,
  { time = null, cards = workflows.runs() }: RunsAsked = {},
): Promise<{ readonly runs: readonly RunSummary[]; readonly unreadable: readonly MailroomError[] }> {
  const runs: RunSummary[] = [];
  const unreadable: MailroomError[] = [];
  const begun = cards.filter(({ startedAt }) => time === null || startedAt <= time);
  for (const card of begun) {
    try {
      runs.push(await listedRun(workflows, card, time));
    } catch (error) {
      if (!(error instanceof MailroomError) || error.code === 'E_INTERNAL') throw error;
      unreadable.push(error);
    }
  }
  return { runs, unreadable };
}

/** A run with its steps and its parameters, now or at a moment. */
export async function readRun(stored: StoredRun, moment: Moment | null = null): Promise<RunDocument> {
  const state = stored.state(moment);
  const hosting = await hostingOf(stored, state, moment !== null);
  const rules = compile(stored.definition);
  const summary = runSummary(runRow(state, rules), hosting, stored.card);
  const document = documentOf(state, rules) as JsonObject & Pick<RunDocument, 'warnings' | 'steps'>;
  const gates = new Map(summary.gates.map((each) => [each.gate, each]));
  const steps = completed(document.steps, '', { run: stored.run, alive: hosting.alive, gates });
  return { ...summary, ...document, steps, parameters: state.given?.parameters ?? {} };
}

interface OfRun {
  readonly run: string;
  readonly alive: boolean;
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
      standing: standingOfStep(step.status, of.gates.get(path) ?? null, of.alive),
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
  const isWanted = (path: string) =>
    step === null || `${path}/`.startsWith(`${step}/`) || path.endsWith(`/${step}`);
  return stored
    .logs()
    .filter((log) => isWanted(log.path) && (attempt === null || processOf(log).attempt === attempt));
}

/** What the name of a step's log says. `check`: of the attempt, from 1; null: the step's own. */
export function processOf({ name }: Pick<StepLog, 'name'>) {
  const [process = '', stream] = name.split('/').slice(-2);
  const [iteration = 1, attempt = 1, check = null] = process.split('.').map(Number);
  return {
    iteration,
    attempt,
    check,
    stream: stream === 'stderr' ? ('stderr' as const) : ('stdout' as const),
  };
}
