import type { Diagnostic } from '../../kernel/diagnostic.ts';
import { git, whyGitFailed } from '../../git/git.ts';
import type { Protocol } from '../../mail/format/protocol.ts';

/**
 * Why no git worktree can be made for the threads of this protocol; null: it can, or needs none.
 */
export async function workspaceProblem(
  root: string,
  { workspace }: Pick<Protocol, 'workspace'>,
): Promise<Diagnostic | null> {
  if (workspace.kind !== 'worktree') return null;
  const error = (message: string, hint: string): Diagnostic => ({
    code: 'E_WORKSPACE',
    severity: 'error',
    message: `\`workspace: worktree\` ${message}`,
    place: null,
    hint,
  });
  const inside = await git(['rev-parse', '--is-inside-work-tree'], { cwd: root });
  if (inside.error !== null) return error(`needs git: ${inside.error}`, 'install git');
  if (inside.exitCode !== 0 && inside.stderr.includes('not a git repository'))
    return error(
      `needs a git repository, and ${root} is in none`,
      "`git init && git add --all && git commit --message 'Start'` makes one",
    );
  if (inside.exitCode !== 0)
    return error(`cannot be used: ${whyGitFailed(inside)}`, '`git status` must work here');
  const head = await git(['rev-parse', '--verify', '--quiet', 'HEAD^{commit}'], { cwd: root });
  if (head.exitCode === 0) return null;
  return error(
    'needs a commit, and the repository has none',
    "`git add --all && git commit --message 'Start'` makes one",
  );
}

/** The branches that messages of this protocol land on, and the repository does not have. */
export async function missingBranches(
  root: string,
  { types }: Pick<Protocol, 'types'>,
): Promise<ReadonlySet<string>> {
  const named = new Set([...types.values()].flatMap(({ lands }) => lands?.branch ?? []));
  const looked = [...named].map(async (branch) => {
    const found = await git(['show-ref', '--verify', '--quiet', `refs/heads/${branch}`], { cwd: root });
    return found.exitCode === 0 ? [] : [branch];
  });
  return new Set((await Promise.all(looked)).flat());
}
