import { apply } from '../../../../src/mail/machine/apply.ts';
import type { MailEvent, Sent } from '../../../../src/mail/machine/event.ts';
import { fileName, idInName, type Message } from '../../../../src/mail/format/message.ts';
import { isHuman, workflowRole, type Protocol } from '../../../../src/mail/format/protocol.ts';
import { emptyState, type MailState } from '../../../../src/mail/machine/state.ts';
import type { Disk } from '../../../../src/disk/disk.ts';
import { isQueued } from '../../../../src/kernel/launched.ts';

/** Every message that an event makes, with its recipients. */
function made(event: MailEvent): Message[] {
  const sent: Sent[] =
    event.type === 'accepted' ? [event.sent] : event.type === 'committed' ? [...event.sent] : [];
  const notices = 'notices' in event ? event.notices : event.type === 'proceeded' ? [event.notice] : [];
  return [...sent.map(({ message }) => message), ...notices];
}

/** Which roles have begun with some of the answers to what one turn asked. */
class Together {
  /** By reply: who asked for it. */
  readonly #askers = new Map<string, string>();
  /** Their requests need no answer any more, so what comes later is mail. */
  readonly #closed = new Set<string>();

  see(event: MailEvent, state: MailState): string[] {
    const sent = event.type === 'accepted' ? [event.sent] : event.type === 'committed' ? event.sent : [];
    for (const { answers, late, message } of sent) {
      const asker = state.mail.get(answers?.request ?? '')?.message.from;
      if (asker !== undefined && !late) this.#askers.set(message.id, asker);
    }
    for (const { id, state: is } of state.threads.values()) if (is === 'closed') this.#closed.add(id);
    if (event.type !== 'claimed' || event.wait !== null || this.#closed.has(event.thread)) return [];
    const alone = event.messages.filter((id) => this.#askers.get(id) === event.role);
    return alone.map((id) => `${event.role} picked up ${id} without the other answers`);
  }
}

/** What the events say against the properties, without looking at any state of ours but their fold. */
export function checkHistory(events: readonly MailEvent[], protocol: Protocol): string[] {
  const problems: string[] = [];
  const ids = new Set<string>();
  const consumed = new Map<string, string>();
  const claims = new Map<string, { role: string; thread: string; messages: readonly string[] }>();
  const together = new Together();
  let turns = 0;
  let state = emptyState();
  for (const event of events) {
    problems.push(...together.see(event, state));
    for (const { id, subject } of made(event)) {
      if (!/^[^\p{Cc}\u2028\u2029]{0,200}$/u.test(subject))
        problems.push(`the subject of ${id} is not one line`);
      if (ids.has(id)) problems.push(`message ${id} was made twice`);
      ids.add(id);
    }
    // Only a host writes files of such names. Of a notice that belongs to no thread nobody knows any more, once it is read, what it was.
    if (event.type === 'refused' && idInName(event.name) !== null && !isHuman(protocol, event.role))
      problems.push(`${event.name} was shown in ${event.role}/${event.box} before it was true`);
    if (event.type === 'controlled' && event.refusal === null && event.command.verb === 'retry')
      if (!ids.has(event.command.message.id))
        problems.push(`${event.command.message.id} was put back, and nobody sent it`);
    if (event.type === 'claimed') claims.set(`t${String((turns += 1))}`, event);
    if (event.type === 'committed') {
      const claim = claims.get(event.turn);
      for (const id of claim?.messages ?? []) {
        const key = `${id} ${claim?.role ?? ''}`;
        if (consumed.has(key))
          problems.push(`${key} was consumed by ${consumed.get(key) ?? ''} and ${event.turn}`);
        consumed.set(key, event.turn);
      }
      for (const sent of event.sent) problems.push(...forbidden(sent, protocol, state));
    }
    state = apply(state, event);
    problems.push(...crowded(state, protocol));
  }
  return problems;
}

function forbidden(sent: Sent, protocol: Protocol, state: MailState): string[] {
  const { message } = sent;
  const type = protocol.types.get(message.type);
  const allowed =
    type === undefined
      ? isBuiltIn(sent, state)
      : type.from.includes(message.from) && message.to.every((role) => type.to.includes(role));
  return allowed
    ? []
    : [`${message.from} sent ${message.type} to ${message.to.join(', ')}, which is forbidden`];
}

/** A question to who has written to its author or to `user`, or the answer to one. */
function isBuiltIn({ message, answers, late }: Sent, { mail }: MailState): boolean {
  const { type, from, to } = message;
  if (type === 'answer') return late || mail.get(answers?.request ?? '')?.message.type === 'question';
  const written = [...mail.values()].filter(({ deliveries }) => deliveries.has(from));
  const senders = new Set(written.map((one) => one.message.from));
  return type === 'question' && to.length > 0 && to.every((role) => role === 'user' || senders.has(role));
}

function crowded(state: MailState, protocol: Protocol): string[] {
  const running = new Map<string, number>();
  const together = new Set<string>();
  const problems: string[] = [];
  for (const { role, thread, phase, id } of state.turns.values()) {
    const place = `${role} in ${thread}`;
    if (together.has(place)) problems.push(`${id}: two turns of ${place}`);
    together.add(place);
    if (phase.is === 'active' || phase.is === 'returned') running.set(role, (running.get(role) ?? 0) + 1);
  }
  for (const [role, count] of running)
    if (count > (protocol.roles.get(role)?.concurrency ?? 0))
      problems.push(`${String(count)} turns of ${role} at once`);
  return problems;
}

/** Each recipient's copy of each message lies in exactly one place, and that is where the journal says. */
export function checkFolders(disk: Disk, events: readonly MailEvent[], protocol: Protocol): string[] {
  const files = new Map<string, string[]>();
  for (const role of protocol.roles.keys())
    for (const folder of ['inbox', 'processed', 'failed'])
      for (const name of namesBelow(disk, `agents/${role}/${folder}`)) {
        const key = `${role} ${name}`;
        files.set(key, [...(files.get(key) ?? []), folder]);
      }
  const places = placesOf(events);
  const problems: string[] = [];
  for (const [key, { message, role, at }] of places) {
    const found = files.get(`${role} ${fileName(message)}`) ?? [];
    const wanted = role === workflowRole ? [] : folderOf(at);
    if (found.join() !== wanted.join())
      problems.push(`${key} (${message.type}) is ${at}, but lies in [${found.join(', ')}]`);
  }
  // Those that may grow are kept a while under names that end in their size.
  for (const name of (disk.list('.mailroom/accepting') ?? []).filter((each) => !/~\d+-\d+$/.test(each)))
    problems.push(`${name} was taken in and forgotten`);
  return problems;
}

function folderOf(at: string): string[] {
  if (at === 'inbox' || at === 'claimed' || at === 'unread') return ['inbox'];
  return at === 'processed' || at === 'failed' ? [at] : [];
}

function namesBelow(disk: Disk, folder: string): string[] {
  return (disk.list(folder) ?? []).flatMap((name) => {
    const path = `${folder}/${name}`;
    if (disk.look(path)?.kind === 'folder') return namesBelow(disk, path);
    return name.endsWith('.md') ? [name] : [];
  });
}

/** Where every copy is after all events; threads that the state forgot keep what was last known. */
function placesOf(events: readonly MailEvent[]) {
  const places = new Map<string, { message: Message; role: string; at: string }>();
  let state = emptyState();
  for (const event of events) {
    state = apply(state, event);
    for (const [key, picture] of state.pendingProjections)
      if (picture.kind === 'copy')
        places.set(key, { message: picture.message, role: picture.role, at: picture.delivery.at });
    if (event.type === 'read') {
      const key = `${event.message} ${event.recipient}`;
      const known = places.get(key);
      if (known) places.set(key, { ...known, at: 'read' });
    }
  }
  return places;
}

/** At the end nobody waits for anything but a person, and every thread has come to rest. */
export function checkRest(state: MailState, protocol: Protocol): string[] {
  const problems: string[] = [];
  for (const turn of state.turns.values())
    problems.push(`turn ${turn.id} of ${turn.role} is still ${turn.phase.is}`);
  for (const { turn, phase } of state.landings.values())
    problems.push(`the work of ${turn} is still ${phase.is}`);
  for (const wait of state.waits.values()) problems.push(`${wait.role} still waits in ${wait.thread}`);
  for (const thread of state.threads.values())
    if (thread.state === 'open') problems.push(`thread ${thread.id} is still open`);
  for (const [name, { queue, requests }] of state.roles)
    for (const id of [...queue, ...requests]) {
      const thread = state.threads.get(state.mail.get(id)?.message.thread ?? '');
      if (thread?.state !== 'quiet' && protocol.roles.has(name))
        problems.push(`${id} still waits for ${name}`);
    }
  return problems;
}

/** Launches are bounded before they happen: attempts (crashes count) and corrections. */
export function checkLaunches(
  launches: readonly string[],
  events: readonly MailEvent[],
  protocol: Protocol,
): string[] {
  const free = new Map<string, number>();
  const roles = new Map<string, string>();
  let turns = 0;
  for (const event of events) {
    if (event.type === 'claimed') roles.set(`t${String((turns += 1))}`, event.role);
    const uncounted =
      event.type === 'stopped' ||
      (event.type === 'requeued' && !event.counted) ||
      event.type === 'controlled';
    if (uncounted)
      for (const turn of 'turn' in event ? [event.turn] : roles.keys())
        free.set(turn, (free.get(turn) ?? 0) + 1);
  }
  const attempts = new Map<string, Set<string>>();
  for (const key of launches) {
    const [turn = '', attempt = ''] = key.split('/');
    attempts.set(turn, (attempts.get(turn) ?? new Set()).add(attempt));
  }
  const problems: string[] = [];
  const seen = new Set<string>();
  for (const key of launches) {
    if (seen.has(key)) problems.push(`${key} was launched twice`);
    seen.add(key);
  }
  for (const [turn, tried] of attempts) {
    const retries = protocol.roles.get(roles.get(turn) ?? '')?.retries ?? 0;
    if (tried.size > 1 + retries + (free.get(turn) ?? 0))
      problems.push(`${turn} was launched ${String(tried.size)} times`);
  }
  return problems;
}

const ownEnds: ReadonlySet<MailEvent['type']> = new Set(['returned', 'asked', 'attempt-failed']);

/** What an agent of this host had used is charged, whatever else than its own end ended it. */
export function checkUsed(events: readonly MailEvent[]): string[] {
  const problems: string[] = [];
  let state = emptyState();
  for (const event of events) {
    const agents = runningHere(state);
    state = apply(state, event);
    if (ownEnds.has(event.type)) continue;
    const still = runningHere(state);
    const ended = [...agents].filter(([, name]) => ![...still.values()].includes(name)).map(([id]) => id);
    const used = (event.used ?? []).map(({ turn }) => turn);
    if (ended.toSorted().join() !== used.toSorted().join())
      problems.push(`${event.type} ended ${ended.join()}, and has the usage of ${used.join()}`);
  }
  return problems;
}

/** The turns with agents that have no job for a worker, with the names of their invocations. */
function runningHere({ turns }: MailState): Map<string, string> {
  const found = new Map<string, string>();
  for (const { id, attempt, round, phase } of turns.values())
    if (phase.is === 'active' && phase.launched !== null && !isQueued(phase.launched))
      found.set(id, `${id} ${String(attempt)}.${String(round)}`);
  return found;
}
