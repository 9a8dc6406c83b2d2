import { askState } from '../fold/asks.ts';
import type { Sent, Staged, TurnResult } from '../event.ts';
import type { Draft, Message } from '../../format/message.ts';
import {
  answerGoesTo,
  isHuman,
  peopleOf,
  typesFrom,
  type MessageType,
  type Protocol,
} from '../../format/protocol.ts';
import { admit } from '../rules/admit.ts';
import { judge } from '../rules/judge.ts';
import type { MailState, Turn } from '../state.ts';
import type { RoleName } from '../../../kernel/ids.ts';

/** One possible next event. */
export type Move =
  | { readonly by: 'turn'; readonly turn: Turn; readonly result: TurnResult; readonly sent: readonly Sent[] }
  | { readonly by: 'person'; readonly sent: readonly Sent[] };

/** All events happen at this time: deadlines lie ahead, and keep waits alive. */
export const exploredAt = 0;

/**
 * Everything that the protocol allows next: a turn ends in one of its ways, a person answers, or
 * starts a thread.
 */
export function* movesOf(state: MailState, protocol: Protocol, threads: number): Generator<Move> {
  for (const turn of state.turns.values())
    if (turn.phase.is === 'active')
      for (const drafts of endingsOf(state, protocol, turn)) yield* endOf(state, protocol, turn, drafts);
  for (const { message, role } of state.unread.values())
    for (const draft of answersTo(state, protocol, role, message))
      yield* spoken(state, protocol, role, draft);
  if (ownThreads(state) >= threads) return;
  for (const [person, draft] of startsOf(protocol)) yield* spoken(state, protocol, person, draft);
}

/** How many threads there are that no other opened. */
export function ownThreads(state: MailState): number {
  return [...state.threads.values()].filter(({ parent }) => parent === null).length;
}

function idOf(state: MailState, index: number): string {
  return `${String(state.events)}.${String(index)}`;
}

/** The turn ends with these drafts, if that is allowed. */
function* endOf(state: MailState, protocol: Protocol, turn: Turn, drafts: readonly Draft[]): Generator<Move> {
  const staged = drafts.map((draft, index): Staged => ({
    id: idOf(state, index),
    created: exploredAt,
    name: '',
    draft,
    problem: null,
    text: '',
  }));
  const result: TurnResult = { ...nothingElse, staged };
  const phase = { is: 'returned', since: exploredAt, result, checks: null, met: [], runs: 0 } as const;
  const judgement = judge(state, protocol, { ...turn, phase });
  if (judgement.ok && !judgement.sent.some((sent) => repeats(state, sent)))
    yield { by: 'turn', turn, result, sent: judgement.sent };
}

/**
 * True when an equal message, from the same sender and thread, still waits: who waits for whom does
 * not depend on their number, and without this the states would be infinitely many.
 */
function repeats(state: MailState, { message, answers, opens }: Sent): boolean {
  if (answers !== null) return false;
  const threads = opens ? (state.threads.get(opens.parent)?.children ?? []) : [message.thread];
  return message.to.some((role) =>
    threads.some((thread) =>
      [...(state.roles.get(role)?.inThread.get(thread) ?? [])].some((id) => {
        const waiting = state.mail.get(id)?.message;
        return waiting?.type === message.type && waiting.from === message.from;
      }),
    ),
  );
}

const nothingElse = {
  text: '',
  finalText: null,
  stepResult: null,
  reports: [],
  violations: [],
  usage: { usd: 0, tokens: 0 },
  session: null,
  model: null,
  exit: 0,
  durationMs: 0,
};

function* spoken(state: MailState, protocol: Protocol, role: RoleName, draft: Draft): Generator<Move> {
  const drop = { role, box: 'outbox', id: idOf(state, 0), created: exploredAt } as const;
  const addressed = admit(state, protocol, drop, draft);
  if ('sent' in addressed) yield { by: 'person', sent: [addressed.sent] };
}

/* ---------------------------------------------------------------- what may be written */

function draftOf(type: MessageType, to: readonly RoleName[], inReplyTo: string | null): Draft {
  const fields = Object.entries(type.fields).map(([name, field]) => [
    name,
    field.enum?.[0] ?? samples[field.type],
  ]);
  return {
    type: type.name,
    from: null,
    to,
    thread: null,
    inReplyTo,
    subject: null,
    attachments: [],
    fields: Object.fromEntries(fields) as Draft['fields'],
    extra: {},
    body: '',
    frontMatter: true,
  };
}

const samples = { string: 'x', number: 0, integer: 0, boolean: false, list: [], object: {} };

/**
 * The ways in which a turn can end. One that owes answers gives them (with any of the replies), or
 * sends a request; one that owes none sends one message, and none only where it can send none: in
 * any protocol a silent agent leaves others without work. Where there are joins, any two messages
 * can be sent together; two sub-threads can be opened together.
 */
function* endingsOf(state: MailState, protocol: Protocol, turn: Turn): Generator<Draft[]> {
  const replies = new Set([...protocol.types.values()].flatMap(({ reply }) => reply));
  const types = typesFrom(protocol, turn.role).filter(({ name }) => !replies.has(name));
  const requests = turn.mustAnswer ? [] : types.filter(({ reply }) => reply.length > 0);
  const asking = requests.flatMap((type) => ways(type, turn.role));
  const saying = types.filter(({ reply }) => reply.length === 0).flatMap((type) => ways(type, turn.role));
  const owed = turn.owes.filter((ask) => askState(state, ask)?.is === 'open').map(({ request }) => request);
  const answers = owed.length > 0 ? answersOf(state, protocol, [...new Set(owed)]) : [];
  yield* answers;
  for (const one of owed.length > 0 ? asking : [...saying, ...asking]) yield [one];
  if (hasJoins(protocol)) {
    for (const answer of answers) for (const one of saying) yield [...answer, one];
    yield* pairs(owed.length > 0 ? asking : [...saying, ...asking]);
  }
  for (const one of asking) if (protocol.types.get(one.type ?? '')?.opens != null) yield [one, one];
  if (saying.length + asking.length + answers.length === 0) yield [];
}

function hasJoins(protocol: Protocol): boolean {
  return [...protocol.roles.values()].some(({ expects }) =>
    expects.some(({ kind, types }) => kind === 'all' && types.length > 1),
  );
}

function* pairs(drafts: readonly Draft[]): Generator<Draft[]> {
  for (const [index, first] of drafts.entries())
    for (const second of drafts.slice(index + 1)) yield [first, second];
}

/** A message of a type to each of its recipients alone, and to all of them. */
function ways(type: MessageType, self: RoleName): Draft[] {
  const to = type.blocking === 'none' ? type.to : type.to.filter((name) => name !== self);
  if (type.toAll) return [draftOf(type, to, null)];
  const single = to.map((name) => draftOf(type, [name], null));
  return to.length > 1 ? [...single, draftOf(type, to, null)] : single;
}

/**
 * Answers to all that is owed: each with the first of its reply types, then each with the second, …
 */
function answersOf(state: MailState, protocol: Protocol, owed: readonly string[]): Draft[][] {
  const mails = owed.flatMap((id) => state.mail.get(id) ?? []);
  const most = Math.max(...mails.map(({ request }) => request?.replies.length ?? 0));
  return Array.from({ length: most }, (_, index) =>
    mails.flatMap(({ message, request }) => {
      const replies = request?.replies ?? [];
      const type = protocol.types.get(replies[Math.min(index, replies.length - 1)] ?? '');
      return type ? [draftOf(type, answerGoesTo(type, message.from), message.id)] : [];
    }),
  );
}

/** A person's possible answers to a message. */
function answersTo(state: MailState, protocol: Protocol, role: RoleName, message: Message): Draft[] {
  const request = state.mail.get(message.id)?.request;
  const open = [...(request?.asks.values() ?? [])].some(
    (ask) => ask.is === 'open' && ask.candidates.includes(role),
  );
  const types = open ? (request?.replies ?? []).flatMap((name) => protocol.types.get(name) ?? []) : [];
  return types.map((type) => draftOf(type, answerGoesTo(type, message.from), message.id));
}

/** How people can start threads: where several can in the same way, the first does. */
function startsOf(protocol: Protocol): (readonly [RoleName, Draft])[] {
  const starts = new Map<string, readonly [RoleName, Draft]>();
  for (const person of peopleOf(protocol))
    for (const draft of startsBy(protocol, person)) {
      const key = `${String(draft.type)} ${String(draft.to)}`;
      if (!starts.has(key)) starts.set(key, [person, draft]);
    }
  return [...starts.values()];
}

function startsBy(protocol: Protocol, person: RoleName): Draft[] {
  const replies = new Set([...protocol.types.values()].flatMap(({ reply }) => reply));
  return typesFrom(protocol, person)
    .filter(({ name }) => !replies.has(name))
    .flatMap((type) =>
      type.toAll
        ? [draftOf(type, type.to, null)]
        : type.to.filter((to) => !isHuman(protocol, to)).map((to) => draftOf(type, [to], null)),
    );
}
