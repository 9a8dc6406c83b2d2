import { stagedFiles } from '../mailboxes/turn-folders.ts';
import type { BoxNames, Mailboxes } from '../mailboxes/mailboxes.ts';
import { namesOf, type Expected } from './project.ts';
import type { RoleName } from '../../kernel/ids.ts';
import type { Box } from '../format/boxes.ts';

/** What lies in a box, as far as one look takes it. Null: the folder is missing. */
export type Listing = (role: RoleName, box: Box) => BoxNames | null;

/**
 * How many files of a box are listed, besides the waiting mail in an inbox. The others are listed
 * once these have gone.
 */
const mostListed: Readonly<Record<Box, number>> = { inbox: 10_000, outbox: stagedFiles };

/** Lists each box at most once; for a single look, which ends before anything can change. */
export function listedOnce(mailboxes: Pick<Mailboxes, 'look'>, expected: Expected): Listing {
  const known = new Map<string, BoxNames | null>();
  return (role, box) => {
    const key = `${role}/${box}`;
    const before = known.get(key);
    if (before !== undefined) return before;
    const ours = box === 'inbox' ? namesOf(expected, role).size : 0;
    const names = mailboxes.look(role, box, mostListed[box] + ours);
    known.set(key, names);
    return names;
  };
}
