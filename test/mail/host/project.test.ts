import { Mailboxes } from '../../../src/mail/mailboxes/mailboxes.ts';
import { formatMessage } from '../../../src/mail/format/read-message.ts';
import { expect, it } from 'vitest';
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

/** Where the copy of qa lies after these pictures of it were drawn. */
function placesAfter(...deliveries: readonly Delivery[]): string[] {
  const disk = new MemoryDisk(() => created);
  const mailboxes = new Mailboxes(disk);
  mailboxes.prepare(['qa']);
  const expected: Expected = new Map();
  for (const delivery of deliveries)
    project(mailboxes, expected, { kind: 'copy', message, role: 'qa', delivery, since: 0 }, formatMessage);
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
