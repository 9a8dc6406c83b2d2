import type { Reason } from '../../kernel/errors.ts';
import { addCost, settled } from '../../kernel/money.ts';
import type { ThreadId } from '../../kernel/ids.ts';
import type { TurnId } from '../../letters/target.ts';
import type { MailEvent } from '../../mail/machine/event.ts';
import type { MailState, Thread, Turn } from '../../mail/machine/state.ts';
import { stepOf } from '../../mail/machine/step.ts';
import { agentAttributes, spanIdOf, traceIdOf, type TraceSpan } from './span.ts';
import metadata from '../../../package.json' with { type: 'json' };
import type { MailFollower } from '../../project/definition/hooks.ts';

type Of<Type extends MailEvent['type']> = Extract<MailEvent, { type: Type }>;

/** Where the spans of a thread belong: those of a step to the trace of its run. */
interface Place {
  readonly trace: string;
  readonly parent: string | null;
}

/** Follows the mail of one host, and makes the spans of what ends: attempts, turns and threads. */
class MailSpans {
  readonly #turns = new Map<TurnId, Turn>();
  /** When the running attempt of a turn was launched. */
  readonly #launched = new Map<TurnId, number>();
  readonly #threads = new Map<ThreadId, Thread & Place>();

  /** The spans of what has ended by these events, which are in the state. */
  spans(events: readonly MailEvent[], state: MailState): TraceSpan[] {
    this.remember(state);
    const attempts = events.flatMap((event) => this.#attempt(event) ?? []);
    const reasons = new Map(
      events.flatMap((event) => (event.type === 'abandoned' ? [[event.turn, event.reason] as const] : [])),
    );
    const at = events.at(-1)?.at ?? state.now;
    const turns = [...this.#turns.values()].flatMap((turn) =>
      state.turns.has(turn.id) ? [] : this.#turn(turn, isCommitted(events, turn.id), reasons, at),
    );
    const threads = [...this.#threads.values()].flatMap((thread) => this.#thread(thread, state, at) ?? []);
    return [...attempts, ...turns, ...threads];
  }

  /** Takes what is under way; at the start of a host, before its first event. */
  remember(state: MailState): void {
    for (const turn of state.turns.values()) {
      this.#turns.set(turn.id, turn);
      if (turn.phase.is === 'active' && turn.phase.launched !== null && !this.#launched.has(turn.id))
        this.#launched.set(turn.id, turn.phase.since);
    }
    for (const thread of state.threads.values())
      if (thread.state === 'open') this.#threads.set(thread.id, { ...thread, ...placeOf(state, thread.id) });
  }

  #attempt(event: MailEvent): TraceSpan | null {
    switch (event.type) {
      case 'launched':
        this.#launched.set(event.turn, event.at);
        return null;
      case 'returned':
        return this.#ended(event, event.result, null);
      case 'attempt-failed':
        return this.#ended(event, { usage: event.usage, model: null }, event.reason);
      case 'stopped':
        return this.#ended(event, null, { code: 'E_CANCELLED', text: 'it was stopped' });
      default:
        return null;
    }
  }

  #ended(
    { turn: id, attempt, round, at }: Of<'returned' | 'attempt-failed' | 'stopped'>,
    result: Parameters<typeof agentAttributes>[2] | null,
    failed: Reason | null,
  ): TraceSpan | null {
    const turn = this.#turns.get(id);
    const from = this.#launched.get(id);
    this.#launched.delete(id);
    if (turn === undefined || from === undefined) return null;
    // Only a turn that is over is not remembered again, with what the state says.
    if (result !== null)
      this.#turns.set(id, { ...turn, cost: addCost(turn.cost, settled(result.usage, turn.budget)) });
    const { role, provider, thread } = turn;
    return {
      trace: this.#placeOf(thread).trace,
      id: spanIdOf(thread, id, attempt, round),
      parent: spanIdOf(thread, id),
      name: `invoke_agent ${role}`,
      from,
      to: at,
      failed,
      attributes: {
        ...named(turn),
        'mailroom.attempt': attempt,
        'mailroom.round': round,
        ...(result !== null && agentAttributes(provider, role, result)),
      },
    };
  }

  #turn(turn: Turn, isDone: boolean, reasons: ReadonlyMap<TurnId, Reason>, to: number): TraceSpan {
    const { id, role, thread, claimedAt, cost } = turn;
    this.#turns.delete(id);
    const cancelled = { code: 'E_CANCELLED', text: 'the turn was cancelled' } as const;
    return {
      trace: this.#placeOf(thread).trace,
      id: spanIdOf(thread, id),
      parent: spanIdOf(thread),
      name: `turn ${role}`,
      from: claimedAt,
      to,
      failed: isDone ? null : (reasons.get(id) ?? cancelled),
      attributes: { ...named(turn), 'mailroom.tokens': cost.tokens, 'mailroom.cost.usd': cost.usd },
    };
  }

  /** Null: it is open. */
  #thread(known: Thread & Place, state: MailState, to: number): TraceSpan | null {
    const thread = state.threads.get(known.id) ?? known;
    if (thread.state === 'open' && state.threads.has(known.id)) return null;
    this.#threads.delete(known.id);
    const { id, opened, reason, cost, turns } = thread;
    const failed = thread.state === 'failed' ? reason : null;
    return {
      trace: known.trace,
      id: spanIdOf(id),
      parent: known.parent,
      name: 'thread',
      from: opened,
      to,
      failed,
      attributes: {
        'mailroom.thread': id,
        'mailroom.state': thread.state,
        'mailroom.turns': turns,
        'mailroom.tokens': cost.tokens,
        'mailroom.cost.usd': cost.usd,
      },
    };
  }

  #placeOf(thread: ThreadId): Place {
    return this.#threads.get(thread) ?? { trace: traceIdOf(thread), parent: null };
  }
}

function isCommitted(events: readonly MailEvent[], turn: TurnId): boolean {
  return events.some((event) => event.type === 'committed' && event.turn === turn);
}

function placeOf(state: MailState, thread: ThreadId): Place {
  const { run, step } = stepOf(state, thread)?.message.fields ?? {};
  if (typeof run !== 'string') return { trace: traceIdOf(thread), parent: null };
  return { trace: traceIdOf(run), parent: spanIdOf(run, typeof step === 'string' ? step : '') };
}

function named({ id, role, thread }: Turn): Readonly<Record<string, string>> {
  return { 'mailroom.thread': thread, 'mailroom.turn': id, 'mailroom.role': role };
}

/** Follows the mail of a host, and sends its spans. */
export async function followMail(
  environment: Readonly<Record<string, string | undefined>>,
): Promise<MailFollower> {
  const { OtlpTracer } = await import('./otlp.ts');
  const tracer = new OtlpTracer(environment, metadata.version);
  const spans = new MailSpans();
  return {
    remember: (state) => spans.remember(state),
    take: (events, state) => tracer.send(spans.spans(events, state)),
    get problem() {
      return tracer.problem;
    },
    flush: () => tracer.flush(),
  };
}
