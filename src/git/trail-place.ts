import { createHash } from 'node:crypto';
import { whyGitFailed } from './git.ts';
import { trailBranch } from '../kernel/work.ts';
import type { RunResult } from '../process/run.ts';

/** Where and how a project writes into the repository that it lies in. */
export interface TrailPlace {
  /** Without `refs/heads/`. */
  readonly branch: string;
  /** What people should know of the branch; null: it is the configured one. */
  readonly note: string | null;
  /** The project relative to the top of the working tree: empty, or ending in a slash. */
  readonly prefix: string;
  /**
   * Author and committer of the trail's commits. Contains the project's name, so that projects
   * whose trails share a branch do not mistake one another's numbers for their own.
   */
  readonly email: string;
  /** The ref of a batch until it is on the branch. */
  readonly importRef: string;
}

/**
 * Where the trail of a project is written to, or in one line why it has none. A project in a linked
 * working tree shares its settings with the other ones, so it has a branch of its own, and so has,
 * unless its settings name a branch, one in a folder below the top. A project that already wrote to
 * the branch `configured` keeps it. `git`: runs git in the folder of the project.
 */
export async function trailPlace(
  configured: string,
  git: (args: readonly string[]) => Promise<RunResult>,
): Promise<TrailPlace | string> {
  const valid = await git(['check-ref-format', `refs/heads/${configured}`]);
  if (valid.error !== null) return `no trail is written: ${valid.error}`;
  if (valid.exitCode !== 0)
    return `the trail is not written: ${JSON.stringify(configured)} is not a branch name`;
  const look = await git(['rev-parse', '--is-inside-work-tree', '--absolute-git-dir', '--show-prefix']);
  const [inside, folder = '', prefix = ''] = look.stdout.split('\n');
  if (look.exitCode !== 0 || inside !== 'true') return whyNoRepository(look);
  const worktree = /[\\/]worktrees[\\/]([^\\/]+)$/.exec(folder)?.[1];
  const plain = `${worktree === undefined ? '' : `${worktree}:`}${prefix}`;
  const name = encodeURIComponent(plain).replaceAll('%2F', '/');
  const place = {
    branch: configured,
    note: null,
    prefix,
    email: name === '' ? 'mailroom@localhost' : `mailroom+${name}@localhost`,
    importRef: `refs/mailroom/${createHash('sha256').update(name).digest('hex').slice(0, 16)}`,
  };
  const isShared = worktree !== undefined || (prefix !== '' && configured === trailBranch);
  if (!isShared) return place;
  const branch = `${configured}${endOf(worktree, prefix)}`;
  const written = ['rev-list', '--fixed-strings', `--author=<${place.email}>`, '--max-count=1'];
  const before = await git([...written, `refs/heads/${configured}`, '--']);
  if (before.stdout !== '') return place;
  const where = worktree === undefined ? 'the folder' : 'the working tree';
  const what = worktree === undefined ? prefix.slice(0, -1) : worktree;
  return {
    ...place,
    branch,
    note: `the trail is on the branch ${branch}: ${where} ${what} has one of its own`,
  };
}

/** `-worktree` and `.folder.folder`, which differs for every project of a repository. */
function endOf(worktree: string | undefined, prefix: string): string {
  const end = `${worktree === undefined ? '' : `-${worktree}`}${prefix && `.${prefix.slice(0, -1)}`}`;
  const parts = [worktree ?? 'main', ...prefix.split('/').slice(0, -1)];
  const isPlain = parts.every((part) => /^(?!lock$)[\w-]+$/.test(part)) && end.length <= 100;
  if (isPlain) return end.replaceAll('/', '.');
  const sum = createHash('sha256').update(end).digest('hex').slice(0, 8);
  const slug = end.slice(0, 100).replaceAll(/[^\w-]+/g, '-');
  return `${slug.replace(/-+$/, '')}-${sum}`;
}

function whyNoRepository(result: RunResult): string {
  const { error, stderr } = result;
  const why = error ?? distrust(result);
  if (why !== null) return `no trail is written: ${why}`;
  if (stderr === '' || stderr.includes('not a git repository')) {
    return 'no trail is written: this is not a git working tree; `git init` makes one, `trail: off` ends this hint';
  }
  return `no trail is written: ${whyGitFailed(result)}`;
}

/** Why git refuses the repository of another user, and what it wants to hear; null: it does not. */
export function distrust({ stderr }: RunResult): string | null {
  const [trust] = /git config --global --add safe\.directory .+/.exec(stderr) ?? [];
  return trust === undefined ? null : `git does not trust this folder's owner; \`${trust.trim()}\``;
}
