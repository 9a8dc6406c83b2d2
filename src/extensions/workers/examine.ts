import metadata from '../../../package.json' with { type: 'json' };
import { counted } from '../../kernel/enumerate.ts';
import { MailroomError } from '../../kernel/errors.ts';
import type { NamedWorker } from './letters/worker.ts';
import type { Finding } from '../../kernel/finding.ts';
import type { Configured } from '../../project/definition/hooks.ts';
import { wrongClocks } from './clocks.ts';
import { findWorkers } from './list.ts';
import { sharedProblem, workersAccess, type WorkersAccess } from './settings.ts';

interface Here {
  /** Of the program. */
  readonly version: string;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

const thisHost: Here = { version: metadata.version, now: Date.now };

/** What keeps turns from workers, as this host sees it: the controller's, or that of a worker. */
export async function examineWorkers(project: Configured, here = thisHost): Promise<Finding[]> {
  try {
    const access = await workersAccess(project, 'either');
    const { root } = project.disk;
    const [shared, queue] = await Promise.all([repository(root, access), workers(access, here)]);
    return [...shared, ...queue];
  } catch (error) {
    return [problemOf(error)];
  }
}

async function repository(root: string, access: WorkersAccess): Promise<Finding[]> {
  const text = await sharedProblem(root, access);
  return text === null ? [] : [{ topic: 'workers', state: 'problem', text }];
}

async function workers(access: WorkersAccess, here: Here): Promise<Finding[]> {
  try {
    const all = await findWorkers(access);
    const { known, foreign } = all;
    const running = known.filter(({ state }) => state !== 'silent');
    const { host } = new URL(access.url);
    const found = `${counted(running.length + foreign.length, 'worker')} in the queue at ${host}`;
    const advice = '; start one on each host: mailroom worker --roles <roles>';
    const first: Finding =
      running.length + foreign.length === 0
        ? { topic: 'workers', state: 'warning', text: `${found}${advice}` }
        : { topic: 'workers', state: 'ok', text: found };
    const clocks = wrongClocks(all, access.lease, here.now());
    return [
      first,
      ...foreign.map((worker) => otherVersion(worker, here)),
      ...running.flatMap((worker) => (worker.version === here.version ? [] : [otherVersion(worker, here)])),
      ...[...clocks.values()].map((text): Finding => ({ topic: 'workers', state: 'warning', text })),
    ];
  } catch (error) {
    return [problemOf(error)];
  }
}

function nameOf({ id, host }: NamedWorker): string {
  return `the worker ${id} on ${host}`;
}

function otherVersion(worker: NamedWorker, here: Here): Finding {
  const { version } = worker;
  // Two builds of one version may differ while it is being developed.
  const its = version === here.version ? `another build of version ${version}` : `version ${version}`;
  return {
    topic: 'workers',
    state: 'problem',
    text: `${nameOf(worker)} runs ${its} of Mailroom, and this host version ${here.version}: it refuses all turns; install the same version on all hosts`,
  };
}

function problemOf(error: unknown): Finding {
  if (!(error instanceof MailroomError)) throw error;
  const { message, hint } = error;
  const text = hint === null ? message : `${message}; ${hint}`;
  return { topic: 'workers', state: 'problem', text };
}
