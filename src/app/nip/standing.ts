import type { ToldStatus } from '../../cli/nip-services.ts';
import type { StoredRun, WorkflowServices } from '../../cli/run-services.ts';
import type { NipSettings } from '../../core/config.ts';
import { MailroomError } from '../../core/errors.ts';
import { kinds } from '../../core/nip/events.ts';
import { reportOf, type ExecutionReport } from '../../core/nip/report.ts';
import { toldOf } from '../../core/nip/told.ts';
import { compile } from '../../core/workflow/rules.ts';
import { EventLog } from '../../store/nip/event-log.ts';
import type { RealDisk } from '../../store/real-disk.ts';
import { listRuns } from '../../store/runs/run-folders.ts';
import { askRelays } from './asking.ts';
import { definedBy } from './executions.ts';
import { unsentCount } from './relays.ts';

/** How a run of this project stands. Throws `E_TARGET` for one of another language. */
export async function reportRun(
  disk: RealDisk,
  nip: Pick<NipSettings, 'relays'>,
  stored: StoredRun,
): Promise<ExecutionReport> {
  const { run, definition } = stored;
  if (definition.language !== 'nip')
    throw new MailroomError(
      'E_TARGET',
      `${run} is no run of the language nip`,
      '`mailroom show` tells of it',
    );
  const request = new EventLog(disk, run).read().find(({ kind }) => kind === kinds.request);
  const [event = null] = request === undefined ? [] : definedBy(disk, request);
  // Not the other way round: a run that ends in between must not seem to be stopped.
  const alive = await stored.alive();
  const unsentEvents = unsentCount(disk, nip, run);
  return reportOf(stored.state(), compile(definition), {
    definition: event,
    alive,
    unsentEvents,
    at: Date.now(),
  });
}

/** How a run stands: one of this project, or the one that a request asks for, here or as relays tell of it. */
export async function standing(
  disk: RealDisk,
  { run, find }: Pick<WorkflowServices, 'run' | 'find'>,
  settings: () => Promise<NipSettings>,
  word: string,
): Promise<ExecutionReport | ToldStatus> {
  const here = find(word);
  const nip = await settings();
  if (here !== null || !/^[0-9a-f]{64}$/.test(word)) return reportRun(disk, nip, here ?? run(word));
  const asked = listRuns(disk).find((each) => new EventLog(disk, each.run).read()[0]?.id === word);
  return asked === undefined ? told(nip, word) : reportRun(disk, nip, run(asked.run));
}

/** What relays tell of the run that a request asks for. Throws `E_TARGET` where nothing is told. */
async function told({ relays }: NipSettings, request: string): Promise<ToldStatus> {
  const wanted = { kinds: [kinds.status, kinds.result], '#e': [request] };
  const { events, problems } = await askRelays(relays, wanted);
  const executions = toldOf(events);
  if (executions.length > 0) return { request, told: executions };
  const asked = relays.length === 0 ? '`nip: { relays }` in mailroom.yaml says whom to ask' : null;
  throw new MailroomError(
    'E_TARGET',
    `nothing is known of a run that ${request} asks for`,
    problems.length > 0 ? problems.join('; ') : asked,
  );
}
