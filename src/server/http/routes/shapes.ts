import * as z from 'zod';
import type { Moment } from '../../../kernel/times.ts';
import { standings } from '../../../documents/standing.ts';
import { momentHelp, momentOf } from '../../../mail/questions/moment.ts';

/** An id or the end of one, or a name. What it names is looked up; it is never a path. */
const word = z.string().regex(/^[\w-]{1,100}$/);

export const byId = z.strictObject({ id: word });
export const byRole = z.strictObject({ role: word });
export const byTurn = z.strictObject({ id: z.string().regex(/^t\d{1,10}$/) });
/** A role, a turn, an id, or `<run>/<step>`. */
export const byTarget = z.strictObject({
  target: z.string().regex(/^[\w-]{1,100}(?:\/[^\p{Cc}]{1,500})?$/u),
});

/** A body without content. */
export const nothing = z.strictObject({});

export const workflows = '/api/v1/workflows';
/** The id or name of a workflow, or its file in workflows/: in an address with `%2F`. */
export const byWorkflow = z.strictObject({ id: z.string().regex(/^[^\p{Cc}]{1,500}$/u) });
/** A definition may be larger than other bodies, in bytes. */
export const definitionBytes = 4 * 1024 * 1024;

/** The key of the query of what has a past. */
export const past = {
  at: z.string().optional().describe(`As it was then: ${momentHelp}`),
};

/** The keys of the query of lists of threads and of runs. */
export const filters = {
  q: z.string().max(200).optional().describe('Words of what is listed: all of them'),
  standing: z.enum(standings).optional().describe('What a person does about it'),
  order: z.literal('standing').optional().describe('What needs a person first, what is done last'),
};

/** The moment that a query asks for; null: now. */
export function momentIn({ at }: { readonly at?: string | undefined }, now: number): Moment | null {
  return at === undefined ? null : momentOf(at, now, '`at`');
}
