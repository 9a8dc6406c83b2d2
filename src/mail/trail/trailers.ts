import type { MailEvent, TurnResult } from '../machine/event.ts';
import type { Message } from '../format/message.ts';
import type { Projection, Turn } from '../machine/state.ts';
import type { FindMessage } from './subject.ts';
import { oneLine } from '../../kernel/one-line.ts';

const longest = 200;

type Trailer = readonly [string, string];

/**
 * `Message-Id` (one for each message of the commit), `Thread`, `In-Reply-To`, `Commit` (the work
 * that the sent messages are about), `Landed` (the branch that it came onto, and the
 * commit there), then of a turn `Turn`, `Provider`, `Model`, `Exit`, `Duration`
 * (of its last invocation), `Cost-USD` and `Tokens` (of all invocations), `Session` (only where it
 * was lost), `Reported` (changes during the turn that it was not permitted to make, and what is
 * wrong with its report of usage), and `Seq`.
 * Omits unknown values, but an unknown price is `unpriced`. Every value is one line.
 */
export function trailersOf(
  n: number,
  event: MailEvent,
  projections: readonly Projection[],
  turn: Turn | null,
  mail: FindMessage,
): Trailer[] {
  const messages = messagesOf(event, projections, mail);
  const ids = event.type === 'refused' ? [event.id] : [];
  const threads = [...threadOf(event, turn), ...messages.map(({ thread }) => thread)];
  const trailers: Trailer[] = [
    ...named('Message-Id', [...ids, ...messages.map(({ id }) => id)]),
    ...named('Thread', threads),
    ...named(
      'In-Reply-To',
      messages.map(({ inReplyTo }) => inReplyTo ?? ''),
    ),
    ...named('Commit', workOf(event)),
    ...named('Landed', landedBy(event)),
    ...(turn === null ? [] : turnTrailers(turn)),
    ['Seq', String(n)],
  ];
  return trailers;
}

function named(name: string, values: readonly string[]): Trailer[] {
  const lines = values.map((value) => oneLine(value, longest)).filter((line) => line !== '');
  return [...new Set(lines)].map((line) => [name, line]);
}

/** The messages of a commit: the sent ones, or else all that moved, including notices. */
function messagesOf(event: MailEvent, projections: readonly Projection[], mail: FindMessage): Message[] {
  if (event.type === 'accepted') return [event.sent.message];
  if (event.type === 'committed') return event.sent.map(({ message }) => message);
  const asked = 'ask' in event ? mail(event.ask.request) : undefined;
  const moved = projections.flatMap((projection) => (projection.kind === 'copy' ? [projection.message] : []));
  // A notice in place of an answer is the delivered message; its In-Reply-To names the request.
  const about = event.type === 'proceeded' ? [event.notice] : asked === undefined ? [] : [asked];
  return [...new Map([...about, ...moved].map((message) => [message.id, message])).values()];
}

function workOf(event: MailEvent): string[] {
  return event.type === 'committed' ? event.sent.flatMap(({ message }) => message.work?.commit ?? []) : [];
}

/** `main 1f0c…`: the branch, and its commit since. */
function landedBy(event: MailEvent): string[] {
  const sent = event.type === 'committed' ? event.sent : [];
  return sent.flatMap(({ message: { work } }) =>
    work?.landed == null ? [] : `${work.landed.branch} ${work.landed.commit}`,
  );
}

function threadOf(event: MailEvent, turn: Turn | null): string[] {
  if (turn !== null) return [turn.thread];
  return event.type === 'thread-failed' || event.type === 'quieted' ? [event.thread] : [];
}

function turnTrailers(turn: Turn): Trailer[] {
  const result: TurnResult | null = 'result' in turn.phase ? turn.phase.result : turn.lastResult;
  const seconds = result === null ? '' : `${(result.durationMs / 1000).toFixed(1)}s`;
  return [
    ...named('Turn', [turn.id]),
    ...named('Provider', [turn.provider]),
    ...named('Model', [result?.model ?? '']),
    ...named('Exit', [String(result?.exit ?? '')]),
    ...named('Duration', [seconds]),
    ...named('Cost-USD', [price(turn)]),
    ...named('Tokens', [tokens(turn, result)]),
    ...named('Session', [
      turn.lastFailure?.code === 'E_SESSION' ? 'gone; replaced by the history of the thread' : '',
    ]),
    ...named('Reported', result?.reports ?? []),
  ];
}

/**
 * With a launch not settled yet, or settled at its reservation, the sum would be a guess: then it
 * is omitted.
 */
function price({ reserved, cost }: Turn): string {
  if (reserved || cost.unpriced > 0) return 'unpriced';
  return cost.usd.toFixed(6).replace(/\.?0+$/, '');
}

function tokens({ reserved, cost }: Turn, result: TurnResult | null): string {
  return reserved || result === null || result.usage.tokens === null ? '' : String(cost.tokens);
}
