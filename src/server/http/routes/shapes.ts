import * as z from 'zod';

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
