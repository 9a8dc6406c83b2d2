import { expect, it } from 'vitest';
import { followedRequests, keepRequest } from '../../src/app/nip/executions.ts';
import type { NostrEvent } from '../../src/core/nip/events.ts';
import { MemoryDisk } from '../../src/store/memory-disk.ts';
import { EventLog } from '../../src/store/nip/event-log.ts';
import { createRun, runJournal } from '../../src/store/runs/run-folders.ts';
import { step, workflow } from './samples.ts';

function request(what: string): NostrEvent {
  const [id, pubkey, sig] = ['a'.repeat(64), 'b'.repeat(64), 'c'.repeat(128)];
  return { id, pubkey, sig, kind: 5920, created_at: 1, tags: [], content: what };
}

it('follows a request again whose run never began, and none whose run did, whatever was killed in between', () => {
  const disk = new MemoryDisk(() => 1);
  const card = { workflow: 'one', workspace: '/w', source: null, startedBy: 'up', startedAt: 1 } as const;
  for (const run of ['lost', 'begun']) {
    new EventLog(disk, run).append([request(run)]);
    createRun(disk, { ...card, run }, workflow(step('make')));
  }
  const journal = runJournal(disk, 'begun');
  journal.read();
  journal.append([{ at: 1, type: 'cancelled', by: 'ada' }]);
  journal.sync();
  journal.close();
  expect(followedRequests(disk)).toEqual([request('begun')]);

  keepRequest(disk, request('removed'));
  expect(followedRequests(disk)).toEqual([request('removed'), request('begun')]);
});
