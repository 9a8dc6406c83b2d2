import type { WorkersSettings } from '../../config/config.ts';
import { MailroomError } from '../../kernel/errors.ts';
import { ownValue } from '../../kernel/own.ts';
import type { Configured } from '../../project/definition/hooks.ts';
import { originOf, prefixOf, remoteProblem, withoutPassword } from '../../git/travel.ts';
import { controllerCredentials, invite, workerCredentials, type Credentials } from './queue/credentials.ts';

/** What both sides need to reach each other. */
export interface WorkersAccess {
  readonly url: string;
  readonly credentials: Credentials;
  /** The address of the git repository that all hosts can reach. */
  readonly git: string;
  /** Whether that is the remote `origin`. */
  readonly isOrigin: boolean;
  /** Milliseconds. */
  readonly lease: number;
}

/** Of a worker whose own mailroom.yaml says nothing of workers. */
const defaultWorkers: WorkersSettings = { queue: null, git: null, lease: 120_000 };

const leastKey = 32;

/** Whose key is needed: that of the controller, that of a worker, or either. */
type Side = 'controller' | 'worker' | 'either';

/** `queue`: an address that precedes that of the settings. Throws `E_USAGE` for what is missing. */
export async function workersAccess(
  project: Configured,
  side: Side,
  queue: string | null = null,
): Promise<WorkersAccess> {
  const settings = project.config.workers ?? defaultWorkers;
  const url = queue ?? urlOf(settings, project.environment);
  if (!/^rediss?:\/\/\S+$/.test(url) || !URL.canParse(url))
    throw new MailroomError(
      'E_USAGE',
      'the address of the queue must begin with redis:// or rediss:// (Redis or Valkey, not PostgreSQL), and be a whole one',
      'set it as `workers.queue` in mailroom.yaml, as MAILROOM_QUEUE, or with `--queue`',
    );
  const git = await sharedBy(project);
  const credentials = await credentialsOf(project, git, side);
  return { url, credentials, git, isOrigin: settings.git === null, lease: settings.lease };
}

/** A key for a worker of this name, made with that of the controller. Throws `E_USAGE`. */
export async function invitation(project: Configured, name: string): Promise<string> {
  return invite(await credentialsOf(project, await sharedBy(project), 'controller'), name);
}

async function sharedBy({ disk: { root }, config }: Configured): Promise<string> {
  const git = config.workers?.git ?? (await originOf(root));
  if (git !== null) return git;
  throw new MailroomError(
    'E_USAGE',
    `${root} has no git remote that all hosts can reach`,
    'name one as `workers.git` in mailroom.yaml, or add it: git remote add origin <address>',
  );
}

/** Why git cannot reach the shared repository, and what to try, without passwords; null: it can. */
export async function sharedProblem(
  root: string,
  { git }: Pick<WorkersAccess, 'git'>,
): Promise<string | null> {
  const problem = await remoteProblem(root, git);
  if (problem === null) return null;
  return `the shared repository cannot be reached: ${problem}; try: git ls-remote ${withoutPassword(git)}`;
}

/** `${env.NAME}` stands for the variable. */
function urlOf({ queue }: WorkersSettings, environment: Configured['environment']): string {
  const name = queue === null ? 'MAILROOM_QUEUE' : /^\$\{env\.(.*)\}$/.exec(queue)?.[1];
  if (name === undefined) return queue ?? '';
  const value = ownValue(environment, name) ?? '';
  if (value !== '') return value;
  throw new MailroomError(
    'E_USAGE',
    `the variable ${name} has no address of a queue`,
    `set it: export ${name}=redis://<host>:6379`,
  );
}

const invites = 'mailroom workers invite <name>, on the host of the controller';

async function credentialsOf(
  { disk, environment }: Configured,
  git: string,
  side: Side,
): Promise<Credentials> {
  const { MAILROOM_WORKER_KEY: key = '' } = environment;
  const worker = workerCredentials(key);
  if (worker !== null && side !== 'controller') return worker;
  if (worker !== null)
    throw new MailroomError(
      'E_USAGE',
      `MAILROOM_WORKER_KEY is the key of the worker \`${worker.admission?.name ?? ''}\`: it signs neither jobs nor orders`,
      'set the key of the project here, as on the host of the controller',
    );
  if (key.length < leastKey) {
    const problem = key === '' ? 'is not set' : `has fewer than ${String(leastKey)} characters`;
    const own = 'make one with `openssl rand -hex 32` on the host of the controller';
    throw new MailroomError(
      'E_USAGE',
      `MAILROOM_WORKER_KEY ${problem}: it signs what goes through the queue`,
      side === 'worker'
        ? `make a key for this worker: ${invites}`
        : `${own}, and a key for each worker: ${invites}`,
    );
  }
  if (side === 'worker')
    throw new MailroomError(
      'E_USAGE',
      'MAILROOM_WORKER_KEY is not the key of a worker: with that of the controller, this host could order all others',
      `make a key for this worker: ${invites}`,
    );
  return controllerCredentials(key, placeOf(git, await prefixOf(disk.root)));
}

/**
 * What distinguishes a project from others: its place in its repository, whose addresses on other
 * hosts are mostly the same here.
 */
export function placeOf(git: string, prefix: string): string {
  const address = git
    .replace(/^[a-z+]+:\/\//i, '')
    .replace(/^[^@/]*@/, '')
    .replace(/^([^/:]+):(?:\d+\/)?\/*/, '$1/')
    .replace(/(?:\.git)?\/*$/, '');
  return `${address}\n${prefix}`;
}
