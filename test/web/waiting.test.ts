import { describe, expect, it } from 'vitest';
import type { InboxItem } from '../../src/documents/inbox.ts';
import { entriesOf, itemNamed, nextAfter, reasonOf } from '../../src/web/waiting.ts';

function item(id: string, more: Partial<InboxItem> = {}): InboxItem {
  const none = { thread: null, thread_subject: null, turn: null, escalated_from: null, question: null };
  const open = { changes: null, before: [], run: null, since: null, deadline: null, on_timeout: null };
  const answer = { fields: {}, reply_types: [], command: '' };
  return {
    id,
    kind: 'request',
    from: 'qa',
    type: 'report',
    subject: id,
    ...none,
    ...open,
    ...answer,
    ...more,
  };
}

const notice = (id: string, subject: string) => item(id, { kind: 'notice', subject });
const items = [
  item('one'),
  notice('a', 'Quiet: the totals'),
  notice('b', 'Finished'),
  notice('c', 'Quiet: the cache'),
];

describe('the reason why something waits', () => {
  const id = '01a228ec-ac8f-71e2-b8c8-05d4107b5273';
  const why = {
    reason: 'user has not answered question …7b5273 of writer',
    code: 'waiting_for_user',
    cause: { record: id, at: '2026-11-29T20:00:00Z' },
    until: null,
    command: null,
  } as const;

  it('names a question by its subject, where it is in the inbox', () => {
    const asked = item(id, { subject: 'Which store, $& or disk?' });
    expect(reasonOf(why, [asked])).toBe(
      'user has not answered question “Which store, $& or disk?” of writer',
    );
    expect(reasonOf(why, [item(id, { subject: '' }), item('other')])).toBe(why.reason);
    expect(reasonOf({ ...why, cause: null }, [asked])).toBe(why.reason);
  });
});

describe('the rows of the inbox', () => {
  it('are one for alike notices', () => {
    const rows = entriesOf(items).map((entry) =>
      entry.is === 'one' ? entry.item.id : entry.items.map(({ id }) => id),
    );
    expect(rows).toEqual(['one', ['a', 'c'], 'b']);
  });

  it('are chosen one after the other, as they are shown', () => {
    const next = (id: string) =>
      nextAfter(
        items,
        items.find((each) => each.id === id)!,
      )?.id;
    expect(['one', 'a', 'c', 'b'].map(next)).toEqual(['a', 'c', 'b', 'c']);
    expect(nextAfter(items.slice(0, 1), item('one'))).toBeNull();
  });

  it('are those that need a person, after an answer', () => {
    const asked = [item('first'), item('middle'), item('last'), ...items.slice(1)];
    expect(nextAfter(asked, item('middle'))?.id).toBe('last');
    expect(nextAfter(asked, item('last'))?.id).toBe('middle');
  });

  it('are named by the whole id, or by its end', () => {
    const known = [item('0-t1/ship'), item('t1'), item('01a2-8c1d02/ship-it')];
    expect(itemNamed(known, 't1')?.id).toBe('t1');
    expect(itemNamed(known, '8c1d02/ship-it')?.id).toBe('01a2-8c1d02/ship-it');
    expect(itemNamed(known, 'ship')).toBeNull();
  });
});
