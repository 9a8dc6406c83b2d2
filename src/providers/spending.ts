import type { JsonObject } from '../core/json.ts';
import type { Usage } from '../core/mail/event.ts';
import type { Budget } from '../core/mail/protocol.ts';
import type { CommandLine } from '../core/ports.ts';
import { objectIn } from './events.ts';

/** Adds up what the events of one run say of its use; an event that says nothing of it changes nothing. */
export interface Counter {
  add(event: JsonObject): void;
  readonly usage: Usage;
}

/** A longer line is none of those that tell what was used; it is passed over. */
const longestLine = 1024 * 1024;

/** Part of a command line: whether more than the budget is spent, as far as the program has told. */
export function spending(budget: Budget | null, counter: Counter): Pick<CommandLine, 'overspent'> {
  if (budget === null) return {};
  let line = '';
  const take = (output: string): void => {
    const [first = '', ...rest] = output.split('\n');
    line = line.length > longestLine ? line : line + first;
    for (const next of rest) {
      const event = line.length > longestLine ? null : objectIn(line);
      if (event !== null) counter.add(event);
      line = next;
    }
  };
  return {
    overspent(output) {
      take(output);
      const { usd, tokens } = counter.usage;
      return more(tokens, budget.tokens) || more(usd, budget.usd);
    },
  };
}

function more(used: number | null, limit: number | null): boolean {
  return used !== null && limit !== null && used > limit;
}
