import { expect, it } from 'vitest';
import { WorkersWatch } from '../../../src/extensions/workers/controller/turns.ts';
import { seenWorkers } from '../../../src/mail/questions/seen-workers.ts';
import { MailroomError } from '../../../src/kernel/errors.ts';
import type { SeenWorker } from '../../../src/letters/seen-workers.ts';
import { MemoryDisk } from '../../support/memory-disk.ts';

const file = '.mailroom/workers.json';
const takes = { roles: [], steps: [], labels: [], slots: 1, running: [], parked: [] };
const times = { since: '2026-01-01T00:00:00Z', lastSeen: '2026-01-01T00:00:00Z' };

function worker(id: string): SeenWorker {
  return { host: 'far', id, login: 'far', version: 'test', ...takes, ...times, state: 'active' };
}

/** What `status` shows of the workers while a controller runs that holds the project since then. */
function shown(disk: MemoryDisk, since: number): readonly string[] | null {
  const holder = { since, host: 'here', pid: 1 } as ReturnType<Parameters<typeof seenWorkers>[0]['holder']>;
  const read = (path: string) => disk.read(path, 1e6)?.toString() ?? null;
  const files = { read } as Parameters<typeof seenWorkers>[0]['files'];
  return seenWorkers({ files, holder: () => holder })?.map(({ id }) => id) ?? null;
}

/** A controller that looks at its workers once. */
async function looked(disk: MemoryDisk, since: number, ids: readonly string[]): Promise<void> {
  const list = () => Promise.resolve(ids.map(worker));
  new WorkersWatch({ disk, since, list, elapsed: () => 0 }).look();
  await new Promise((resolve) => setImmediate(resolve));
}

it.each<['before' | 'after', readonly string[] | null]>([
  ['before', ['one']],
  ['after', ['one', 'two']],
])(
  'is whole where a controller is killed %s it writes what it has seen, and the next one writes it again',
  async (moment, left) => {
    const disk = new MemoryDisk();
    await looked(disk, 1, ['one']);
    disk.before = ({ path }) => {
      if (path === file && moment === 'before') throw new MailroomError('E_DISK', 'killed');
    };
    await looked(disk, 1, ['one', 'two']);
    disk.before = null;
    disk.crash();
    expect(shown(disk, 1)).toEqual(left);
    // Of a controller that is gone nothing is shown.
    expect(shown(disk, 2)).toBeNull();
    await looked(disk, 2, ['two']);
    expect(shown(disk, 2)).toEqual(['two']);
  },
);

it.each(['', '{"since":1,"wor', '{"since":1,"workers":[{"id":"one"}]}', '[]'])(
  'shows nothing of %j in its place, which the next look replaces',
  async (placed) => {
    const disk = new MemoryDisk();
    await looked(disk, 1, ['one']);
    disk.plant(file, placed);
    expect(shown(disk, 1)).toBeNull();
    await looked(disk, 1, ['one']);
    expect(shown(disk, 1)).toEqual(['one']);
  },
);
