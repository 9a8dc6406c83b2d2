import { MailroomError } from '../../kernel/errors.ts';
import { iso } from '../../kernel/times.ts';
import type { Moment } from '../../kernel/times.ts';
import { JournalReader } from '../../disk/journal-reader.ts';
import { emptyState } from '../machine/state.ts';
import type { MailEvent } from '../machine/event.ts';
import { compile } from '../../workflow/machine/rules.ts';
import type { RunState } from '../../workflow/machine/state.ts';
import { summaryOf } from '../controller/mail-summary.ts';
import type { Project } from '../../project/project.ts';
import type { Past } from '../../project/following.ts';
import { hostingOf } from '../../workflow/runs/reading.ts';
import { slotsOfRun } from '../../workflow/runs/slots.ts';
import { runStatus } from '../../workflow/runs/run-status.ts';
import type { StoredRun } from '../../project/definition/contracts.ts';
import type { Workflows } from '../../workflow/runs/workflows.ts';
import { happened } from './moments.ts';
import { listedThreads } from './listed-threads.ts';
import { statusOf } from './status.ts';
import type { RunStatusDocument, StatusDocument } from '../../documents/status.ts';

/**
 * The status of a project at a moment of the past, by its journals: what lay in folders without
 * being recorded, and who hosted what, is not known any more. Throws `E_TARGET` where they do not
 * hold the moment.
 */
export async function pastStatus(project: Project, moment: Moment): Promise<StatusDocument> {
  const { record, state, what } = pastOf(project, moment);
  const time = 'time' in moment ? moment.time : state.now;
  const definition = await project.definition();
  const status = statusOf(summaryOf(state), {
    protocol: definition.ok ? definition.value.protocol : null,
    now: time,
  });
  return {
    ...status,
    at: { record, time: iso(time), what },
    threads: listedThreads(status).map((thread) => ({ ...thread, why: null })),
    runs: await runsAt(project.workflows, time),
    triggers: [],
    workers: null,
  };
}

/** Before the first mail a run may have begun, also in a project that has only runs. */
function pastOf(project: Project, moment: Moment): Past {
  try {
    return project.journal.past(moment, happened);
  } catch (error) {
    const isKnown =
      error instanceof MailroomError &&
      error.code === 'E_TARGET' &&
      'time' in moment &&
      new JournalReader<MailEvent>(project.disk).oldest() === 0 &&
      project.workflows.runs().some(({ startedAt }) => startedAt <= moment.time);
    if (isKnown) return { record: 0, state: emptyState(), what: null };
    throw error;
  }
}

/** The runs that had begun and had not ended; those that the journals do not hold are left out. */
async function runsAt(workflows: Workflows, time: number): Promise<RunStatusDocument[]> {
  const found: RunStatusDocument[] = [];
  for (const card of workflows.runs().filter(({ startedAt }) => startedAt <= time)) {
    const stored = workflows.run(card.run);
    const state = stateAt(stored, time);
    if (state === null || state.endedAt !== null) continue;
    const hosting = await hostingOf(stored, state, true);
    const slots = slotsOfRun(card.run, null, null);
    found.push(runStatus(state, compile(stored.definition), card, { ...hosting, held: new Map(), slots }));
  }
  return found;
}

function stateAt(run: StoredRun, time: number): RunState | null {
  try {
    return run.state({ time });
  } catch (error) {
    if (error instanceof MailroomError && ['E_TARGET', 'E_JOURNAL'].includes(error.code)) return null;
    throw error;
  }
}
