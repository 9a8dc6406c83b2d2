import { join } from 'node:path';
import { QueuedAgents } from '../../../src/extensions/workers/controller/queued-agents.ts';
import { QueuedNotes, queuedFolder } from '../../../src/extensions/workers/controller/queued-notes.ts';
import { GitTravel, type Travel } from '../../../src/extensions/workers/travel.ts';
import { Begun } from '../../../src/extensions/workers/worker/begun.ts';
import type { HeldTurn, Workplace } from '../../../src/extensions/workers/worker/held-turn.ts';
import { eventsOf, Worker } from '../../../src/extensions/workers/worker/worker.ts';
import { RealDisk } from '../../../src/disk/real-disk.ts';
import { TurnFolders } from '../../../src/mail/mailboxes/turn-folders.ts';
import { maskOf } from '../../../src/process/output/mask.ts';
import { gitIn } from '../../git/roles-at-work.ts';
import { processes, role, runsAgents, type OpenRunner } from '../../host/runner/agent-runner.ts';
import { freshMark, temporaryFolder } from '../../process/support.ts';
import { controllerKeys, workerKeys } from './credentials.ts';
import { MemoryQueue } from './memory-queue.ts';

const clocks = { now: Date.now, elapsed: () => performance.now() };

/** Where a worker runs its turns, which stand in `turns`. */
function workplaceIn(root: string, mark: string, travel: Travel, turns: Map<string, HeldTurn>): Workplace {
  return {
    root,
    worker: { host: 'builder', id: 'builder.w1', login: 'builder' },
    version: 'test',
    labels: [],
    travel,
    credentials: workerKeys('builder'),
    begun: new Begun(),
    runner: () => processes(root, mark, eventsOf(turns)),
    forbids: () => null,
    variables: () => ({}),
    folders: new TurnFolders(new RealDisk(root)),
    mask: () => maskOf([]),
    maskFile: () => {},
    parking: { list: () => new Map(), park: () => {} },
    tools: null,
    ...clocks,
  };
}

/** A worker in a clone of its own, with a queue in memory between. */
const onAWorker: OpenRunner = (root, events) => {
  const shared = join(temporaryFolder(), 'shared.git');
  gitIn(root, 'clone', '-q', '--bare', root, shared);
  const clone = join(temporaryFolder(), 'clone');
  gitIn(root, 'clone', '-q', shared, clone);
  const mark = freshMark();
  const travelOf = (at: string) => new GitTravel({ project: at, git: shared, isOrigin: false, secrets: [] });
  const queue = new MemoryQueue(Date.now);
  // As each queue does: what was asked for lately is asked for again.
  const sides = new Set<() => void>();
  const ticking = setInterval(() => sides.forEach((side) => side()), 50);
  const following = (onChange: () => void) => {
    sides.add(onChange);
    return { onChange };
  };
  let ids = 0;
  const agents = new QueuedAgents(
    {
      version: 'test',
      notes: new QueuedNotes(new RealDisk(root), queuedFolder),
      travel: travelOf(root),
      credentials: controllerKeys,
      patience: 10_000,
      newId: () => `${String((ids += 1)).padStart(8, '0')}-id`,
      ...clocks,
    },
    events,
    (onChange) => queue.queue(following(onChange)),
  );
  const turns = new Map<string, HeldTurn>();
  const at = workplaceIn(clone, mark, travelOf(clone), turns);
  const taking = { roles: [role], labels: [], lease: 60_000 };
  const limits = { ...taking, steps: [], login: 'builder', slots: 2, say: () => {} };
  const worker = new Worker(at, limits, turns, (onChange) =>
    queue.source({ ...taking, ...following(onChange) }),
  );
  const running = worker.run();
  const close = async () => {
    worker.end('stop');
    await running;
    clearInterval(ticking);
    await agents.close();
  };
  return { runner: agents, mark, close };
};

runsAgents('on a worker', onAWorker);
