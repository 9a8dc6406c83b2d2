import { closeSync, existsSync, fsyncSync, openSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Entering, Leaving, TakenWork, Worked } from '../kernel/work.ts';
import { listBytes } from './git-look.ts';
import { GitProblem, Refs } from './refs.ts';
import { RoleCheckout } from './role-checkout.ts';

/*
 * The work of roles that have a checkout of their own. A commit is durable before its name is
 * returned. Everything can be repeated: after a crash, the same call continues.
 */

/**
 * Brings the checkout `path` (absolute) of a turn's role to the work that the turn takes. Returns
 * the commit that it begins with. Never rejects.
 */
export function enterWork(project: string, path: string, entering: Entering): Promise<Worked> {
  return worked(async () => {
    const refs = new Refs(project);
    const checkout = new RoleCheckout({ project, path, ...entering }, refs);
    const { takes, edits, last, branch } = entering;
    const tip = await checkout.prepare(last);
    if (edits && last !== null) await mustContain(refs, branch, tip, last);
    if (takes === null) return tip;
    await mustExist(refs, takes);
    const own = edits ? await keepLeftovers(refs, checkout, tip, entering) : tip;
    const merged = await mergeAll(refs, checkout, own, entering);
    if (merged !== own || !edits) await checkout.moveTo(merged, own);
    await makeDurable(refs, project, merged, [tip]);
    return merged;
  });
}

/**
 * Commits what a turn changed in its role's checkout `path` (absolute), on the role's branch.
 * Returns the commit that its messages carry. Never rejects.
 */
export function leaveWork(project: string, path: string, leaving: Leaving): Promise<Worked> {
  return worked(async () => {
    const refs = new Refs(project);
    const checkout = new RoleCheckout({ project, path, ...leaving }, refs);
    const { branch, entered, amends } = leaving;
    const tip = await refs.find(`refs/heads/${branch}`);
    if (tip === null) throw new GitProblem(`the branch ${branch} is gone`);
    await mustContain(refs, branch, tip, entered);
    const tree = await checkout.tree(tip);
    const done = await commitTree(refs, tree, { ...leaving, tip, isOwn: amends === tip });
    if (done !== tip) await checkout.commit(done, tip);
    await makeDurable(refs, project, done, [entered]);
    return done;
  });
}

async function worked(work: () => Promise<string>): Promise<Worked> {
  try {
    return { ok: true, commit: await work() };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return { ok: false, problem: error.message };
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

async function mustExist(refs: Refs, takes: readonly TakenWork[]): Promise<void> {
  for (const { commit, message, from } of takes)
    if ((await refs.find(commit)) === null)
      throw new GitProblem(
        `the commit ${commit} of message ${message} from ${from} is gone from the repository: ` +
          'restore it, then `mailroom retry` the message',
      );
}

/** What a failed turn left in the checkout: its next merge must not lose it. */
async function keepLeftovers(
  refs: Refs,
  checkout: RoleCheckout,
  tip: string,
  entering: Entering,
): Promise<string> {
  const tree = await checkout.tree(tip);
  const title = `Keep what was left in the checkout of ${entering.role}`;
  const kept = await commitTree(refs, tree, { ...entering, tip, title, messages: [], isOwn: false });
  if (kept !== tip) await checkout.commit(kept, tip);
  return kept;
}

/** The merge of all that a turn takes, with the role's own work if it has any. */
async function mergeAll(
  refs: Refs,
  checkout: RoleCheckout,
  tip: string,
  { takes, edits, ...turn }: Entering,
): Promise<string> {
  const [first, ...rest] = takes ?? [];
  let at = edits ? tip : (first?.commit ?? tip);
  for (const { commit, from, message } of edits && first ? [first, ...rest] : rest) {
    if (await refs.contains(at, commit)) continue;
    if (await refs.contains(commit, at)) {
      at = commit;
      continue;
    }
    const { tree, conflicts } = await checkout.merge(at, commit);
    if (conflicts.length > 0)
      throw new GitProblem(
        `the work of ${from} (${commit}, message ${message}) conflicts with ${at} in ${conflicts.join(', ')}`,
      );
    at = await commitOf(refs, tree, [at, commit], { ...turn, title: `Merge the work of ${from}` });
  }
  return at;
}

/** A commit of this tree on a branch, or its tip if nothing has changed. */
async function commitTree(
  refs: Refs,
  tree: string,
  {
    tip,
    isOwn,
    ...about
  }: About & {
    readonly tip: string;
    /** The tip is a commit of this turn, which this one replaces. */
    readonly isOwn: boolean;
  },
): Promise<string> {
  if (tree === (await refs.ask(['rev-parse', `${tip}^{tree}`]))) return tip;
  const parents = isOwn ? (await refs.ask(['rev-parse', `${tip}^@`])).split('\n') : [tip];
  return commitOf(refs, tree, parents, about);
}

interface About {
  readonly turn: string;
  readonly role: string;
  readonly thread: string;
  readonly title: string;
  readonly messages?: readonly string[];
}

function commitOf(
  refs: Refs,
  tree: string,
  parents: readonly string[],
  { turn, role, thread, title, messages = [] }: About,
): Promise<string> {
  const trailers = [
    `Mailroom-Thread: ${thread}`,
    `Mailroom-Turn: ${turn}`,
    ...(messages.length === 0 ? [] : [`Mailroom-Messages: ${messages.join(' ')}`]),
  ];
  const text = `${title === '' ? `Turn ${turn} of ${role}` : title}\n\n${trailers.join('\n')}\n`;
  const args = ['commit-tree', ...parents.flatMap((parent) => ['-p', parent]), '-F', '-', tree];
  return refs.ask(args, { stdin: text, identity: { name: role, email: `${role}@mailroom` } });
}

/** Syncs every object of a commit that these do not have: git leaves that to the system. */
async function makeDurable(
  refs: Refs,
  project: string,
  commit: string,
  known: readonly string[],
): Promise<void> {
  if (known.includes(commit)) return;
  const folder = resolve(project, await refs.ask(['rev-parse', '--git-path', 'objects']));
  const args = ['rev-list', '--objects', commit, '--not', ...known, '--'];
  const listed = await refs.ask(args, { maxOutputBytes: listBytes });
  const files = listed
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => join(folder, line.slice(0, 2), line.slice(2).split(' ')[0] ?? ''))
    // The others lie in packs, which git syncs itself.
    .filter((file) => existsSync(file));
  for (const path of [...files, ...new Set(files.map((file) => dirname(file)))]) sync(path);
}

function sync(path: string): void {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
