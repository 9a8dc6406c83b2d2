import { MailroomError } from '../../kernel/errors.ts';
import { endOfId } from '../../kernel/ids.ts';
import type { WaitingItem } from './inbox.ts';
import type { InboxItem } from '../../documents/inbox.ts';

/** Whether a word is a position in the inbox, not an id. */
export function isPosition(word: string): boolean {
  return word === 'last' || word.startsWith('@');
}

/** What people call the items that are answered. */
const answered: Partial<Record<InboxItem['kind'], string>> = { request: 'request', approval: 'gate' };

/**
 * The item that a word means: `@2`, the second of the list, or `last`, the newest of these kinds;
 * null: the only one of these kinds. Throws `E_TARGET` with the list if there is none or more than
 * one.
 */
export function pickItem(
  items: readonly WaitingItem[],
  kinds: readonly InboxItem['kind'][],
  word: string | null,
): WaitingItem {
  const fitting = items.filter(({ kind }) => kinds.includes(kind));
  const picked = itemAt(items, fitting, word);
  if (picked !== undefined && kinds.includes(picked.kind)) return picked;
  const words = kinds.flatMap((kind) => answered[kind] ?? []);
  const what = words.join(' or ');
  const [first] = fitting;
  if (first === undefined)
    throw new MailroomError(
      'E_TARGET',
      `no ${what} waits for an answer`,
      'list everything with `mailroom inbox`',
    );
  const list = fitting.map(
    (item) => `  ${wordsFor(item, items)}  ${item.from}: ${item.subject.replaceAll(/\s+/g, ' ')}`,
  );
  const problem =
    word === null
      ? `${String(fitting.length)} ${words.map((each) => `${each}s`).join(' or ')} wait`
      : `\`${word}\` is not a ${what} that waits`;
  const hint = `say which one, for example ${wordsFor(first, items)}`;
  throw new MailroomError('E_TARGET', [`${problem}:`, ...list].join('\n'), hint);
}

function itemAt(
  items: readonly WaitingItem[],
  fitting: readonly WaitingItem[],
  word: string | null,
): WaitingItem | undefined {
  if (word === null) return fitting.length === 1 ? fitting[0] : undefined;
  if (word !== 'last') return entryAt(items, word);
  return fitting.toSorted((a, b) => Date.parse(a.since ?? '') - Date.parse(b.since ?? '')).at(-1);
}

/** The entry of the inbox with a number, `@2`. */
export function entryAt(items: readonly WaitingItem[], word: string): WaitingItem | undefined {
  return /^@[1-9]\d*$/.test(word) ? items[Number(word.slice(1)) - 1] : undefined;
}

/** What names an item to a command. Gates have a name that is found without the inbox, too. */
function wordsFor({ run, id, kind }: WaitingItem, items: readonly WaitingItem[]): string {
  if ((kind === 'approval' || kind === 'blocked') && run === null) return id;
  const position = items.findIndex((item) => item.id === id) + 1;
  return run === null ? `@${String(position)}` : `${endOfId(run)} ${id.slice(run.length + 1)}`;
}
