import { credible, implausible } from '../kernel/money.ts';
import { hasDoubledKey } from '../kernel/json.ts';
import type { Session } from '../kernel/cost.ts';
import { unreadableUsage } from './prices.ts';
import type { Exit, Invocation, Outcome, Provider } from './provider.ts';

/** A provider that believes no report of usage that cannot be true. */
export function withCredibleUsage(provider: Provider): Provider {
  return {
    ...provider,
    read(exit, invocation, now) {
      const outcome = provider.read(exit, invocation, now);
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
