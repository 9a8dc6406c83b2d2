import type { RemoteStatus } from './documents.ts';
import type { StoredRun } from '../../project/definition/contracts.ts';
import type { Workflows } from '../../workflow/runs/workflows.ts';
import type { NipSettings } from '../../config/config.ts';
import { MailroomError } from '../../kernel/errors.ts';
import { kinds, tagOf } from './letters/nostr-event.ts';
import { reportOf } from './nostr/report.ts';
import type { ExecutionReport } from './nostr/documents.ts';
import { publishedStatusOf } from './nostr/published-status.ts';
import { compile } from '../../workflow/machine/rules.ts';
import { EventLog } from './nostr/event-log.ts';
import type { Disk } from '../../disk/disk.ts';
import { listRuns } from '../../workflow/files/run-folders.ts';
import { askRelays } from './nostr/asking.ts';
import { definedBy } from './executions.ts';
import { unsentCount } from './nostr/relays.ts';

/** The status of a run of this project. Throws `E_TARGET` for one of another language. */
export async function reportRun(
  disk: Disk,
  nip: Pick<NipSettings, 'relays'>,
  stored: StoredRun,
): Promise<ExecutionReport> {
  const { run, definition } = stored;
  if (!definition.byEvents)
    throw new MailroomError('E_TARGET', `${run} is not a run of the language nip`, 'use `mailroom show`');
  const request = new EventLog(disk, run).read().find(({ kind }) => kind === kinds.request);
  const [event = null] = request === undefined ? [] : definedBy(disk, request);
  // In this order: a run that ends in between must not seem to be stopped.
  const alive = await stored.alive();
  const unsentEvents = unsentCount(disk, nip, run);
  return reportOf(stored.state(), compile(definition), {
    request: request ?? null,
    definition: event,
    alive,
    unsentEvents,
    at: Date.now(),
  });
}

/**
 * The run of this project that a word names: by its name in the request, by the id of that event,
 * or by the run's id or its end. Throws `E_TARGET` where none or several match.
 */
export function runOf(disk: Disk, workflows: Workflows, word: string): StoredRun {
  return followed(disk, workflows, word) ?? workflows.run(word);
}

/**
 * The status of a run: one of this project, or the one of a request, here or as relays report it.
 */
export async function executionStatus(
  disk: Disk,
  workflows: Workflows,
  settings: () => Promise<NipSettings>,
  word: string,
): Promise<ExecutionReport | RemoteStatus> {
  const here = followed(disk, workflows, word) ?? workflows.find(word);
  const nip = await settings();
  if (here === null && /^[0-9a-f]{64}$/.test(word)) return remoteStatus(nip, word);
  return reportRun(disk, nip, here ?? workflows.run(word));
}

/** The run whose request has this id or this name for it. */
function followed(disk: Disk, workflows: Workflows, word: string): StoredRun | null {
  const [only, ...more] = listRuns(disk).filter((card) => {
    const [request] = new EventLog(disk, card.run).read();
    return request !== undefined && (request.id === word || tagOf(request, 'd') === word);
  });
  if (more.length === 0) return only === undefined ? null : workflows.run(only.run);
  const all = [only!, ...more].map((each) => each.run).join(', ');
  throw new MailroomError('E_TARGET', `\`${word}\` may be ${all}`, 'give the id of the run');
}

/** The reports of relays about a request's run. Throws `E_TARGET` where there is none. */
async function remoteStatus({ relays }: NipSettings, request: string): Promise<RemoteStatus> {
  const wanted = { kinds: [kinds.status, kinds.result], '#e': [request] };
  const { events, problems } = await askRelays(relays, wanted);
  const executions = publishedStatusOf(events);
  if (executions.length > 0) return { request, reports: executions };
  const asked = relays.length === 0 ? '`nip: { relays }` in mailroom.yaml says whom to ask' : null;
  throw new MailroomError(
    'E_TARGET',
    `nothing is known of a run that ${request} asks for`,
    problems.length > 0 ? problems.join('; ') : asked,
  );
}
