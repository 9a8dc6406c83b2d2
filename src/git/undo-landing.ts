import { firstOf } from '../kernel/enumerate.ts';
import { MailroomError } from '../kernel/errors.ts';
import { shortCommit } from '../kernel/ids.ts';
import { Checkout, pathsOf } from './checkout.ts';
import { Intent } from './land-work.ts';
import { swapLanding, type Swap } from './landing-swap.ts';
import { GitProblem, Refs } from './refs.ts';

/** Work that has landed. */
export interface LandedWork {
  /** Without `refs/heads/`. */
  readonly branch: string;
  /** The commit of the branch since. */
  readonly commit: string;
  /** The commit of the branch before; null: what a run's refs say, or the first parent. */
  readonly before: string | null;
  /** What it was, in a few words. */
  readonly title: string;
}

/** More often a branch does not move while one commit is made. */
const mostMoves = 10;
const person = { name: 'user', email: 'user@mailroom' };

/**
 * Takes back what a landing brought onto its branch, by one more commit there; later work stays.
 * Returns the commit. Throws `E_REFUSED`, and has changed nothing then. After a crash the same call
 * finishes what was begun.
 */
export async function undoLanding(project: string, landed: LandedWork): Promise<string> {
  try {
    const refs = new Refs(project);
    const files = new Checkout(project);
    const { branch, commit } = landed;
    const begun = new Intent(refs, `undo/${commit}`);
    const last = await begun.read(commit);
    const isDone = last !== null && (await move(project, { branch, ...last }, true));
    if (isDone) return await begun.forget().then(() => last.result);
    for (let moves = 0; moves < mostMoves; moves += 1) {
      const onto = await refs.find(`refs/heads/${branch}`);
      const prepared = await prepare(refs, files, onto, landed);
      await begun.note({ commit, ...prepared });
      if (!(await move(project, { branch, ...prepared }))) continue;
      await begun.forget();
      return prepared.result;
    }
    throw new GitProblem(`\`${landed.branch}\` moves all the time`);
  } catch (error) {
    if (!(error instanceof GitProblem)) throw error;
    throw new MailroomError('E_REFUSED', `the landing is not undone: ${error.message}`);
  }
}

/** False: somebody else has moved the branch. */
async function move(project: string, swap: Swap, settles = false): Promise<boolean> {
  const swapped = await swapLanding(project, swap, settles);
  if (swapped.is === 'blocked') throw new GitProblem(swapped.problem);
  return swapped.is === 'landed';
}

async function prepare(refs: Refs, files: Checkout, onto: string | null, landed: LandedWork) {
  const { branch, commit, title } = landed;
  if (onto === null) throw new GitProblem(`there is no branch \`${branch}\``);
  const [there] = await refs.findAll([commit]);
  if (there == null || !(await refs.contains(onto, commit)))
    throw new GitProblem(`\`${branch}\` does not contain ${shortCommit(commit)} any more`);
  const first = await refs.object(`${commit}^1`);
  const before = landed.before ?? first;
  // A landing by rebase may be several commits, merges among them.
  const byHand =
    before === first
      ? `git revert -m 1 ${shortCommit(commit)}`
      : `git diff --binary ${shortCommit(before)} ${shortCommit(commit)} | git apply --reverse --3way`;
  // With the landing as the only parent of both sides, git merges what came since with its reverse.
  const [ours, theirs] = await Promise.all(
    [onto, before].map((at) => refs.commit(`${at}^{tree}`, [commit], { text: '', author: person })),
  );
  const merged = await files.merge(ours!, theirs!);
  if (merged.conflicts.length > 0)
    throw new GitProblem(
      `later work on \`${branch}\` has changed ${firstOf(pathsOf(merged))}; by hand: ` +
        `\`${byHand}\`, and resolve the conflicts`,
    );
  if (merged.tree === (await refs.object(`${onto}^{tree}`)))
    throw new GitProblem(`nothing of it is left on \`${branch}\``);
  const text = `Undo: ${title}\n\nThis takes back ${commit}, which landed on ${shortCommit(before)}.\n`;
  return { onto, result: await refs.commit(merged.tree, [onto], { text, author: person }) };
}

/** Whether `undoLanding` made everything that a branch got between two of its commits. */
export async function isUndone(project: string, from: string, to: string): Promise<boolean> {
  const refs = new Refs(project);
  if (!(await refs.contains(to, from))) return false;
  const made = await refs.ask(['log', '--first-parent', '--format=%ae %s', `${from}..${to}`, '--']);
  return made.split('\n').every((each) => each === '' || each.startsWith(`${person.email} Undo: `));
}

/** Where a branch was before a run landed there; null: the run's refs do not say. */
export async function beforeLanding(project: string, run: string, commit: string): Promise<string | null> {
  const refs = new Refs(project);
  const list = await refs.ask([
    'for-each-ref',
    '--format=%(refname) %(objectname)',
    `refs/mailroom/landing/${run}/`,
  ]);
  const named = list.split('\n').find((line) => line.endsWith(`/result ${commit}`));
  return named === undefined ? null : refs.find(named.replace(/\/result .*$/, '/onto'));
}
