import process from 'node:process';
import { buildEnvironment } from '../process/sandbox/environment.ts';
import { repositoryFrom } from '../process/sandbox/repository-place.ts';
import { ownPath, ownProgram } from '../process/sandbox/own-programs.ts';
import { run, type RunResult } from '../process/run.ts';

export interface GitOptions {
  readonly cwd: string;
  readonly stdin?: string | Buffer;
  /** Added to the environment, e.g. GIT_INDEX_FILE. */
  readonly env?: Readonly<Record<string, string>>;
  /** Author and committer; without it git looks for the person's own. */
  readonly identity?: {
    readonly name: string;
    readonly email: string;
    /** Milliseconds since 1970. */ readonly at?: number;
  };
  readonly timeoutMs?: number;
  readonly maxOutputBytes?: number;
  /** Of standard output; see `run`. */
  readonly encoding?: 'utf8' | 'latin1';
  /** Whether objects that a partial clone lacks are fetched; the repository may name the command that does it. */
  readonly fetches?: boolean;
}

/** Nothing that a repository or a person has configured to run beside git runs. */
const QUIET = ['core.hooksPath=/dev/null', 'core.fsmonitor=false', 'commit.gpgSign=false', 'gc.auto=0'];

/**
 * Runs git with messages in English and with nothing of the host's own GIT_* variables, which would point it at another
 * repository, nor with the configuration of another one that `.git/commondir` names. Never rejects; a missing git is
 * `spawn-failed` with exit code 127.
 */
export function git(args: readonly string[], options: GitOptions): Promise<RunResult> {
  const { identity, fetches = false, ...rest } = options;
  const env = {
    ...(fetches ? {} : { GIT_ALLOW_PROTOCOL: '' }),
    ...(rest.env?.['GIT_DIR'] === undefined ? placeOf(rest.cwd) : {}),
    ...rest.env,
  };
  return run([ownProgram('git'), ...QUIET.flatMap((setting) => ['-c', setting]), ...args], {
    ...rest,
    // What git runs itself, such as a filter, is looked for where no agent writes, too.
    env: gitEnvironment(process.env, identity, { PATH: ownPath(), ...env }),
  });
}

/** Said outright, git does not read it from a file that an agent can make. */
function placeOf(cwd: string): Readonly<Record<string, string>> {
  const repository = repositoryFrom(cwd);
  return repository === null ? {} : { GIT_COMMON_DIR: repository };
}

/** What git gets of the host's environment, plus the identity and the variables given. */
export function gitEnvironment(
  from: Readonly<Record<string, string | undefined>>,
  identity: GitOptions['identity'],
  set: Readonly<Record<string, string>>,
): Record<string, string> {
  const named = identity === undefined ? {} : identityVariables(identity);
  const fixed = { LC_ALL: 'C', GIT_TERMINAL_PROMPT: '0', GIT_OPTIONAL_LOCKS: '0' };
  return buildEnvironment({ from, inherit: ['XDG_CONFIG_HOME'], set: { ...fixed, ...named, ...set } });
}

function identityVariables({ name, email, at }: NonNullable<GitOptions['identity']>): Record<string, string> {
  const date = at === undefined ? null : `@${Math.floor(at / 1000)} +0000`;
  return Object.fromEntries(
    ['AUTHOR', 'COMMITTER'].flatMap((who) => [
      [`GIT_${who}_NAME`, name],
      [`GIT_${who}_EMAIL`, email],
      ...(date === null ? [] : [[`GIT_${who}_DATE`, date]]),
    ]),
  ) as Record<string, string>;
}
