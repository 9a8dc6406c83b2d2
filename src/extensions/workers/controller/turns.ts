import { randomUUID } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import metadata from '../../../../package.json' with { type: 'json' };
import { WrongClocks } from '../clocks.ts';
import { findWorkers } from '../list.ts';
import { WorkersWatch } from './watch.ts';
import { sharedProblem, workersAccess } from '../settings.ts';
import type { OtherHosts } from '../../../project/definition/hooks.ts';
import { QueueRunner } from './queue-runner.ts';
import { queuedFolder, QueuedNotes } from './queued-notes.ts';
import { keptFor } from '../remote-turn.ts';
import { GitTravel } from '../travel.ts';
import { projectSecrets } from '../../../workflow/host/secrets.ts';

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
