import type { Mailboxes } from '../mailboxes/mailboxes.ts';
import type { RoleName } from '../../kernel/ids.ts';
import type { Box } from '../format/boxes.ts';

/** The names in the boxes. */
export type Listing = Pick<Mailboxes, 'list'>;

/** Lists each box at most once; for a single look, which ends before anything can change. */
export function listedOnce(mailboxes: Listing): Listing {
  const known = new Map<string, string[] | null>();
  return {
    list: (role: RoleName, box: Box) => {
      const key = `${role}/${box}`;
      const before = known.get(key);
      if (before !== undefined) return before;
      const names = mailboxes.list(role, box);
      known.set(key, names);
      return names;
    },
  };
}
