import { expect, it } from 'vitest';
import { followedRequests, runRequest } from '../../../src/extensions/nip/executions.ts';
import type { NostrEvent } from '../../../src/extensions/nip/letters/nostr-event.ts';
import { MemoryDisk } from '../../support/memory-disk.ts';
import { EventLog } from '../../../src/extensions/nip/nostr/event-log.ts';
import { createRun } from '../../../src/workflow/files/run-folders.ts';
import { step, workflow } from '../../workflow/files/samples.ts';
import { runJournal } from '../../support/run-journal.ts';

function request(what: string): NostrEvent {
  const [id, pubkey, sig] = ['a'.repeat(64), 'b'.repeat(64), 'c'.repeat(128)];
  return { id, pubkey, sig, kind: 5920, created_at: 1, tags: [], content: what };
}

it('follows a request again whose run never began, and none whose run did, whatever was killed in between', () => {
  const disk = new MemoryDisk(() => 1);
  const card = {
    workflow: 'one',
    workspace: '/w',
    source: null,
    startedBy: 'up',
    person: null,
    startedAt: 1,
  } as const;
  for (const run of ['lost', 'begun']) {
    new EventLog(disk, run).append([request(run)]);
    createRun(disk, { ...card, run }, workflow(step('make')));
  }
  const journal = runJournal(disk, 'begun');
  journal.read();
  journal.append([{ at: 1, type: 'cancelled', by: 'ada', command: null }]);
  journal.sync();
  journal.close();
  expect(followedRequests(disk)).toEqual([request('begun')]);

  runRequest(disk, request('removed')).begun();
  expect(followedRequests(disk)).toEqual([request('removed'), request('begun')]);
});
