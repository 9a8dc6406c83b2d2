import { enumerate } from '../kernel/enumerate.ts';
import { shortCommit } from '../kernel/ids.ts';
import { howToResolve } from '../kernel/work.ts';
import type {
  Entered,
  Entering,
  Leaving,
  LeftBehind,
  TakenWork,
  Worked,
  WorkingTurn,
} from '../kernel/work.ts';
import { obeyedPlaces } from '../process/sandbox/obeyed-paths.ts';
import { pathsOf, type FoundTree } from './checkout.ts';
import { listBytes } from './git-look.ts';
import { noteGiven } from './given.ts';
import { judgeChanges } from './judged-changes.ts';
import { commitOf, mergeAll, sideOf, type About, type Merge, type MergeConflict } from './merging.ts';
import { GitProblem, makeDurable, Refs } from './refs.ts';
import { RoleCheckout } from './role-checkout.ts';
import type { TreeChange } from './workspace-tree.ts';

/*
 * The work of roles that have a checkout of their own. A commit is durable before its name is
 * returned. Everything can be repeated: after a crash, the same call continues.
 */

/**
 * Brings the checkout `path` (absolute) of a turn's role to the work that the turn takes. Returns
 * the commit that it begins with. Never rejects.
 */
export async function enterWork(project: string, path: string, entering: Entering): Promise<Worked> {
  return (await enterCheckout(project, path, entering)).worked;
}

/** The same, with what is known of the checkout then. */
export async function enterCheckout(project: string, path: string, entering: Entering): Promise<Entered> {
  let isClean = false;
  const entered = await worked(async () => {
    const refs = new Refs(project);
    const checkout = new RoleCheckout({ project, path, ...entering }, refs);
    const { takes, edits, base, last, branch, resolving } = entering;
    const wanted = (takes ?? []).map(({ commit }) => commit);
    const { isNew, found, ...begun } = await checkout.prepare(base ?? 'HEAD', last, wanted);
    noteGiven(path, entering.given ?? []);
    const { tip, conflict: laid } = begun;
    if (edits && last !== null) await mustContain(refs, branch, tip, last);
    if (takes === null || (laid !== null && resolving === 'role')) {
      if (isNew) await checkout.moveTo(tip, tip);
      isClean = isNew;
      return tip;
    }
    mustExist(takes, found);
    const taking = { ...entering, takes, isEmpty: isNew };
    const { own, ahead } = isNew
      ? { own: tip, ahead: null }
      : await settleAndMerge(refs, checkout, begun, { ...entering, takes });
    const listed = ahead?.conflict === null ? newObjects(refs, ahead.at, [tip]) : null;
    // Awaited only below: the files are written first.
    listed?.catch(() => {});
    // Files that are about to be replaced are not written first: there may be many.
    const merged = await takeWork(refs, checkout, own, taking, ahead);
    await makeDurable(project, await (listed ?? newObjects(refs, merged, [tip])));
    // Without edits, files that git does not track stay.
    isClean = isNew || edits;
    return merged;
  });
  return { worked: entered, isClean };
}

/**
 * Commits what a turn changed in its role's checkout `path` (absolute), on the role's branch, with
 * all work that it took. Returns the commit that its messages carry. `since`: a folder (absolute)
 * that was made when the turn began. Never rejects.
 */
export async function leaveWork(
  project: string,
  path: string,
  leaving: Leaving,
  since: string | null = null,
): Promise<Worked> {
  let behind: LeftBehind = {};
  const left = await worked(async () => {
    const refs = new Refs(project);
    const checkout = new RoleCheckout({ project, path, ...leaving }, refs);
    const { branch, entered, amends } = leaving;
    const { tip, tree, conflict } = await checkout.restore();
    if (tip === null) throw new GitProblem(`the branch ${branch} is gone`);
    await mustContain(refs, branch, tip, entered);
    const merges = await resolved(refs, checkout, conflict);
    const found = await checkout.files.tree(tip, tree);
    const before = tip === amends ? tip : entered;
    const files = await withoutState(refs, checkout, found, { ...leaving, tip, since: before });
    const { leftOut } = files;
    const about = { ...leaving, tip, merges, isOwn: amends === tip };
    const committed = [commitFiles(refs, files, about), checkout.files.ignoredSince(since)] as const;
    const [own, ignored] = await Promise.all(committed);
    behind = { ...(leftOut !== null && { leftOut }), ...(ignored.length > 0 && { ignored }) };
    if (own !== tip) await checkout.commit(own, tip);
    // After a conflict, further work may be left to merge.
    const taking = { ...leaving, edits: true, resolves: 'all' } as const;
    const done = await orToResolve(() => takeWork(refs, checkout, own, taking));
    for (const met of leaving.meets) await orToResolve(() => mustMeet(refs, checkout, done, met, taking));
    // What the role itself committed, and what was merged, is not among the files.
    const isAlone = done === own && leftOut === null && (tip === entered || tip === amends);
    const objects = isAlone ? [own, ...files.objects] : await newObjects(refs, done, [entered]);
    if (done !== entered) await makeDurable(project, objects);
    return done;
  });
  return left.ok ? { ...left, ...behind } : left;
}

/**
 * The files that leave, without Mailroom's own and mail: those stay as they are in `since`, which
 * has none of an agent. What is left out is kept in a commit of its own, and taken out of the
 * checkout. The branch is at `tip`.
 */
async function withoutState(
  refs: Refs,
  checkout: RoleCheckout,
  files: FoundTree,
  { tip, since, ...about }: Omit<About, 'title'> & { readonly tip: string; readonly since: string },
): Promise<FoundTree & { readonly leftOut: string | null }> {
  const places = obeyedPlaces(checkout.project, []);
  const stateIn = (changes: readonly TreeChange[]) => judgeChanges(changes, places).state;
  // The agent may have committed as well.
  const state = stateIn(tip === since ? files.changes : await refs.changes(since, files.tree));
  if (state.length === 0) return { ...files, leftOut: null };
  const tree = await checkout.files.undone(files.tree, state);
  const names = enumerate(state.map(({ path }) => path));
  if (stateIn(await refs.changes(since, tree)).length > 0)
    throw new GitProblem(
      `${names} cannot be left out of the commit: remove them, since such files never travel`,
    );
  const title = `Keep what ${about.role} must not send`;
  const kept = await commitOf(refs, files.tree, [tip], { ...about, title });
  const ref = `refs/mailroom/kept/${about.thread}/${kept}`;
  await refs.move([{ ref, to: kept }], 'keep');
  await checkout.files.layOut(tree);
  const changes = await refs.changes(tip, tree);
  const leftOut = `${names}: Mailroom's own files and mail never travel. They are kept in ${ref}`;
  return { tree, changes, objects: [], leftOut };
}

/**
 * Lays out in the checkout `path` (absolute) of a role what its work conflicts with on the branch
 * that it is to land on: fails with what its author has to do. Never rejects.
 */
export function meetBranch(
  project: string,
  path: string,
  turn: WorkingTurn,
  { commit, branch, onto }: { readonly commit: string; readonly branch: string; readonly onto: string },
): Promise<Worked> {
  return worked(async () => {
    const refs = new Refs(project);
    const checkout = new RoleCheckout({ project, path, ...turn }, refs);
    const { tip } = await checkout.restore();
    if (tip !== commit) throw new GitProblem(`the branch ${turn.branch} is not at ${commit}`);
    const met = { commit: onto, message: null, from: `\`${branch}\`` };
    const taking = { ...turn, takes: [], edits: true, resolves: 'all' } as const;
    await orToResolve(() => mustMeet(refs, checkout, commit, met, taking));
    return commit;
  });
}

/** Both sides of a merge lie in the checkout. */
class Conflict extends GitProblem {
  readonly by: 'role' | 'person';

  constructor(problem: string, by: 'role' | 'person') {
    super(problem);
    this.by = by;
  }
}

async function worked(work: () => Promise<string>): Promise<Worked> {
  try {
    return { ok: true, commit: await work() };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return { ok: false, problem: error.message, resolving: error instanceof Conflict ? error.by : null };
  }
}

/** A branch that somebody moved is left alone. */
async function mustContain(refs: Refs, branch: string, tip: string, commit: string): Promise<void> {
  if (await refs.contains(tip, commit)) return;
  throw new GitProblem(
    `somebody moved the branch ${branch} to ${tip}, which does not contain ${commit}: ` +
      `\`git update-ref refs/heads/${branch} ${commit}\` moves it back`,
  );
}

function mustExist(takes: readonly TakenWork[], found: readonly (string | null)[]): void {
  for (const [index, { commit, message, from }] of takes.entries())
    if (found[index] === null)
      throw new GitProblem(
        message === null
          ? `the commit ${commit} of the step ${from} is gone from the repository: restore it, then resume the run`
          : `the commit ${commit} of message ${message} from ${from} is gone from the repository: ` +
              'restore it, then `mailroom retry` the message',
      );
}

type Begun = Pick<Awaited<ReturnType<RoleCheckout['prepare']>>, 'tip' | 'tree' | 'conflict'>;

/**
 * Looks for what was left in the checkout, and meanwhile merges with the branch's commit, as most
 * turns leave nothing. `ahead`: the merge; null: there is none with `own`, the branch's commit now.
 */
async function settleAndMerge(
  refs: Refs,
  checkout: RoleCheckout,
  begun: Begun,
  entering: Entering & { readonly takes: readonly TakenWork[] },
): Promise<{ readonly own: string; readonly ahead: Merge | null }> {
  const { tip } = begun;
  const merging = entering.edits ? mergeAll(refs, checkout.files, tip, entering) : null;
  const [settled, merged] = await Promise.allSettled([settle(refs, checkout, begun, entering), merging]);
  if (settled.status === 'rejected') throw settled.reason;
  // A merge that failed is tried again, and fails then.
  const isMerged = settled.value === tip && merged.status === 'fulfilled';
  return { own: settled.value, ahead: isMerged ? merged.value : null };
}

/** Commits what earlier turns and people left in the checkout; returns the branch's commit. */
async function settle(refs: Refs, checkout: RoleCheckout, begun: Begun, entering: Entering): Promise<string> {
  const { role, edits, resolving } = entering;
  const { tip, conflict: laid } = begun;
  const keep = async (title: string, merges: readonly string[] = [], by = role) => {
    const since = entering.last ?? (await refs.find(`refs/mailroom/base/${entering.thread}`)) ?? tip;
    // Most turns leave nothing behind.
    const unchanged = merges.length === 0 && (await checkout.files.unchangedTree()) === begun.tree;
    const found =
      begun.tree !== null && unchanged
        ? { tree: begun.tree, changes: [], objects: [] }
        : await checkout.files.tree(tip, begun.tree);
    const files = await withoutState(refs, checkout, found, { ...entering, role: by, tip, since });
    const kept = await commitFiles(refs, files, { ...entering, role: by, tip, title, merges, isOwn: false });
    if (kept !== tip) await checkout.commit(kept, tip);
    return kept;
  };
  if (laid !== null && resolving === 'person')
    return keep('Resolve a conflict', await resolved(refs, checkout, laid), 'user');
  if (laid !== null) {
    // No turn finished this merge.
    const title = `Keep an unfinished merge of ${role}`;
    const { tree } = await checkout.files.tree(tip, begun.tree);
    await checkout.dropConflict(tip, await commitOf(refs, tree, [tip], { ...entering, title }));
  }
  // What a failed turn left: the next merge must not lose it.
  return edits ? keep(`Keep what was left in the checkout of ${role}`) : tip;
}

/** The commits that are merged by resolving the conflict in the checkout. */
async function resolved(refs: Refs, checkout: RoleCheckout, laid: string | null): Promise<string[]> {
  if (laid === null) return [];
  const [ours = '', theirs = ''] = (await refs.ask(['rev-parse', `${laid}^@`])).split('\n');
  const open = await checkout.files.unresolved(await checkout.files.merge(ours, theirs));
  if (open.length === 0) return [theirs];
  const each = open.map(({ path, markers }) =>
    markers
      ? `\`${path}\` has conflict markers: keep what both sides meant, and remove them`
      : `\`${path}\` is as the merge left it: change it, or stage it with \`git add\` if it is right`,
  );
  const sides = `the merge of ${shortCommit(theirs)} into ${shortCommit(ours)} is not resolved`;
  throw new Conflict(`${each.join('; ')} (${sides})`, 'person');
}

/** Lays a conflict with work of another role out, for the author of the later work. */
async function mustMeet(
  refs: Refs,
  checkout: RoleCheckout,
  ours: string,
  met: TakenWork,
  taking: Taking,
): Promise<void> {
  const { conflict } = await mergeAll(refs, checkout.files, ours, { ...taking, takes: [met] });
  if (conflict === null) return;
  throw await layOutConflict(refs, checkout, { ours, ...conflict }, taking);
}

/** Work that leaves. A conflict that it meets names what its author has to do. */
async function orToResolve<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Conflict)) throw error;
    throw new Conflict(`${error.message}${howToResolve}`, error.by);
  }
}

interface Taking extends Omit<About, 'title' | 'messages'>, Pick<Entering, 'edits' | 'resolves'> {
  readonly takes: readonly TakenWork[];
  /** Whether the checkout has no files yet. */
  readonly isEmpty?: boolean;
}

/**
 * Merges all work that a turn takes into its checkout, with the role's own if it has any, and
 * returns the commit. Throws `Conflict` after both sides were laid out. `ahead`: the merge, where
 * it was made before.
 */
async function takeWork(
  refs: Refs,
  checkout: RoleCheckout,
  own: string,
  taking: Taking,
  ahead: Merge | null = null,
): Promise<string> {
  const { takes, edits, isEmpty = false } = taking;
  const begin = edits ? own : (takes[0]?.commit ?? own);
  const { at, conflict } = ahead ?? (await mergeAll(refs, checkout.files, begin, taking));
  if (conflict !== null) {
    const isResolved = (await refs.contains(own, at)) && (await refs.contains(own, conflict.taken.commit));
    // In the checkout of a role that only reads, where a person resolved it.
    if (isResolved) return takeWork(refs, checkout, own, { ...taking, edits: true });
    if (at !== own || isEmpty) await checkout.moveTo(at, own, edits);
    throw await layOutConflict(refs, checkout, { ours: at, ...conflict }, taking);
  }
  if (at !== own || !edits || isEmpty) await checkout.moveTo(at, own, edits);
  return at;
}

/** Lays both sides of a merge out; returns what to throw. `ours`: the commit of the branch. */
async function layOutConflict(
  refs: Refs,
  checkout: RoleCheckout,
  { ours, taken, merged }: { readonly ours: string } & MergeConflict,
  { resolves, ...about }: Taking,
): Promise<Conflict> {
  const title = `Lay out the conflict with ${taken.from}`;
  const laid = await commitOf(refs, merged.tree, [ours, taken.commit], { ...about, title });
  await makeDurable(checkout.project, await newObjects(refs, laid, [ours, taken.commit]));
  await checkout.layOutConflict(laid, merged);
  const files = pathsOf(merged);
  const isText = checkout.files.isMarked(merged);
  const author = await refs.ask(['show', '--no-patch', '--format=%an', ours]);
  return new Conflict(
    `the work of ${sideOf(taken)} conflicts with that of ${author} (commit ${shortCommit(ours)}) in ${files.join(', ')}`,
    resolves === 'all' || (resolves === 'text' && isText) ? 'role' : 'person',
  );
}

/** A commit of these files on a branch, or its tip if nothing has changed. */
async function commitFiles(
  refs: Refs,
  { tree, changes }: FoundTree,
  {
    tip,
    isOwn,
    merges = [],
    ...about
  }: About & {
    readonly tip: string;
    /** Its further parents. */
    readonly merges?: readonly string[];
    /** The tip is a commit of this turn, which this one replaces. */
    readonly isOwn: boolean;
  },
): Promise<string> {
  if (changes.length === 0 && merges.length === 0) return tip;
  const parents = isOwn ? (await refs.ask(['rev-parse', `${tip}^@`])).split('\n') : [tip];
  return commitOf(refs, tree, [...parents, ...merges], about);
}

/** Every object of a commit that these do not have. */
async function newObjects(refs: Refs, commit: string, known: readonly string[]): Promise<string[]> {
  if (known.includes(commit)) return [];
  const args = ['rev-list', '--objects', commit, '--not', ...known, '--'];
  const listed = await refs.ask(args, { maxOutputBytes: listBytes });
  return listed.split('\n').flatMap((line) => line.split(' ')[0] || []);
}
