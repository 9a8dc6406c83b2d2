import * as z from 'zod';
import { Refusal } from './problem.ts';
import type { DocumentAnswer } from './route.ts';

/** The keys of the query of every list. */
export const paging = {
  limit: z.coerce.number().int().min(1).max(1_000).default(1_000).describe('At most so many'),
  after: z.string().optional().describe('Continue behind this id'),
};

/** A part of a list, with a link to the next one (RFC 8288). */
export function listed<T>(
  all: readonly T[],
  idOf: (item: T) => string,
  { limit, after }: { readonly limit: number; readonly after?: string | undefined },
  url: URL,
): DocumentAnswer<T[]> {
  const from = after === undefined ? 0 : all.findIndex((item) => idOf(item) === after) + 1;
  if (after !== undefined && from === 0)
    throw new Refusal(404, 'E_TARGET', `the list has no \`${after}\``, { hint: 'leave `after` out' });
  const document = all.slice(from, from + limit);
  const last = document.at(-1);
  if (last === undefined || from + limit >= all.length) return { document };
  const next = new URL(url);
  next.searchParams.set('after', idOf(last));
  return { document, headers: { Link: `<${next.pathname}${next.search}>; rel="next"` } };
}
