import type { JsonObject } from '../kernel/json.ts';
import { credible } from '../kernel/money.ts';
import { eventsAsTheyCome } from './stream.ts';
import type { Budget, Usage } from '../kernel/cost.ts';
import type { CommandLine } from './provider.ts';

/** Adds up the usage that the events of one run report; other events change nothing. */
export interface Counter {
  add(event: JsonObject): void;
  readonly usage: Usage;
}

/** The bounds of a run, and how the program reports a step, if it does. */
interface Bounds {
  readonly budget: Budget | null;
  readonly maxSteps?: number | null;
  readonly isStep?: (event: JsonObject) => boolean;
}

/** Part of a command line: whether a run exceeds its bounds, according to the program's events. */
export function spending(
  { budget, maxSteps = null, isStep = () => false }: Bounds,
  counter: Counter,
): Pick<CommandLine, 'overspent'> {
  if (budget === null && maxSteps === null) return {};
  let steps = 0;
  const take = eventsAsTheyCome((event) => {
    counter.add(event);
    if (isStep(event)) steps += 1;
  });
  return {
    overspent(output) {
      take(output);
      const { usd, tokens } = credible(counter.usage, budget);
      if (more(steps, maxSteps)) return true;
      return budget !== null && (more(tokens, budget.tokens) || more(usd, budget.usd));
    },
  };
}

function more(used: number | null, limit: number | null): boolean {
  return used !== null && limit !== null && used > limit;
}
