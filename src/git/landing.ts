import type { LandingWay, RuleChanges } from '../kernel/work.ts';
import { obeyedPlaces } from '../process/sandbox/obeyed-paths.ts';
import { enumerate } from '../kernel/enumerate.ts';
import { Checkout, pathsOf } from './checkout.ts';
import { judgeChanges, type NamedFiles } from './judged-changes.ts';
import { GitProblem, Refs } from './refs.ts';

/** Work that comes onto a branch. */
export interface LandingWork {
  readonly commit: string;
  /** The branch, without `refs/heads/`. */
  readonly branch: string;
  readonly by: LandingWay;
  /** The name of the author of commits that the landing makes. */
  readonly author: string;
  /** The whole message of such a commit. */
  readonly text: string;
}

export type Prepared =
  /**
   * Moving the branch from `onto` to `result` is the landing; equal: the work is there already.
   * `rules`: what it changes of them, which a person must approve; null: nothing.
   */
  | {
      readonly is: 'ready';
      readonly onto: string;
      readonly result: string;
      readonly rules: RuleChanges | null;
    }
  /**
   * The work itself cannot land: its author has to change it. `conflicts`: with this commit of the
   * branch; null: it has another fault.
   */
  | { readonly is: 'refused'; readonly problem: string; readonly conflicts: string | null }
  /** It cannot land now: somebody else has to change something, or time does. */
  | { readonly is: 'blocked'; readonly problem: string };

/** Work that cannot land as it is. */
class Refusal extends Error {
  readonly conflicts: string | null;

  constructor(problem: string, conflicts: string | null = null) {
    super(problem);
    this.conflicts = conflicts;
  }
}

/** How long git's settings count as known, in milliseconds: a queue of landings reads them once. */
const knownMs = 500;

/** Prepares landings in a project, one after the other. */
export class Landings {
  readonly #project: string;
  readonly #refs: Refs;
  readonly #named: NamedFiles;
  #files: { readonly checkout: Checkout; readonly since: number } | null = null;

  /** `project`: absolute path. */
  constructor(project: string, named: NamedFiles) {
    this.#project = project;
    this.#refs = new Refs(project);
    this.#named = named;
  }

  /**
   * Makes the commit that a branch will have when work lands on it, and changes nothing else. The
   * commit is durable before its name is returned. Never rejects.
   */
  async prepare(work: LandingWork): Promise<Prepared> {
    try {
      const moved = await prepare(this.#refs, this.#checkout(), work);
      return { is: 'ready', ...moved, rules: await this.#rulesIn(moved) };
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      const problem = error.message;
      if (error instanceof Refusal) return { is: 'refused', problem, conflicts: error.conflicts };
      return { is: 'blocked', problem };
    }
  }

  async #rulesIn({ onto, result }: { readonly onto: string; readonly result: string }) {
    if (onto === result) return null;
    const places = obeyedPlaces(this.#project, await this.#named());
    const { state, rules } = judgeChanges(await this.#refs.changes(onto, result), places);
    if (state.length === 0) return rules;
    const paths = state.map(({ path }) => path);
    throw new Refusal(
      `it changes ${enumerate(paths)}: Mailroom's own files and mail land on no branch. ` +
        'Take them out of its commits',
    );
  }

  #checkout(): Checkout {
    const now = performance.now();
    if (this.#files === null || now - this.#files.since > knownMs)
      this.#files = { checkout: new Checkout(this.#project), since: now };
    return this.#files.checkout;
  }
}

async function prepare(refs: Refs, files: Checkout, work: LandingWork) {
  const { branch, commit, by } = work;
  const met = await refs.meeting(`refs/heads/${branch}`, commit);
  if (met === null || met.base === null) throw await unrelated(refs, work);
  const { one: onto, base } = met;
  if (base === commit) return { onto, result: onto };
  if (base === onto && (await goesForward(refs, onto, work))) return { onto, result: commit };
  const tree = base === onto ? `${commit}^{tree}` : await mergeTree(files, onto, work);
  if (by === 'rebase') return { onto, result: await rebase(files, refs, { onto, tree, work }) };
  const parents = by === 'merge' ? [onto, commit] : [onto];
  return { onto, result: await refs.commit(tree, parents, byAuthor(work)) };
}

/**
 * Whether the branch moves to the work itself. A merge is one commit on the line of first parents,
 * and begins where the branch was: reverting it takes back all of the work.
 */
async function goesForward(refs: Refs, onto: string, { by, commit }: LandingWork): Promise<boolean> {
  return by === 'rebase' || (by === 'merge' && (await refs.object(`${commit}^1`)) === onto);
}

async function unrelated(refs: Refs, { branch, commit }: LandingWork): Promise<Error> {
  const [tip = null, work = null] = await refs.findAll([`refs/heads/${branch}`, commit]);
  if (tip === null)
    return new GitProblem(`there is no branch \`${branch}\`: make it with \`git branch ${branch}\``);
  if (work === null) return new GitProblem(`the commit ${commit} is gone from the repository: restore it`);
  if ((await refs.ask(['rev-parse', '--is-shallow-repository'])) === 'true')
    return new GitProblem(
      `the repository is a shallow clone, which lacks the history that ${commit} and \`${branch}\` ` +
        'have in common: `git fetch --unshallow` gets it',
    );
  return new Refusal(`${commit} has no history in common with \`${branch}\``);
}

/** The tree of the merge. */
async function mergeTree(files: Checkout, onto: string, { branch, commit }: LandingWork): Promise<string> {
  const merged = await files.merge(onto, commit);
  if (merged.conflicts.length === 0) return merged.tree;
  throw new Refusal(`it conflicts with \`${branch}\` in ${pathsOf(merged).join(', ')}`, onto);
}

interface Rebasing {
  readonly onto: string;
  /** What the branch will contain. */
  readonly tree: string;
  readonly work: LandingWork;
}

/**
 * The commits of the work, one by one, on the branch. What merges among them contain besides, and
 * all that follows a commit that does not apply alone, becomes one commit: nothing is lost.
 */
async function rebase(files: Checkout, refs: Refs, { onto, tree, work }: Rebasing): Promise<string> {
  const range = ['rev-list', '--reverse', '--topo-order', '--no-merges', `${onto}..${work.commit}`, '--'];
  const commits = (await refs.ask(range)).split('\n').filter((line) => line !== '');
  let at = onto;
  for (const commit of commits) {
    const next = await apply(files, refs, commit, at);
    if (next === null) break;
    at = next;
  }
  const [wanted, reached] = await Promise.all([tree, `${at}^{tree}`].map((name) => refs.object(name)));
  return wanted === reached ? at : refs.commit(tree, [at], byAuthor(work));
}

/** The change of a commit on another one; null: it conflicts there. */
async function apply(files: Checkout, refs: Refs, commit: string, at: string): Promise<string | null> {
  const [parent] = (await refs.ask(['rev-parse', `${commit}^@`])).split('\n');
  if (parent === undefined || parent === '') return null;
  if (parent === at) return commit;
  // With the parent as the only one of both sides, git merges just the change of this commit.
  const there = await refs.commit(`${at}^{tree}`, [parent], { text: '', author: mailroom });
  const { tree, conflicts } = await files.merge(there, commit);
  if (conflicts.length > 0) return null;
  if (tree === (await refs.object(`${at}^{tree}`))) return at;
  const format = '--format=%an%x00%ae%x00%ad%x00%B';
  const written = await refs.ask(['log', '-1', '--date=raw', format, commit, '--']);
  const [name = '', email = '', date = '', text = ''] = written.split('\0');
  return refs.commit(tree, [at], { text, author: { name, email, date } });
}

const mailroom = { name: 'Mailroom', email: 'mailroom@localhost' };

function byAuthor({ author, text }: LandingWork) {
  return { text, author: { name: author, email: `${author}@mailroom` } };
}
