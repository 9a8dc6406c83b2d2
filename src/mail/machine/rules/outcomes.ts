import { pause, type Backoff } from '../../../kernel/backoff.ts';
import { mostLimits, restUntil, tooManyLimits } from '../../../kernel/usage-limits.ts';
import type { Fact, Sent } from '../event.ts';
import type { Protocol } from '../../format/protocol.ts';
import type { MailState, Phase, Turn } from '../state.ts';
import { lineage } from '../fold/work.ts';
import { judge, type CheckOf } from './judge.ts';
import { landedDelivery, queuedLanding } from './landing.ts';
import { abandonFact, conflictedFact, failThreadFact } from './notices.ts';
import { isHeld, occupies, type Slots } from './slots.ts';
import { freeAgain } from './fallback.ts';
import { checkedOf, leavingOf, withWork } from './work.ts';
import type { ThreadId } from '../../../kernel/ids.ts';
import type { CheckedWork, Leaving } from '../../../kernel/work.ts';

type In<P extends Phase['is']> = Turn & { readonly phase: Extract<Phase, { is: P }> };

function isIn<P extends Phase['is']>(turn: Turn, phase: P): turn is In<P> {
  return turn.phase.is === phase;
}

/** Its output is wrong, or its work cannot land. */
type Correctable = In<'returned'> | In<'refused'>;

export interface TurnChecks {
  readonly turn: Turn;
  readonly checks: readonly CheckOf[];
  /** The commit that the gates check and its messages carry; null: none is made. */
  readonly leaving: Leaving | null;
  /** What the gates run on in the checkout of its role; null: its role has none. */
  readonly work: CheckedWork | null;
}

/**
 * The facts for turns whose invocation is over, and the gates to run first. `judged`: deadlines
 * until then have passed.
 */
export function outcomes(
  state: MailState,
  protocol: Protocol,
  slots: Slots,
  now: number,
  judged = now,
): { facts: Fact[]; checks: TurnChecks[] } {
  const facts: Fact[] = [];
  const checks: TurnChecks[] = [];
  const wrong: { turn: Correctable; problems: readonly string[] }[] = [];
  for (const turn of state.turns.values()) {
    if (isIn(turn, 'failed')) facts.push(...afterFailure(state, protocol, turn, now));
    if ((isIn(turn, 'pending') || isIn(turn, 'asking')) && !protocol.roles.has(turn.role))
      facts.push(homeless(state, turn));
    else if (isIn(turn, 'asking')) facts.push(...whileAsking(state, turn, judged));
    if (isIn(turn, 'landing')) facts.push(...oneOrNone(landedDelivery(state, protocol, turn)));
    if (isIn(turn, 'refused')) wrong.push({ turn, problems: turn.phase.problems });
    if (!isIn(turn, 'returned')) continue;
    const judgement = judge(state, protocol, turn);
    const problems = judgement.ok ? (turn.phase.checks ?? []) : judgement.problems;
    if (problems.length > 0) wrong.push({ turn, problems });
    else if (judgement.ok) {
      const due = checksOf(state, protocol, turn, judgement);
      if (due !== null && !isChecked(turn, due)) {
        checks.push(due);
        slots.works(turn.thread);
      } else {
        facts.push(delivery(state, protocol, turn, judgement.sent));
        // The bounds of sub-threads that others open, and of launches, count these.
        if (judgement.sent.some(({ opens }) => opens !== null)) return { facts, checks };
      }
    }
  }
  const failing = new Set<ThreadId>();
  for (const { turn, problems } of wrong) {
    if (failing.size > 0 && lineage(state, turn.thread).some(({ id }) => failing.has(id))) continue;
    const next = correct(state, protocol, slots, turn, problems);
    for (const fact of next) if (fact.type === 'thread-failed') failing.add(fact.thread);
    facts.push(...next);
  }
  return { facts, checks };
}

/** What to check before the messages of a turn leave; null: nothing. */
function checksOf(
  state: MailState,
  protocol: Protocol,
  turn: Turn,
  { sent, checks }: Pick<TurnChecks, 'checks'> & { readonly sent: readonly Sent[] },
): TurnChecks | null {
  const isMerged = checks.some(({ check }) => check.kind === 'run' && check.on === 'merged');
  const work = checkedOf(state, turn, isMerged);
  const leaving = leavingOf(state, protocol, turn, sent, work?.others ?? []);
  return checks.length > 0 || leaving !== null ? { turn, checks, leaving, work } : null;
}

/** Other roles may have sent work since the gates ran. */
function isChecked({ phase }: In<'returned'>, due: TurnChecks): boolean {
  return phase.checks !== null && metBy(due).every((commit) => phase.met.includes(commit));
}

/** The commits of other roles that the gates of a turn take into account. */
export function metBy({ leaving, work }: Pick<TurnChecks, 'leaving' | 'work'>): string[] {
  return [...new Set([...(leaving?.meets ?? []), ...(work?.others ?? [])].map(({ commit }) => commit))];
}

/** The delivery of what a turn sends, or first a place in the queue of what lands. */
function delivery(state: MailState, protocol: Protocol, turn: Turn, sent: readonly Sent[]): Fact {
  const queued = queuedLanding(state, protocol, turn, sent);
  return queued ?? { type: 'committed', turn: turn.id, sent: withWork(turn, sent) };
}

function oneOrNone(fact: Fact | null): Fact[] {
  return fact === null ? [] : [fact];
}

/** A turn whose question was not answered in time, or whose thread had ended before it asked. */
function whileAsking(state: MailState, turn: In<'asking'>, judged: number): Fact[] {
  const { until, answer } = turn.phase;
  if (state.threads.get(turn.thread)?.state !== 'open') {
    const text = 'its thread ended before a person could be asked';
    return [abandonFact(state, turn, { code: 'E_CANCELLED', text })];
  }
  return answer === null && until !== null && until <= judged ? [{ type: 'unanswered', turn: turn.id }] : [];
}

/** A turn whose role is no longer in the protocol can never run again. */
function homeless(state: MailState, turn: Turn): Fact {
  const text = `the protocol has no role \`${turn.role}\` any more`;
  return abandonFact(state, turn, { code: 'E_UNKNOWN_NAME', text });
}

/** Rounds after a question to a person, or for further work, are not corrections. */
function correctionsOf({ round, merges, attempt, decided }: Turn): number {
  return round - merges - decided.filter((one) => one.attempt === attempt).length;
}

/**
 * Returns the reasons to the author for correction, within the limits of corrections and budget.
 * Conflicts with further work do not count: the turn did not cause them.
 */
function correct(
  state: MailState,
  protocol: Protocol,
  slots: Slots,
  turn: Correctable,
  problems: readonly string[],
): Fact[] {
  const role = protocol.roles.get(turn.role);
  const text = `what the turn wrote breaks the protocol: ${problems.join('; ')}`;
  if (role === undefined || correctionsOf(turn) >= turn.corrections) {
    return [abandonFact(state, turn, { code: 'E_FORBIDDEN', text })];
  }
  const { thread, holds, budget } = turn;
  const launch = { role, thread, holds, budget, turn };
  const hasSlot = occupies(turn);
  const verdict = hasSlot ? slots.afford(launch) : slots.verdict(launch);
  if (isHeld(verdict)) return [];
  if (verdict === 'now') {
    if (hasSlot) slots.reserve(thread, budget);
    else slots.take(launch);
    slots.works(thread);
    return [{ type: 'corrected', turn: turn.id, problems }];
  }
  const open = state.threads.get(thread)?.state === 'open';
  return [open ? failThreadFact(state, thread, verdict, text) : abandonFact(state, turn, verdict)];
}

function afterFailure(state: MailState, protocol: Protocol, turn: In<'failed'>, now: number): Fact[] {
  const { phase, id, provider } = turn;
  // In an ended thread running processes finish, and none starts.
  if (state.threads.get(turn.thread)?.state !== 'open') return [abandonFact(state, turn, phase.reason)];
  if (phase.class === 'RETRYABLE_RATE_LIMIT') {
    if (turn.limits >= mostLimits) {
      const { code, text } = phase.reason;
      return [abandonFact(state, turn, { code, text: tooManyLimits(text) })];
    }
    const isAlone = (protocol.roles.get(turn.role)?.fallback ?? []).length === 0;
    // The limit is that of one login: its worker leaves such turns to workers with another one.
    if (turn.host !== null && isAlone)
      return [{ type: 'requeued', turn: id, notBefore: now, counted: false }];
    const until = restUntil(phase.until, turn.limits, now);
    const role = protocol.roles.get(turn.role) ?? { provider, fallback: [] };
    const notBefore = freeAgain(state, role, { provider, until }, now);
    return [
      { type: 'parked', provider, until },
      { type: 'requeued', turn: id, notBefore, counted: false },
    ];
  }
  if (phase.reason.code === 'E_CONFLICT')
    return [conflictedFact(state, turn, phase.reason, phase.class === 'NON_RETRYABLE' ? 'person' : 'role')];
  // The session is lost, so the prompt of the next attempt includes the thread's history.
  if (phase.reason.code === 'E_SESSION')
    return [{ type: 'requeued', turn: id, notBefore: now, counted: false }];
  if (phase.class === 'RETRYABLE_TRANSIENT' && turn.failures < turn.retries)
    return [
      {
        type: 'requeued',
        turn: id,
        notBefore: now + pause(backoff, turn.failures + 1, `${id}/${String(turn.attempt)}`),
        counted: true,
      },
    ];
  return [abandonFact(state, turn, phase.reason)];
}

/** How long a turn waits before its next attempt. */
const backoff: Backoff = { base: 1_000, factor: 2, cap: 30_000, jitter: true };
