import { randomUUID } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import metadata from '../../../package.json' with { type: 'json' };
import { WrongClocks } from '../../workers/clocks.ts';
import { findWorkers } from '../../workers/list.ts';
import { WorkersWatch } from '../../workers/seen.ts';
import { defaultWorkers, sharedProblem, workersAccess } from '../../workers/settings.ts';
import type { Wired } from '../../project/definition/definition.ts';
import type { Disk } from '../../disk/disk.ts';
import { QueueRunner } from '../../host/runner/queue-runner.ts';
import { queuedFolder, QueuedNotes } from '../../host/runner/queued-notes.ts';
import { keptFor } from '../../host/runner/remote-turn.ts';
import type { Runner, RunnerEvents } from '../../host/runner/runner.ts';
import { GitTravel } from '../../host/runner/travel.ts';
import { projectSecrets } from '../../workflow/host/secrets.ts';

export interface RemoteParts {
  /** Runs what runs on this host. */
  readonly local: Runner;
  readonly events: RunnerEvents;
  /** Since when this controller has held the project, in milliseconds since 1970. */
  readonly since: number;
  /** Makes the host look again. */
  readonly wake: () => void;
}

/** The runner of a project with roles on workers. Throws `E_USAGE` if it cannot reach them. */
export async function openRemote(
  disk: Disk,
  { config, protocol, environment }: Wired,
  { local, events, since, wake }: RemoteParts,
): Promise<QueueRunner> {
  const access = await workersAccess(disk.root, config.workers ?? defaultWorkers, {
    environment,
    side: 'controller',
  });
  const { url, git, isOrigin, credentials, lease } = access;
  const { openQueue } = await import('../../queue/bull.ts');
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
}
