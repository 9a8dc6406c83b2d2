import type { JournalReader } from '../../disk/journal-reader.ts';
import { MailroomError } from '../../kernel/errors.ts';
import { readWaiting } from '../../mail/questions/inbox.ts';
import { readOverview } from '../../mail/questions/read-status.ts';
import type { RunEvent } from '../../workflow/machine/event.ts';
import { compile } from '../../workflow/machine/rules.ts';
import { runStateOf, type RunState } from '../../workflow/machine/state.ts';
import type { Project } from '../../project/project.ts';
import type { StoredRun } from '../../project/definition/contracts.ts';
import type { Workflows } from '../../workflow/runs/workflows.ts';
import { metricsOf, type CountedRun } from './metrics.ts';
import { RunFacts } from './run-facts.ts';
import type { MetricsDocument } from './document.ts';

interface Known {
  readonly reader: JournalReader<RunEvent>;
  readonly counted: Omit<CountedRun, 'alive'>;
  /** Null: the run has ended, and only what is counted is kept. */
  readonly state: RunState | null;
}

/** Counts a project by its journals. Reads of a run that it knows only what is new. */
export class Metrics {
  readonly #known = new Map<string, Known>();

  async read(
    project: Project,
    { now, streams }: { readonly now: number; readonly streams: number },
  ): Promise<MetricsDocument> {
    const { workflows } = project;
    const runs: CountedRun[] = [];
    for (const { run } of workflows.runs()) {
      try {
        const { counted } = this.#count(run, workflows);
        const isOver = counted.state.endedAt !== null;
        runs.push({ ...counted, alive: !isOver && (await workflows.alive(run)) });
      } catch (error) {
        // `runs` and `status` name what cannot be read.
        if (!(error instanceof MailroomError) || error.code === 'E_INTERNAL') throw error;
      }
    }
    const parked = [...workflows.parked()].filter(([, until]) => until > now).map(([provider]) => provider);
    const status = await readOverview(project, now);
    const items = await readWaiting(project);
    return metricsOf({ runs, mail: project.journal.state(), status, items, now, parked, streams });
  }

  #count(run: string, workflows: Workflows): Known {
    const known = this.#known.get(run);
    const more = known?.reader.more() ?? null;
    const counted = known !== undefined && more !== null ? grown(known, more) : null;
    const next = counted ?? counting(workflows.run(run), workflows);
    this.#known.set(run, next);
    return next;
  }
}

type Records = readonly { readonly event: RunEvent }[];

/** Null: it must be read again. */
function grown(known: Known, more: Records): Known | null {
  const { counted, state } = known;
  if (more.length === 0) return known;
  // A run that had ended was resumed.
  if (state === null) return null;
  for (const { event } of more) counted.facts.add(state, event);
  return kept({ ...known, state });
}

function counting({ run, definition }: StoredRun, workflows: Workflows): Known {
  const reader = workflows.journal(run);
  const { snapshot, records } = startOf(reader);
  const state = runStateOf(snapshot);
  const facts = new RunFacts(compile(definition));
  for (const { event } of records) facts.add(state, event);
  const { name: workflow, version } = definition;
  return kept({ reader, counted: { workflow, version, facts, state }, state });
}

/** From the first record, or from where the journal begins now. */
function startOf(reader: JournalReader<RunEvent>): ReturnType<JournalReader<RunEvent>['read']> {
  const all = reader.read(0);
  return all.records[0]?.n === 1 ? { ...all, snapshot: null } : reader.read();
}

/** Of an ended run only what is counted stays in memory. */
function kept(known: Known): Known {
  const { state, counted } = known;
  if (state === null || state.endedAt === null) return known;
  const { status, startedAt, endedAt, cost, bills, given } = state;
  const none = new Set<string>();
  const left = { status, startedAt, endedAt, cost, bills, given, active: none, ready: none };
  return { ...known, counted: { ...counted, state: left }, state: null };
}
