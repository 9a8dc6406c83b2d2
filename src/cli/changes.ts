import { counted } from '../kernel/enumerate.ts';
import { mailroom, type Message } from '../mail/format/message.ts';
import { askedReason } from '../mail/machine/landing.ts';
import { askKey } from '../mail/machine/fold/asks.ts';
import type { Cost } from '../kernel/cost.ts';
import { noCost } from '../kernel/money.ts';
import type { Mail, MailState, Pause, Permission, Thread, ThreadState, Turn } from '../mail/machine/state.ts';
import type { Landing } from '../mail/machine/landing.ts';
import { firstLineThenFence } from '../kernel/quoting.ts';
import { duration, span } from '../kernel/times.ts';
import { shortCommit, shortId, type RoleName, type ThreadId } from '../kernel/ids.ts';
import type { TurnId } from '../letters/target.ts';

/** What to remember of a state to find later changes; the state itself is changed in place. */
export interface Memory {
  readonly events: number;
  readonly lastMail: number;
  readonly turns: ReadonlyMap<TurnId, Turn>;
  readonly landings: ReadonlyMap<TurnId, Landing>;
  readonly threads: ReadonlyMap<ThreadId, ThreadState>;
  readonly costs: ReadonlyMap<RoleName, Cost>;
  readonly parked: ReadonlyMap<string, number>;
  readonly held: ReadonlyMap<string, string>;
  /** Keys of mail that people had not read. */
  readonly unread: ReadonlySet<string>;
  /** Keys of asks that had been escalated. */
  readonly escalated: ReadonlySet<string>;
}

/** One change, in words. */
export interface Change {
  readonly kind: 'sent' | 'started' | 'ended' | 'again' | 'failed' | 'notice' | 'overdue' | 'thread' | 'held';
  /** The role concerned; null: no particular one. */
  readonly role: RoleName | null;
  readonly text: string;
}

export function remember(state: MailState): Memory {
  return {
    events: state.events,
    lastMail: state.lastMail,
    turns: new Map(state.turns),
    landings: new Map(state.landings),
    threads: new Map([...state.threads].map(([id, thread]) => [id, thread.state])),
    costs: new Map([...state.roles].map(([name, role]) => [name, role.cost])),
    parked: new Map(state.parked),
    held: heldThings(state),
    unread: new Set(state.unread.keys()),
    escalated: new Set(escalations(state).map(({ key }) => key)),
  };
}

/** What a person has paused, or whose folder has vanished, and why it is held. */
function heldThings({ paused, roles }: MailState): Map<string, string> {
  const gone = [...roles].filter(([, role]) => role.vanished);
  const by = (name: string, pause: Pause) => [name, `is paused by ${pause.by}`] as const;
  return new Map([
    ...gone.map(([name]) => [`the mail of ${name}`, 'waits: its inbox is gone'] as const),
    ...(paused.all === null ? [] : [by('everything', paused.all)]),
    ...[...paused.roles].map(([name, pause]) => by(name, pause)),
    ...[...paused.threads].map(([id, pause]) => by(`thread ${shortId(id)}`, pause)),
  ]);
}

/** The changes between two states, in the order in which a person would report them. */
export function describeChange(before: Memory, state: MailState, money: (cost: Cost) => string): Change[] {
  if (before.events === state.events) return [];
  const fresh = [...state.mail.values()].filter(({ order }) => order > before.lastMail);
  const notices = newNotices(before, state);
  const reported = reportedIn(notices);
  const changes: Change[] = fresh
    .filter(({ message, turn }) => turn === null && message.from !== mailroom)
    .map(({ message }) => sentLine(message));
  for (const turn of before.turns.values())
    if (!state.turns.has(turn.id)) changes.push(...endOf(before, state, turn, reported, money));
  for (const turn of state.turns.values())
    changes.push(...progress(before.turns.get(turn.id), turn, state.now));
  for (const landing of state.landings.values())
    changes.push(...landingLines(before.landings.get(landing.turn), landing));
  changes.push(
    ...overdueLines(
      before,
      state,
      fresh.filter(({ message }) => !notices.includes(message)),
    ),
  );
  const isOverdue = (notice: Message) => hasTimedOut(before, state, notice.thread);
  changes.push(
    ...notices.map((notice) => noticeLine(notice, isOverdue(notice) ? 'overdue' : 'notice')),
    ...threadLines(before, state, reported, money),
  );
  return [...changes, ...heldLines(before, state)];
}

/** Whether a notice has already reported why something in a thread ended. */
type IsReported = (thread: ThreadId, reason: string) => boolean;

function reportedIn(notices: readonly Message[]): IsReported {
  return (thread, reason) =>
    notices.some((notice) => notice.thread === thread && notice.body.includes(firstLineThenFence(reason)));
}

/** Notices to people are reported even when their thread is unknown. */
function newNotices(before: Memory, { unread }: MailState): Message[] {
  return [...unread]
    .filter(([key, { message }]) => message.from === mailroom && !before.unread.has(key))
    .map(([, { message }]) => message);
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

interface Escalation {
  readonly key: string;
  readonly message: Message;
  /** The role that has not answered. */
  readonly recipient: RoleName;
  readonly to: RoleName;
}

function escalations({ mail }: MailState): Escalation[] {
  return [...mail.values()].flatMap(({ message, request }) =>
    [...(request?.asks ?? [])].flatMap(([recipient, ask]) => {
      const key = askKey({ request: message.id, recipient });
      return ask.is === 'over' || ask.escalated === null
        ? []
        : [{ key, message, recipient, to: ask.escalated }];
    }),
  );
}

/**
 * Requests that were not answered in time: who is asked as well, or who continues without an
 * answer.
 */
function overdueLines(before: Memory, state: MailState, fresh: readonly Mail[]): Change[] {
  const asked = escalations(state)
    .filter(({ key }) => !before.escalated.has(key))
    .map(({ message, recipient, to }): Change => {
      const what = `${message.type} from ${message.from} — ${message.subject} (${shortId(message.id)})`;
      return {
        kind: 'overdue',
        role: to,
        text: `${recipient} has not answered ${what}: ${to} is asked as well`,
      };
    });
  const without = fresh
    .filter(({ message, wait }) => message.from === mailroom && wait !== null)
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
function endOf(
  before: Memory,
  state: MailState,
  turn: Turn,
  reported: IsReported,
  money: (cost: Cost) => string,
): Change[] {
  const { id, role, thread, messages, claimedAt } = turn;
  const copies = messages.map((message) => state.mail.get(message)?.deliveries.get(role));
  const failed = copies.find((copy) => copy?.at === 'failed');
  if (failed?.at === 'failed')
    return reported(thread, failed.reason.text)
      ? []
      : [{ kind: 'failed', role, text: `${role} ${id} failed: ${headOf(failed.reason.text)}` }];
  const sent = [...state.mail.values()].filter((mail) => mail.turn === id && mail.order > before.lastMail);
  const took = duration(state.now - claimedAt);
  const cost = money(turnCost(before, state, turn));
  const what = sent.length === 0 ? ' and sends nothing' : '';
  const end = `${role} ends ${id}${what} (${cost === '' ? took : `${took}, ${cost}`})`;
  return [{ kind: 'ended', role, text: end }, ...sent.map(({ message }) => sentLine(message))];
}

/**
 * The cost of an ended turn: what it had settled when last seen, else what its role has spent
 * since.
 */
function turnCost(before: Memory, state: MailState, turn: Turn): Cost {
  if ('result' in turn.phase) return turn.cost;
  const then = before.costs.get(turn.role) ?? noCost;
  const now = state.roles.get(turn.role)?.cost ?? noCost;
  return {
    usd: turn.cost.usd + now.usd - then.usd,
    tokens: turn.cost.tokens + now.tokens - then.tokens,
    unpriced: turn.cost.unpriced + now.unpriced - then.unpriced,
  };
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
function noticeLine({ subject, body }: Message, kind: 'notice' | 'overdue'): Change {
  const [first = '', ...rest] = body.split('\n').filter((line) => line.trim() !== '');
  const isList = rest[0]?.startsWith('- ') === true;
  const list = rest.filter((line) => line.startsWith('- ')).map((line) => line.slice(2));
  const about = first.endsWith(':') && isList ? list.join('; ') : headOf(body);
  return { kind, role: null, text: about === '' ? subject : `${subject}: ${about}` };
}

/** Whether a thread has just failed because a request in it was not answered in time. */
function hasTimedOut({ threads }: Memory, state: MailState, id: ThreadId): boolean {
  const thread = state.threads.get(id);
  return thread?.state === 'failed' && threads.get(id) !== 'failed' && thread.reason?.code === 'E_TIMEOUT';
}

function threadLines(
  before: Memory,
  state: MailState,
  reported: IsReported,
  money: (cost: Cost) => string,
): Change[] {
  return [...state.threads.values()].flatMap((thread): Change[] => {
    const was = before.threads.get(thread.id) ?? 'open';
    if (was === thread.state || thread.state === 'open') return [];
    if (thread.state !== 'closed' && reported(thread.id, thread.reason?.text ?? '')) return [];
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
