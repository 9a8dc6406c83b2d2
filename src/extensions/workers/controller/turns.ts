import { randomUUID } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import metadata from '../../../../package.json' with { type: 'json' };
import type { Disk } from '../../../disk/disk.ts';
import { MailroomError } from '../../../kernel/errors.ts';
import type { SeenWorker } from '../../../letters/seen-workers.ts';
import { seenFile } from '../../../mail/questions/seen-workers.ts';
import { WrongClocks } from '../clocks.ts';
import { findWorkers } from '../list.ts';
import { sharedProblem, workersAccess } from '../settings.ts';
import type { OtherHosts } from '../../../project/definition/hooks.ts';
import { QueueRunner } from './queue-runner.ts';
import { queuedFolder, QueuedNotes } from './queued-notes.ts';
import { keptFor } from '../remote-turn.ts';
import { GitTravel } from '../travel.ts';
import { projectSecrets } from '../../../workflow/host/secrets.ts';

/** Between two looks at the workers, in milliseconds. */
const lookEvery = 2_000;
/** When the file is written at the latest although nothing has happened, in milliseconds. */
const writeEvery = 30_000;

/** The runner of a project with roles on workers. */
export const openTurns: OtherHosts['turns'] = async (project, { local, events, since, wake }) => {
  const { disk, protocol } = project;
  const access = await workersAccess(project, 'controller');
  const { url, git, isOrigin, credentials, lease } = access;
  const { openQueue } = await import('../queue/bull.ts');
  const elapsed = () => performance.now();
  const clocks = new WrongClocks();
  const foreign: string[] = [];
  const list = async () => {
    const found = await findWorkers(access);
    runner.noticed([...clocks.look(found, lease, Date.now()), ...foreign.slice(-3)]);
    return found.known;
  };
  const watch = new WorkersWatch({ disk, since, list, elapsed });
  const roles = [...protocol.roles.values()].flatMap(({ name, on }) => (on === undefined ? [] : [name]));
  const options = {
    local,
    credentials,
    version: metadata.version,
    notes: new QueuedNotes(disk, queuedFolder),
    travel: new GitTravel({ project: disk.root, git, isOrigin, secrets: projectSecrets(disk) }),
    patience: lease,
    newId: randomUUID,
    now: Date.now,
    elapsed,
  };
  const runner = new QueueRunner(options, events, (onChange) =>
    openQueue({
      url,
      name: credentials.project,
      roles,
      lease: keptFor(lease),
      onForeign: (problem) => foreign.push(problem),
      onChange: () => {
        onChange();
        watch.look();
        wake();
      },
    }),
  );
  const lookForProblem = async () => {
    const problem = await sharedProblem(disk.root, access);
    if (problem === null) return;
    runner.asked(problem);
    wake();
  };
  void lookForProblem();
  return runner;
};

interface WatchOptions {
  readonly disk: Disk;
  /** Since when the controller has held the project, in milliseconds since 1970. */
  readonly since: number;
  /** Rejects with a `MailroomError` if the queue cannot be reached. */
  readonly list: () => Promise<readonly SeenWorker[]>;
  /** Milliseconds since some time, on a clock that is never set. */
  readonly elapsed: () => number;
}

/** Publishes what the workers of a project say of themselves, for `status`, `why` and the page. */
export class WorkersWatch {
  readonly #options: WatchOptions;
  #isLooking = false;
  #looked = -Infinity;
  #written = -Infinity;
  #published = '';

  constructor(options: WatchOptions) {
    this.#options = options;
  }

  /** Call it now and then. The queue and the disk may refuse: the next look tries again. */
  look(): void {
    const { elapsed } = this.#options;
    if (this.#isLooking || elapsed() - this.#looked < lookEvery) return;
    this.#isLooking = true;
    this.#looked = elapsed();
    this.#publish()
      .catch((error: unknown) => {
        if (!(error instanceof MailroomError)) throw error;
      })
      .finally(() => (this.#isLooking = false));
  }

  async #publish(): Promise<void> {
    const { disk, since, list, elapsed } = this.#options;
    const workers = await list();
    // While a worker is there, only the time of its last sign of life changes.
    const said = JSON.stringify(
      workers.map((one) => (one.state === 'silent' ? one : { ...one, lastSeen: '' })),
    );
    if (said === this.#published && elapsed() - this.#written < writeEvery) return;
    disk.write(seenFile, `${JSON.stringify({ since, workers })}\n`);
    this.#published = said;
    this.#written = elapsed();
  }
}
