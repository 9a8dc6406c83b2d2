import process from 'node:process';
import { programIsMissing } from '../kernel/passing.ts';
import { buildEnvironment } from '../process/sandbox/environment.ts';
import { repositoryFrom } from '../process/sandbox/repository-place.ts';
import { ownPath, ownProgram } from '../process/sandbox/own-programs.ts';
import { run, type RunResult } from '../process/run.ts';

export interface GitOptions {
  readonly cwd: string;
  readonly stdin?: string | Buffer;
  /** Added to the environment, e.g. GIT_INDEX_FILE. */
  readonly env?: Readonly<Record<string, string>>;
  /** Author and committer; without it git uses the user's identity. */
  readonly identity?: {
    readonly name: string;
    readonly email: string;
    /** Milliseconds since 1970. */ readonly at?: number;
  };
  readonly timeoutMs?: number;
  readonly maxOutputBytes?: number;
  /** The encoding of standard output; see `run`. */
  readonly encoding?: 'utf8' | 'latin1';
  /**
   * Whether git fetches objects that a partial clone lacks; the repository's configuration can name
   * the command that does so.
   */
  readonly fetches?: boolean;
}

/** Switches off the programs that a repository's or a user's configuration makes git run. */
const QUIET = [
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'commit.gpgSign=false',
  'gc.auto=0',
  // An agent could make git read other objects than a commit names.
  'core.useReplaceRefs=false',
];

/**
 * Runs git with messages in English. Leaves out the host's GIT_* variables, which would select
 * another repository, and the configuration of a repository that `.git/commondir` names. Never
 * rejects; a missing git is `spawn-failed` with exit code 127.
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
    // Programs that git runs, such as filters, must not come from folders that agents can write
    // either.
    env: gitEnvironment(process.env, identity, { PATH: ownPath(), ...env }),
  });
}

/** As the shell, or git itself, reports a filter whose program is not there. */
const missingProgram =
  /: (?:line )?\d+: (\S+): (?:command )?not found$|cannot run (\S+): No such file or directory$/m;

/**
 * Why git failed: the `fatal:` or `error:` line of its output, without the warnings and advice
 * around it.
 */
export function whyGitFailed({ error, ended, stderr, stdout }: RunResult): string {
  if (error !== null) return error;
  if (ended !== 'exited') return `ended by ${ended}`;
  const missing = missingProgram.exec(stderr);
  if (missing !== null) return `${programIsMissing} ${missing[1] ?? missing[2] ?? ''}`;
  // A new name each time would make one cause look like many.
  const said = `${stderr}\n${stdout}`.replaceAll(/\btmp_[a-z]+_\w+/g, 'tmp_…');
  const lines = said.trim().split('\n');
  return lines.find((line) => /^(?:fatal|error): /.test(line)) ?? lines[0] ?? '';
}

/** With an explicit value git does not read it from a file that an agent can make. */
function placeOf(cwd: string): Readonly<Record<string, string>> {
  const repository = repositoryFrom(cwd);
  return repository === null ? {} : { GIT_COMMON_DIR: repository };
}

/** The part of the host's environment that git receives, plus the given identity and variables. */
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
