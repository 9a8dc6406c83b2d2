import { shortId } from '../kernel/ids.ts';
import type { Explained } from '../documents/common.ts';
import type { InboxItem } from '../documents/inbox.ts';
import type { Standing } from '../documents/standing.ts';

/** A row of the inbox: an item, or notices that say the same. */
export type Entry =
  | { readonly is: 'one'; readonly item: InboxItem }
  | { readonly is: 'alike'; readonly items: readonly [InboxItem, ...InboxItem[]] };

/** The rows of the inbox in the order of its items; alike notices are one, at the first of them. */
export function entriesOf(items: readonly InboxItem[]): Entry[] {
  const alike = new Map<string, [InboxItem, ...InboxItem[]]>();
  for (const item of items) {
    if (item.kind !== 'notice') continue;
    const known = alike.get(likeness(item));
    if (known === undefined) alike.set(likeness(item), [item]);
    else known.push(item);
  }
  return items.flatMap((item): Entry[] => {
    const group = item.kind === 'notice' ? alike.get(likeness(item)) : undefined;
    if (group === undefined || group.length === 1) return [{ is: 'one', item }];
    return group[0] === item ? [{ is: 'alike', items: group }] : [];
  });
}

/** What alike notices have in common. */
function likeness({ from, type, subject }: InboxItem): string {
  return JSON.stringify([from, type, subject.split(':', 1)[0]]);
}

/**
 * The item that is chosen after this one is settled: after an answer the next that needs a person;
 * else the one below it, else the one above; null: none.
 */
export function nextAfter(items: readonly InboxItem[], settled: InboxItem): InboxItem | null {
  const inOrder = entriesOf(items).flatMap((entry) => (entry.is === 'one' ? [entry.item] : entry.items));
  const place = inOrder.findIndex(({ id }) => id === settled.id);
  const others = [...inOrder.slice(place + 1), ...inOrder.slice(0, Math.max(0, place)).toReversed()];
  const waiting = settled.kind === 'notice' ? undefined : others.find(({ kind }) => kind !== 'notice');
  return waiting ?? others[0] ?? null;
}

/** The fewest characters by which commands name an id. */
const shortest = 6;

/** The item that a part of an address names, whole or by the end of its id; null: none. */
export function itemNamed(items: readonly InboxItem[], name: string): InboxItem | null {
  const ends = ({ id }: InboxItem) => name.length >= shortest && id.endsWith(name);
  return items.find(({ id }) => id === name) ?? items.find(ends) ?? null;
}

/** Why something does not move; what it asks a person is named by its subject, not by its id. */
export function reasonOf({ reason, cause }: Explained, items: readonly InboxItem[]): string {
  const asked = items.find(({ id, kind }) => kind === 'request' && id === cause?.record);
  if (asked === undefined || asked.subject === '') return reason;
  return reason.replace(shortId(asked.id), () => `\u201c${asked.subject}\u201d`);
}

/** How an item that asks for something stands, in the words of the project's other documents. */
export function standingOf({ kind, type, deadline }: InboxItem): Standing {
  if (kind === 'notice') return { is: 'failed', word: 'failed, not retried', for: [], until: null };
  const what = kind === 'request' ? 'question' : type === 'landing' ? 'landing' : kind;
  return needsYou(what, deadline);
}

/** How something stands that a person has to decide. */
export function needsYou(what: string, until: string | null = null): Standing {
  return { is: 'needs you', word: `needs you: ${what}`, for: [], until };
}
