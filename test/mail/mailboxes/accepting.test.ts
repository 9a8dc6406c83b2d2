import { expect, it } from 'vitest';
import { Mailboxes } from '../../../src/mail/mailboxes/mailboxes.ts';
import { MemoryDisk } from '../../support/memory-disk.ts';

const forged = '.mailroom/accepting/forged~user~outbox';
const problem = 'another program put it there while Mailroom was running';

it.each(['before', 'after'] as const)(
  'what another program puts among accepted files while it runs is put aside, %s it accepts one itself',
  (when) => {
    const disk = new MemoryDisk();
    const mailboxes = new Mailboxes(disk);
    if (when === 'before') disk.plant(forged, 'forged');
    disk.plant('agents/qa/inbox/x.md', 'one');
    mailboxes.accept({ role: 'qa', box: 'inbox', name: 'x.md' }, 'id');
    if (when === 'after') disk.plant(forged, 'forged');
    expect(mailboxes.accepting.all().map(({ id }) => id)).toEqual(['id']);
    expect(mailboxes.accepting.refused()).toEqual([
      { path: forged, name: 'forged~user~outbox', text: null, problem, others: 0 },
    ]);
    expect(mailboxes.accepting.refused()).toEqual([]);
    expect(disk.read('.mailroom/refused/forged~user~outbox', 100)?.toString()).toBe('forged');
    expect(mailboxes.accepting.all().map(({ id }) => id)).toEqual(['id']);
  },
);

it('what was there at the start is accepted: the last process was killed before it could record it', () => {
  const disk = new MemoryDisk();
  disk.plant('.mailroom/accepting/left~qa~inbox', 'left');
  const mailboxes = new Mailboxes(disk);
  expect(mailboxes.accepting.all().map(({ id }) => id)).toEqual(['left']);
  expect(mailboxes.accepting.refused()).toEqual([]);
});
