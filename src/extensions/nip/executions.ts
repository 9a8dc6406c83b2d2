import type { FoundWorkflow, RunRequest } from '../../project/definition/contracts.ts';
import type { Announcement, NewExecution } from '../../project/definition/hooks.ts';
import { withoutStarts } from '../../project/definition/starts.ts';
import type { NipSettings } from '../../config/config.ts';
import { MailroomError } from '../../kernel/errors.ts';
import { currentDefinition } from './nostr/definitions.ts';
import { isSame, kinds, tagOf, type EventTemplate, type NostrEvent } from './letters/nostr-event.ts';
import { requestEvent } from './nostr/execution-events.ts';
import type { Observing } from '../../workflow/host/ports.ts';
import { definitionLog, EventLog, eventLogs, requestLog } from './nostr/event-log.ts';
import { projectKey } from '../../host/project-key.ts';
import type { Disk } from '../../disk/disk.ts';
import { counted } from '../../kernel/enumerate.ts';
import { isOver } from '../../workflow/files/ended.ts';
import { listRuns } from '../../workflow/files/run-folders.ts';
import { relaysOf, unsentCount } from './nostr/relays.ts';
import { isAlive } from '../../workflow/host/locks.ts';

/** A parsed definition, with an error if its signature does not match its text. */
export async function verified(
  text: string,
  checked: FoundWorkflow['checked'],
  file: string,
): Promise<FoundWorkflow['checked']> {
  if (!checked.ok || !checked.value.byEvents) return checked;
  const { definitionEventOf, signaturePlace } = await import('./language/event.ts');
  const event = definitionEventOf(text, 0);
  if (!('sig' in event)) return checked;
  const { isAuthentic } = await import('./nostr/signer.ts');
  if (await isAuthentic(event)) return checked;
  const message = 'the signature is not that of this text and this author';
  const hint = 'take `sig`, `id` and `pubkey` away: then it is signed with the key of the project';
  const place = signaturePlace(text, file);
  return { ok: false, problems: [{ code: 'E_WORKFLOW', severity: 'error', message, place, hint }] };
}

/** Serialises the starts in this process. */
let starting: Promise<unknown> = Promise.resolve();

/**
 * Announces a run that this process has locked. Throws `E_LOCKED` at the limit of concurrent runs.
 * Concurrent starts, in this process or in others, each count the earlier ones.
 */
export async function admitRun(disk: Disk, nip: NipSettings, options: NewExecution): Promise<void> {
  const before = starting;
  const admit = async () => {
    await before;
    await withoutStarts(disk, async () => {
      await refuseMore(disk, nip);
      await announceRun(disk, options);
    });
  };
  const admitted = admit();
  starting = admitted.catch(() => {});
  await admitted;
}

/** Throws `E_LOCKED` at the language's limit of concurrent runs. */
async function refuseMore(disk: Disk, { maxConcurrentWorkflows: most }: NipSettings): Promise<void> {
  // An admitted run has its events before it has a journal.
  const open = eventLogs(disk).filter((run) => isOver(disk, run) !== true);
  const alive = (await Promise.all(open.map((run) => isAlive(disk, run)))).filter(Boolean);
  if (alive.length < most) return;
  const text = `the limit of parallel nip runs is reached: ${String(most)}`;
  throw new MailroomError('E_LOCKED', text, '`nip: { maxConcurrentWorkflows }` in mailroom.yaml allows more');
}

/**
 * Keeps a definition, signed by the project unless its author has signed it; one that was kept
 * before is not kept again. `current`: it replaces the others with its id, unless its author has
 * signed a newer one, as for an earlier signature of its own text.
 */
export async function keepDefinition(disk: Disk, text: string, current = false): Promise<NostrEvent> {
  const { loadSigner } = await import('./nostr/signer.ts');
  const { definitionEventOf } = await import('./language/event.ts');
  const signer = await loadSigner(projectKey(disk));
  const given = definitionEventOf(text, Date.now());
  const definitions = new EventLog(disk, definitionLog);
  const all = definitions.read();
  const isThis = (each: NostrEvent) =>
    'sig' in given ? each.id === given.id : each.pubkey === signer.pubkey && isSame(each, given);
  const id = tagOf(given, 'd') ?? '';
  const now = currentDefinition(all, id);
  const known = now !== null && isThis(now) ? now : current ? undefined : all.findLast(isThis);
  if (known !== undefined) return known;
  const own = all.filter((each) => each.pubkey === signer.pubkey && tagOf(each, 'd') === id);
  const definition = 'sig' in given ? given : signer.sign(after(given, own));
  definitions.append([definition]);
  return definition;
}

/** Of definitions with one author and id, relays keep the one with the latest time, in seconds. */
function after(event: EventTemplate, earlier: readonly NostrEvent[]): EventTemplate {
  const last = Math.max(-1, ...earlier.map(({ created_at: at }) => at));
  return { ...event, created_at: Math.max(event.created_at, last + 1) };
}

/** Publishes the start of a run in signed events: the definition, if new, and the request. */
async function announceRun(disk: Disk, options: NewExecution): Promise<void> {
  const definition = await keepDefinition(disk, options.workflow.text);
  const { run, parameters, budget, timeout } = options;
  if (options.request !== undefined) return options.request.announce(run);
  const { loadSigner } = await import('./nostr/signer.ts');
  const signer = await loadSigner(projectKey(disk));
  const msats = budget.units ?? null;
  const at = Date.now();
  const request = requestEvent({ definition, execution: run, inputs: parameters, msats, timeout, at });
  new EventLog(disk, run).append([signer.sign(request)]);
}

/** A request as the run that it asks for needs it. */
export function runRequest(disk: Disk, request: NostrEvent): RunRequest {
  return {
    announce: (run) => new EventLog(disk, run).append([request]),
    begun: () => new EventLog(disk, requestLog).append([request]),
  };
}

/** The requests whose runs have begun, including those whose host died before keeping them. */
export function followedRequests(disk: Disk): NostrEvent[] {
  const asked = listRuns(disk).flatMap(({ run }) => new EventLog(disk, run).read().slice(0, 1));
  return [...new EventLog(disk, requestLog).read(), ...asked];
}

/**
 * How a run's status is published; undefined: it is of another language, or no event requested it.
 */
export async function announcementOf(
  disk: Disk,
  run: string,
  settings: NipSettings,
): Promise<Announcement | undefined> {
  const log = new EventLog(disk, run);
  const published: readonly NostrEvent[] = log.read();
  const request = published.find(({ kind }) => kind === kinds.request);
  if (request === undefined) return undefined;
  const { Announcer } = await import('./nostr/announcer.ts');
  const { loadSigner } = await import('./nostr/signer.ts');
  const signer = await loadSigner(projectKey(disk));
  const relays = await relaysOf(disk, settings);
  const say = () => {
    for (const name of [definitionLog, run]) relays?.send(name);
  };
  // Sends what an earlier host of the run has not sent.
  if (settings.publishDefinitions) relays?.want(definitionLog, definedBy(disk, request));
  relays?.want(run, published);
  say();
  const append = (events: readonly NostrEvent[]): void => {
    if (relays === null) log.append(events);
    else relays.keep(run, events);
    say();
  };
  const execution = { id: tagOf(request, 'd') ?? run, request };
  const announced = { append, signer, execution, published };
  const observing: Observing = (rules, guard) => new Announcer(announced, rules, guard);
  return {
    observing,
    problems: () => relays?.problems ?? [],
    unsent: () => unsentWords(unsentCount(disk, settings, run)),
    close: async () => relays?.close(),
  };
}

function unsentWords(count: number): string | null {
  return count === 0
    ? null
    : `not sent: ${counted(count, 'event')} of this run. Send with: \`mailroom nip send\` (\`mailroom up\` also sends)`;
}

/** The definition that a request names, if known. */
export function definedBy(disk: Disk, request: NostrEvent): NostrEvent[] {
  const id = tagOf(request, 'e', 'workflow');
  return new EventLog(disk, definitionLog).read().filter((event) => event.id === id);
}
