import { credible, implausible } from '../kernel/money.ts';
import { hasDoubledKey } from '../kernel/json.ts';
import type { Session } from '../kernel/cost.ts';
import { nothing, unreadableUsage } from './prices.ts';
import type { Exit, Invocation, Outcome, Provider } from './provider.ts';

/** Within this time a program that fails without any output has asked no model. */
const startMs = 2_000;

/**
 * Whether a launch died before it could use anything: its program was never started, or ended with
 * an error of its own within two seconds, and has printed nothing and reported no usage. Every
 * agent program prints an event before its first call of a model, and what it has printed no agent
 * takes back. A signal is not such an end: an agent can kill its program.
 */
function diedAtStart({ ended, code, stdout, stderr, durationMs }: Exit, outcome: Outcome): boolean {
  const { usd, tokens } = outcome.usage;
  if (usd !== null || tokens !== null || /^usage:\s*\{/im.test(stderr) || stdout.trim() !== '') return false;
  // Only a model's answer says so.
  if (outcome.is === 'later' && outcome.class === 'RETRYABLE_RATE_LIMIT') return false;
  if (ended === 'spawn-failed') return true;
  return ended === 'exited' && code !== null && code > 0 && code <= 128 && durationMs < startMs;
}

/**
 * A provider that believes no report of usage that cannot be true, and that charges nothing for a
 * launch that died at its start.
 */
export function withCredibleUsage(provider: Provider): Provider {
  return {
    ...provider,
    read(exit, invocation, now) {
      const outcome = provider.read(exit, invocation, now);
      if (diedAtStart(exit, outcome)) return { ...outcome, usage: nothing };
      const isDoubled = provider.said !== undefined && hasDoubledFigures(exit);
      return credibleOutcome(isDoubled ? { ...outcome, usage: unreadableUsage } : outcome, invocation);
    },
  };
}

/**
 * What a program, or a worker in its place, must not report: see `credible`. `host`: of the worker.
 */
export function credibleOutcome(
  outcome: Outcome,
  { budget, session, role }: Pick<Invocation, 'budget' | 'session' | 'role'>,
  host: string | null = null,
): Outcome {
  const problem = implausible(outcome.usage, budget);
  const told = outcome.session && credibleSession(outcome.session, session);
  if (problem === null) return { ...outcome, session: told };
  const agent = `the agent of \`${role}\`${host === null ? '' : ` on ${host}`}`;
  const words = `${agent} reported ${problem}: its report does not count, and it is unpriced`;
  const rest = { usage: credible(outcome.usage, budget), session: told };
  if (outcome.is === 'done') return { ...outcome, ...rest, warnings: [...(outcome.warnings ?? []), words] };
  return { ...outcome, ...rest, reason: { ...outcome.reason, text: `${outcome.reason.text}; ${words}` } };
}

/** A conversation with the total that it had before where the new one cannot be true. */
function credibleSession(told: Session, previous: Session | null): Session {
  if (implausible(told, null) === null) return told;
  return { ...told, usd: previous?.usd ?? 0, tokens: previous?.tokens ?? 0 };
}

/** Names of what agent programs report their usage by. */
const figures = /"\w*(?:usage|tokens|cost|stats)\w*"/i;

function hasDoubledFigures({ stdout }: Exit): boolean {
  return stdout.split('\n').some((line) => figures.test(line) && hasDoubledKey(line));
}
