import { shortCommit, shortId } from '../kernel/ids.ts';
import { commitText, type TakenWork } from '../kernel/work.ts';
import type { Checkout, Merged } from './checkout.ts';
import type { Refs } from './refs.ts';

/** A merge that stopped at this work. */
export interface MergeConflict {
  readonly taken: TakenWork;
  readonly merged: Merged;
}

/** The commit up to the first merge that conflicts. */
export interface Merge {
  readonly at: string;
  readonly conflict: MergeConflict | null;
}

/** Work as people see it: whose it is, and where. */
export function sideOf({ from, commit, message }: TakenWork): string {
  return `${from} (commit ${shortCommit(commit)}${message === null ? '' : `, message ${shortId(message)}`})`;
}

/**
 * Merges commits into another, one after the other, up to the first that conflicts. Returns the
 * merge; the checkout stays as it is. Throws `GitProblem`.
 */
export async function mergeAll(
  refs: Refs,
  files: Checkout,
  begin: string,
  { takes, ...about }: Omit<About, 'title'> & { readonly takes: readonly TakenWork[] },
): Promise<Merge> {
  let at = begin;
  for (const taken of takes) {
    const { commit, from } = taken;
    const base = at === commit ? commit : (await refs.meeting(commit, at))?.base;
    if (base === commit) continue;
    if (base === at) {
      at = commit;
      continue;
    }
    const merged = await files.merge(at, commit);
    if (merged.conflicts.length > 0) return { at, conflict: { taken, merged } };
    const title = `Merge the work of ${from}`;
    at = await commitOf(refs, merged.tree, [at, commit], { ...about, title });
  }
  return { at, conflict: null };
}

/** What a commit says. */
export interface About {
  readonly turn: string;
  readonly role: string;
  readonly thread: string;
  readonly title: string;
  readonly messages?: readonly string[];
}

/** Makes a commit in the name of a role; returns it. */
export function commitOf(
  refs: Refs,
  tree: string,
  parents: readonly string[],
  { messages = [], ...about }: About,
): Promise<string> {
  const { role } = about;
  const text = commitText({ ...about, messages });
  return refs.commit(tree, parents, { text, author: { name: role, email: `${role}@mailroom` } });
}
