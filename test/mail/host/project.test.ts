import { Mailboxes } from '../../../src/mail/mailboxes/mailboxes.ts';
import { formatMessage } from '../../../src/mail/format/read-message.ts';
import { expect, it, vi } from 'vitest';
import { fileName, type Message } from '../../../src/mail/format/message.ts';
import type { Delivery } from '../../../src/mail/machine/state.ts';
import { MemoryDisk } from '../../support/memory-disk.ts';
import { project, type Expected } from '../../../src/mail/host/project.ts';

const created = Date.UTC(2026, 0, 1);
const message: Message = {
  id: '01900000-0000-7000-8000-000000000001',
  type: 'ask',
  from: 'user',
  to: ['qa'],
  thread: '01900000-0000-7000-8000-000000000002',
  inReplyTo: null,
  subject: 'Words',
  created,
  work: null,
  attachments: [],
  fields: {},
  extra: {},
  body: 'Words\n',
};
const folders = ['inbox', 'processed', 'failed'] as const;

function projectionOf(delivery: Delivery, leavesFailed: boolean): Parameters<typeof project>[2] {
  return { kind: 'copy', message, role: 'qa', delivery, leavesFailed, since: 0 };
}

/** Where the copy of qa lies after these pictures of it were drawn. */
function placesAfter(...deliveries: readonly Delivery[]): string[] {
  const disk = new MemoryDisk(() => created);
  const mailboxes = new Mailboxes(disk);
  mailboxes.prepare(['qa']);
  const expected: Expected = new Map();
  for (const delivery of deliveries)
    project(mailboxes, expected, projectionOf(delivery, true), formatMessage);
  expect(disk.list('agents/qa/failed/2026-01') ?? []).toHaveLength(
    mailboxes.holds('qa', 'failed', fileName(message)) ? 2 : 0,
  );
  return folders.filter((folder) => mailboxes.holds('qa', folder, fileName(message)));
}

const failed: Delivery = { at: 'failed', reason: { code: 'E_TURN', text: 'trouble' } };

it.each([
  [{ at: 'inbox' }, ['inbox']],
  [{ at: 'processed' }, ['processed']],
  [{ at: 'withdrawn' }, []],
  [{ at: 'read' }, []],
] as const)('leaves nothing in failed/ when the next picture of a failed message is %o', (next, places) => {
  expect(placesAfter(failed)).toEqual(['failed']);
  expect(placesAfter(failed, next)).toEqual(places);
});

it('looks once at a waiting file, and not into failed/ for a message that was never there', () => {
  const disk = new MemoryDisk(() => created);
  const mailboxes = new Mailboxes(disk);
  mailboxes.prepare(['qa']);
  const look = vi.spyOn(disk, 'look');
  project(mailboxes, new Map(), projectionOf({ at: 'inbox' }, false), formatMessage);
  project(mailboxes, new Map(), projectionOf({ at: 'processed' }, false), formatMessage);
  const looked = look.mock.calls.map(([path]) => path);
  expect(looked.filter((path) => path.includes('/failed/'))).toEqual([]);
  // The reading before the move uses the look that found the file.
  expect(looked.filter((path) => path.includes('/inbox/'))).toHaveLength(1);
});
