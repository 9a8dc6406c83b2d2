import type { WorkersSettings } from '../../config/config.ts';
import { MailroomError } from '../../kernel/errors.ts';
import { ownValue } from '../../kernel/own.ts';
import { originOf, remoteProblem, withoutPassword } from '../../git/travel.ts';
import { isQueueUrl } from '../../queue/engine.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** What both sides need to reach each other. */
export interface WorkersAccess {
  readonly url: string;
  readonly key: string;
  /** The address of the git repository that all hosts can reach. */
  readonly git: string;
  /** Whether that is the remote `origin`. */
  readonly isOrigin: boolean;
  /** Milliseconds. */
  readonly lease: number;
}

/** Of a worker whose own mailroom.yaml says nothing of workers. */
export const defaultWorkers: WorkersSettings = { queue: null, git: null, lease: 120_000 };

const leastKey = 32;

/** `queue`: an address that precedes that of the settings. Throws `E_USAGE` for what is missing. */
export async function workersAccess(
  root: string,
  settings: WorkersSettings,
  { environment, queue = null }: { readonly environment: Environment; readonly queue?: string | null },
): Promise<WorkersAccess> {
  const url = queue ?? urlOf(settings, environment);
  if (!isQueueUrl(url))
    throw new MailroomError(
      'E_USAGE',
      'the address of the queue must begin with redis://, rediss:// or postgres://, and be a whole one',
      'set it as `workers.queue` in mailroom.yaml, as MAILROOM_QUEUE, or with `--queue`',
    );
  const git = settings.git ?? (await originOf(root));
  if (git === null)
    throw new MailroomError(
      'E_USAGE',
      `${root} has no git remote that all hosts can reach`,
      'name one as `workers.git` in mailroom.yaml, or add it: git remote add origin <address>',
    );
  return { url, key: keyOf(environment), git, isOrigin: settings.git === null, lease: settings.lease };
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
function urlOf({ queue }: WorkersSettings, environment: Environment): string {
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

function keyOf({ MAILROOM_WORKER_KEY: key = '' }: Environment): string {
  if (key.length >= leastKey) return key;
  const problem = key === '' ? 'is not set' : `has fewer than ${String(leastKey)} characters`;
  throw new MailroomError(
    'E_USAGE',
    `MAILROOM_WORKER_KEY ${problem}: it signs what goes through the queue`,
    'make one with `openssl rand -hex 32`, and set the same on all hosts of the project',
  );
}
