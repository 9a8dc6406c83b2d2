import { counted } from '../kernel/enumerate.ts';
import { mailroom, type Message } from '../mail/format/message.ts';
import { askedReason } from '../mail/machine/landing.ts';
import type { MailEvent } from '../mail/machine/event.ts';
import { copyKey } from '../mail/machine/fold/places.ts';
import type { Cost } from '../kernel/cost.ts';
import { addCost, settled } from '../kernel/money.ts';
import type { Pause } from '../kernel/commands.ts';
import type { Mail, MailState, Permission, Thread, Turn } from '../mail/machine/state.ts';
import type { Landing } from '../mail/machine/landing.ts';
import { firstLineThenFence } from '../kernel/quoting.ts';
import { duration, span } from '../kernel/times.ts';
import { shortCommit, shortId, type RoleName, type ThreadId } from '../kernel/ids.ts';

/** One change, in words. */
export interface Change {
  readonly kind: 'sent' | 'started' | 'ended' | 'again' | 'failed' | 'notice' | 'overdue' | 'thread' | 'held';
  /** The role concerned; null: no particular one. */
  readonly role: RoleName | null;
  readonly text: string;
}

/** What later changes are found from: the state itself is changed in place. */
function remember({ lastMail, turns, landings, threads, parked, ...state }: MailState) {
  return {
    lastMail,
    turns: new Map(turns),
    landings: new Map(landings),
    threads: new Map([...threads].map(([id, thread]) => [id, thread.state])),
    parked: new Map(parked),
    held: heldThings(state),
  };
}

type Memory = Readonly<ReturnType<typeof remember>>;

/** What a person has paused, or whose folder has vanished, and why it is held. */
function heldThings({ paused, roles }: Pick<MailState, 'paused' | 'roles'>): Map<string, string> {
  const gone = [...roles].filter(([, role]) => role.vanished);
  const by = (name: string, pause: Pause) => [name, `is paused by ${pause.by}`] as const;
  return new Map([
    ...gone.map(([name]) => [`the mail of ${name}`, 'waits: its inbox is gone'] as const),
    ...(paused.all === null ? [] : [by('everything', paused.all)]),
    ...[...paused.roles].map(([name, pause]) => by(name, pause)),
    ...[...paused.threads].map(([id, pause]) => by(`thread ${shortId(id)}`, pause)),
  ]);
}

/** What a batch of events did. */
interface Happened {
  readonly before: Memory;
  readonly events: readonly MailEvent[];
  readonly state: MailState;
  /** Mail that was sent. */
  readonly fresh: readonly Mail[];
  /** To people; they are reported even when their thread is unknown. */
  readonly notices: readonly Message[];
  readonly money: (cost: Cost) => string;
}

/** Follows the mail of a controller from a state on. */
export class MailChanges {
  readonly #money: (cost: Cost) => string;
  #before: Memory;

  constructor(state: MailState, money: (cost: Cost) => string) {
    this.#money = money;
    this.#before = remember(state);
  }

  /** The changes by the next events, which are in the state, in the order of a report. */
  by(events: readonly MailEvent[], state: MailState): Change[] {
    const [before, money] = [this.#before, this.#money];
    this.#before = remember(state);
    const messages = events.flatMap(messagesOf);
    const mail = new Set(messages.flatMap(({ id }) => state.mail.get(id) ?? []));
    const fresh = [...mail].filter(({ order }) => order > before.lastMail);
    const notices = messages.filter(
      ({ id, from, to }) => from === mailroom && to.some((role) => state.unread.has(copyKey(id, role))),
    );
    const happened: Happened = { before, events, state, fresh, notices, money };
    const ended = [...before.turns.values()].filter(({ id }) => !state.turns.has(id));
    return [
      ...fresh
        .filter(({ message, turn }) => turn === null && message.from !== mailroom)
        .map(({ message }) => sentLine(message)),
      ...ended.flatMap((turn) => endOf(happened, turn)),
      ...[...state.turns.values()].flatMap((turn) => progress(before.turns.get(turn.id), turn, state.now)),
      ...[...state.landings.values()].flatMap((each) => landingLines(before.landings.get(each.turn), each)),
      ...overdueLines(happened),
      ...notices.map((notice) => noticeLine(notice, hasTimedOut(happened, notice.thread))),
      ...threadLines(happened),
      ...heldLines(before, state),
    ];
  }
}

/** The messages that an event delivers. */
function messagesOf(event: MailEvent): readonly Message[] {
  switch (event.type) {
    case 'accepted':
      return [event.sent.message];
    case 'committed':
      return event.sent.map(({ message }) => message);
    case 'proceeded':
      return [event.notice];
    case 'controlled':
      return event.command.verb === 'retry' && event.refusal === null ? [event.command.message] : [];
    default:
      return 'notices' in event ? event.notices : [];
  }
}

/** Whether a notice has already reported why something in a thread ended. */
function isReported({ notices }: Happened, thread: ThreadId, reason: string): boolean {
  return notices.some(
    (notice) => notice.thread === thread && notice.body.includes(firstLineThenFence(reason)),
  );
}

function sentLine({ id, type, from, to, subject, work }: Message): Change {
  const landed = work?.landed ?? null;
  const where = landed === null ? '' : `, landed on ${landed.branch} as ${shortCommit(landed.commit)}`;
  return {
    kind: 'sent',
    role: from,
    text: `${from} → ${to.join(', ')}: ${type} — ${subject} (${shortId(id)})${where}`,
  };
}

/**
 * Requests that were not answered in time: who is asked as well, or who continues without an
 * answer.
 */
function overdueLines({ events, state, fresh, notices }: Happened): Change[] {
  const asked = events.flatMap((event): Change[] => {
    const mail = event.type === 'escalated' ? state.mail.get(event.ask.request) : undefined;
    if (event.type !== 'escalated' || mail === undefined) return [];
    const { id, type, from, subject } = mail.message;
    const { ask, to } = event;
    const what = `${type} from ${from} — ${subject} (${shortId(id)})`;
    return [
      {
        kind: 'overdue',
        role: to,
        text: `${ask.recipient} has not answered ${what}: ${to} is asked as well`,
      },
    ];
  });
  const without = fresh
    .filter(({ message, wait }) => message.from === mailroom && wait !== null && !notices.includes(message))
    .map(({ message: { subject, to } }): Change => {
      return {
        kind: 'overdue',
        role: to[0] ?? null,
        text: `${subject}: ${to.join(', ')} continues without it`,
      };
    });
  return [...asked, ...without];
}

/**
 * How a turn ended: what it sent, or that it failed; the reason of a failure is in the notice, if
 * there is one.
 */
function endOf(happened: Happened, turn: Turn): Change[] {
  const { state, fresh, money } = happened;
  const { id, role, thread, messages, claimedAt } = turn;
  const copies = messages.map((message) => state.mail.get(message)?.deliveries.get(role));
  const failed = copies.find((copy) => copy?.at === 'failed');
  if (failed?.at === 'failed')
    return isReported(happened, thread, failed.reason.text)
      ? []
      : [{ kind: 'failed', role, text: `${role} ${id} failed: ${headOf(failed.reason.text)}` }];
  const sent = fresh.filter((mail) => mail.turn === id);
  const took = duration(state.now - claimedAt);
  const cost = money(turnCost(happened, turn));
  const what = sent.length === 0 ? ' and sends nothing' : '';
  const end = `${role} ends ${id}${what} (${cost === '' ? took : `${took}, ${cost}`})`;
  return [{ kind: 'ended', role, text: end }, ...sent.map(({ message }) => sentLine(message))];
}

/** The cost of an ended turn, with what its agent has used last. */
function turnCost({ events }: Happened, { id, cost, budget }: Turn): Cost {
  const used = events.flatMap((event) =>
    (event.type === 'returned' || event.type === 'asked') && event.turn === id
      ? [settled(event.result.usage, budget)]
      : [],
  );
  return used.reduce(addCost, cost);
}

/** What keeps the work of a turn from landing. */
function landingLines(before: Landing | undefined, landing: Landing): Change[] {
  const { role, turn, commit, lands, phase, blocked, missed } = landing;
  const work = `the work of ${role} in ${turn}`;
  const held = (text: string): Change[] => [{ kind: 'held', role, text }];
  if (phase.is === 'asked' && before?.phase.is !== 'asked')
    return held(
      `${work} waits for approval: ${shortCommit(commit)} is to land on ${lands.branch}; ${askedReason(landing) ?? ''}`,
    );
  if (blocked !== null && blocked !== before?.blocked)
    return held(`${work} cannot land on ${lands.branch} yet: ${headOf(blocked)}`);
  if (missed > (before?.missed ?? 0))
    return [{ kind: 'again', role, text: `${work} is checked again: ${lands.branch} was moved meanwhile` }];
  return [];
}

/** What a person has decided about the calls of an agent. */
function answerWords({ allowed, by }: Permission): string {
  if (by === null) return 'refused, as it was not answered in time';
  return `${allowed ? 'approved' : 'refused'} by ${by}`;
}

/** The changes of a turn in progress. */
function progress(before: Turn | undefined, turn: Turn, now: number): Change[] {
  const { id, role, messages, attempt, round, phase } = turn;
  const count = messages.length === 1 ? '1 message' : `${String(messages.length)} messages`;
  if (!before) return [{ kind: 'started', role, text: `${role} starts ${id} with ${count}` }];
  // A notice reports it to a person.
  if (turn.conflict?.by === 'role' && before.conflict === null)
    return [
      {
        kind: 'again',
        role,
        text: `${role} ${id} resolves a conflict: ${abbreviated(headOf(turn.conflict.text))}`,
      },
    ];
  const decided = turn.decided.length > before.decided.length ? turn.decided.at(-1) : undefined;
  if (decided !== undefined)
    return [{ kind: 'again', role, text: `${role} ${id} continues: ${answerWords(decided)}` }];
  if (round > before.round && attempt === before.attempt) {
    const problems = abbreviated(turn.problems.map(headOf).join('; '));
    const what = turn.merges > before.merges ? 'resolves a conflict' : 'sent back for correction';
    const text = `${role} ${id} ${what}: ${problems}`;
    return [{ kind: 'again', role, text }];
  }
  if (turn.conflict?.waits === true && before.conflict?.waits !== true)
    return [{ kind: 'again', role, text: `${role} ${id} waits until a person has resolved a conflict` }];
  const reason =
    turn.lastFailure && turn.lastFailure !== before.lastFailure ? `: ${headOf(turn.lastFailure.text)}` : '';
  if (attempt > before.attempt) {
    const provider = turn.provider === before.provider ? '' : ` with ${turn.provider}`;
    const text = `${role} ${id} starts attempt ${String(attempt)}${provider}${reason}`;
    return [{ kind: 'again', role, text }];
  }
  if (phase.is !== 'pending' || before.phase.is === 'pending') return [];
  const wait = phase.notBefore > now ? `, again in ${duration(phase.notBefore - now)}` : ', again soon';
  return [{ kind: 'again', role, text: `${role} ${id} stopped${reason}${wait}` }];
}

/**
 * The first of several lines: a program's output may follow, and the notice or the prompt has it
 * all.
 */
function headOf(text: string): string {
  const [first = '', ...rest] = text.trim().split('\n');
  return rest.length > 0 ? first.replace(/:$/, '') : first;
}

/** A text with its commits and ids as short as people need them. */
function abbreviated(text: string): string {
  const ids = text.replaceAll(/\b[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\b/g, shortId);
  return ids.replaceAll(/\b[\da-f]{40}\b/g, shortCommit);
}

/** The first line of a notice; if that only announces a list, the list. */
function noticeLine({ subject, body }: Message, isOverdue: boolean): Change {
  const [first = '', ...rest] = body.split('\n').filter((line) => line.trim() !== '');
  const isList = rest[0]?.startsWith('- ') === true;
  const list = rest.filter((line) => line.startsWith('- ')).map((line) => line.slice(2));
  const about = first.endsWith(':') && isList ? list.join('; ') : headOf(body);
  const text = about === '' ? subject : `${subject}: ${about}`;
  return { kind: isOverdue ? 'overdue' : 'notice', role: null, text };
}

/** Whether a thread has just failed because a request in it was not answered in time. */
function hasTimedOut({ before, state }: Happened, id: ThreadId): boolean {
  const thread = state.threads.get(id);
  return (
    thread?.state === 'failed' && before.threads.get(id) !== 'failed' && thread.reason?.code === 'E_TIMEOUT'
  );
}

function threadLines(happened: Happened): Change[] {
  const { before, state, money } = happened;
  return [...state.threads.values()].flatMap((thread): Change[] => {
    const was = before.threads.get(thread.id) ?? 'open';
    if (was === thread.state || thread.state === 'open') return [];
    if (thread.state !== 'closed' && isReported(happened, thread.id, thread.reason?.text ?? '')) return [];
    return [{ kind: 'thread', role: null, text: threadLine(thread, money) }];
  });
}

function threadLine(
  { id, state, subject, turns, cost, reason }: Thread,
  money: (cost: Cost) => string,
): string {
  const why = reason === null ? '' : `: ${reason.text}`;
  const figures = [counted(turns, 'turn'), money(cost)].filter((text) => text !== '');
  return `thread ${shortId(id)} is ${state} — ${subject} (${figures.join(', ')})${why}`;
}

function heldLines(before: Memory, state: MailState): Change[] {
  const held = heldThings(state);
  const line = (text: string): Change => ({ kind: 'held', role: null, text });
  const parked = [...state.parked].filter(
    ([provider, until]) => until > state.now && before.parked.get(provider) !== until,
  );
  return [
    ...parked.map(([provider, until]) => line(`${provider} is rate limited for ${span(until - state.now)}`)),
    ...[...held].filter(([name]) => !before.held.has(name)).map(([name, why]) => line(`${name} ${why}`)),
    ...[...before.held.keys()].filter((name) => !held.has(name)).map((name) => line(`${name} continues`)),
  ];
}
