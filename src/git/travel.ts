import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import type { Worked } from '../kernel/work.ts';
import { ownValue } from '../kernel/own.ts';
import { refsIn } from './broken-refs.ts';
import { lookAt, whyOf, type GitLook } from './git-look.ts';
import { git } from './git.ts';
import { filesIn, packFiles, type ParcelFile } from './parcel.ts';
import { GitProblem, Refs } from './refs.ts';
import { Checkout } from './checkout.ts';
import { RoleCheckout } from './role-checkout.ts';
import { enterWork } from './work.ts';

/*
 * Work travels between hosts as commits, through a repository that all of them can reach. What lies
 * in a checkout and is not committed travels as one more commit. Nothing here rejects.
 */

/** A turn whose role has a checkout of its own. */
export interface TravellingTurn {
  readonly turn: string;
  readonly role: string;
  readonly thread: string;
  readonly branch: string;
}

/** The content of a checkout: a commit with all of its files, and the last one on its branch. */
export interface Packed {
  readonly commit: string;
  readonly head: string;
}

export type Travelled<T> =
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly problem: string };

/** The address of the remote `origin`; null: there is none. */
export async function originOf(project: string): Promise<string | null> {
  const found = await git(['config', '--get', 'remote.origin.url'], { cwd: project });
  return found.exitCode === 0 ? found.stdout.trim() : null;
}

/** Where the project lies in its repository; empty: at its top. */
export async function prefixOf(project: string): Promise<string> {
  const found = await git(['rev-parse', '--show-prefix'], { cwd: project });
  return found.exitCode === 0 ? found.stdout.trim() : '';
}

/** Packs the checkout at `path` (absolute), and changes nothing there. */
export function packWork(
  project: string,
  path: string,
  turn: TravellingTurn,
  files: Checkout = new Checkout(path),
): Promise<Travelled<Packed>> {
  return travelled(async () => {
    const refs = new Refs(project);
    // Most turns of roles that only read change nothing.
    const unchanged = files.unchangedTree();
    unchanged.catch(() => {});
    const asked = ['commit', 'tree', 'commit'].map((kind) => `refs/heads/${turn.branch}^{${kind}}`);
    const [head = null, known = null, again = null] = await refs.objects(asked);
    if (head === null) throw new GitProblem(`the branch ${turn.branch} is gone`);
    // Somebody may have moved the branch meanwhile.
    if (again === head && known !== null && known === (await unchanged)) return { commit: head, head };
    const { tree, changes } = await files.tree(head, again === head ? known : null, { given: true });
    if (changes.length === 0) return { commit: head, head };
    const identity = { name: turn.role, email: `${turn.role}@mailroom` };
    const args = ['commit-tree', '-p', head, '-F', '-', tree];
    const commit = await refs.ask(args, { stdin: `Turn ${turn.turn} of ${turn.role}\n`, identity });
    return { commit, head };
  });
}

/**
 * Lays packed work out in the checkout at `path` (absolute): what was not committed there is not
 * committed here. Only what a turn can have made of the content of the checkout is taken.
 */
export async function unpackWork(
  project: string,
  path: string,
  turn: TravellingTurn,
  { commit, head }: Packed,
): Promise<Worked> {
  const done = await travelled(async () => {
    const refs = new Refs(project);
    const checkout = new RoleCheckout({ project, path, ...turn }, refs);
    const parents = [`${commit}^1`, `${commit}^2`];
    const { tip, found } = await checkout.prepare(head, null, parents);
    // A host was killed after it had laid out the work.
    if (tip !== commit && !(await refs.contains(head, tip)))
      throw new GitProblem(`${head} does not contain ${tip}, which the turn began with`);
    const [parent = null, other = null] = found;
    if (commit !== head && (parent !== head || other !== null))
      throw new GitProblem(`${commit} is not made of ${head} alone`);
    await checkout.moveTo(commit, tip);
    const branch = `refs/heads/${turn.branch}`;
    if (head !== commit && !(await refs.move([{ ref: branch, to: head, from: commit }], 'unpack')))
      throw new GitProblem(`the branch ${turn.branch} was moved by somebody else`);
    return head;
  });
  return done.ok ? { ok: true, commit: done.value } : { ...done, resolving: null };
}

/** Sends a commit to a ref of the repository at this address, wherever that ref was. */
export async function sendWork(
  project: string,
  url: string,
  commit: string,
  ref: string,
): Promise<Travelled<void>> {
  return remotely(project, url, async (look) => {
    await ask(look, ['push', '--quiet', '--no-verify', '--', url, `+${commit}:${ref}`]);
  });
}

const nothingToDo = { ok: true, value: undefined } as const;

/**
 * Gets a commit from a ref of the repository at this address, or from its branches, where it was
 * before.
 */
export async function fetchWork(
  project: string,
  url: string,
  commit: string,
  ref: string,
): Promise<Travelled<void>> {
  if (await isWhole(project, commit)) return nothingToDo;
  return remotely(project, url, async (look) => {
    const from = (refs: string) => ['fetch', '--quiet', ...quietFetch, '--', url, refs];
    const isSent = (await ask(look, ['ls-remote', '--quiet', '--', url, ref])) !== '';
    await ask(look, from(isSent ? `+${ref}:refs/mailroom/in` : '+refs/heads/*:refs/mailroom/in/*'));
    const got = await look.git(['cat-file', '-e', `${commit}^{commit}`]);
    if (got.exitCode !== 0) throw new GitProblem(`${ref} has another commit than ${commit}`);
  });
}

/**
 * Where the first of these refs is that the repository at this address has; null: it has none. Only
 * a commit that is there is got.
 */
export function takeWork(
  project: string,
  url: string,
  commit: string,
  refs: readonly string[],
): Promise<Travelled<string | null>> {
  return remotely(project, url, async (look) => {
    const found = await refsAt(look, url, refs);
    const ref = refs.find((each) => found.has(each));
    const at = ref === undefined ? null : (found.get(ref) ?? null);
    if (at === commit && !(await isWhole(project, commit)))
      await ask(look, ['fetch', '--quiet', ...quietFetch, '--', url, `+${ref ?? ''}:refs/mailroom/in`]);
    return at;
  });
}

/**
 * Brings the files of a checkout at `path` (absolute) to a commit, which is got by `fetch` if it is
 * not here. What earlier turns left there without a commit is replaced.
 */
export function placeWork(
  project: string,
  path: string,
  turn: TravellingTurn,
  { commit, files, fetch }: Placing,
): Promise<Travelled<void>> {
  const checkout = new RoleCheckout({ project, path, ...turn }, new Refs(project), files);
  return travelled(async () => {
    // Most turns begin in a new checkout: git's settings are read while the commit is looked for.
    const isNew = checkout.begin();
    const got = await fetch();
    if (!got.ok) throw new GitProblem(got.problem);
    if (isNew && (await checkout.fill(commit))) return;
    const takes = [{ commit, message: '', from: '' }];
    const about = {
      edits: false,
      takes,
      base: commit,
      last: null,
      resolves: 'none',
      resolving: null,
    } as const;
    const entered = await enterWork(project, path, { ...turn, ...about });
    if (!entered.ok) throw new GitProblem(entered.problem);
  });
}

interface Placing {
  readonly commit: string;
  readonly files: Checkout;
  readonly fetch: () => Promise<Travelled<void>>;
}

/** Whether a branch of the remote `origin` is at a commit, as far as is known here. */
export async function isInOrigin(project: string, commit: string): Promise<boolean> {
  const listed = await git(['for-each-ref', '--format=%(objectname)', 'refs/remotes/origin/'], {
    cwd: project,
  });
  return listed.stdout.split('\n').includes(commit);
}

/** Whether a commit is there with all of its files: a fetch that was killed leaves a part. */
async function isWhole(project: string, commit: string): Promise<boolean> {
  const walk = ['--not', '--all', '--not', '--end-of-options', commit];
  const walked = (...more: string[]) =>
    git(['rev-list', '--objects', '--quiet', ...more, ...walk], { cwd: project });
  if ((await walked()).exitCode === 0) return true;
  // A ref may be broken: without those nothing is wrong where the commit is there.
  const isThere = (await git(['cat-file', '-e', `${commit}^{commit}`], { cwd: project })).exitCode === 0;
  return isThere && (await walked('--ignore-missing')).exitCode === 0;
}

const quietFetch = ['--no-tags', '--no-write-fetch-head', '--no-recurse-submodules', '--no-auto-maintenance'];

/** Removes refs of the repository at this address; missing ones do no harm. */
export function dropWork(project: string, url: string, refs: readonly string[]): Promise<Travelled<void>> {
  return remotely(project, url, async (look) => {
    // Without names git would list every ref of the repository.
    if (refs.length === 0) return;
    const there = [...(await refsAt(look, url, refs)).keys()];
    if (there.length > 0)
      await ask(look, ['push', '--quiet', '--no-verify', '--', url, ...there.map((ref) => `:${ref}`)]);
  });
}

/** The objects of those of these refs that the repository at this address has. */
async function refsAt(look: GitLook, url: string, refs: readonly string[]): Promise<Map<string, string>> {
  const found = await ask(look, ['ls-remote', '--quiet', '--', url, ...refs]);
  const lines = found.split('\n').map((line) => line.split('\t'));
  return new Map(lines.flatMap(([object = '', ref]) => (ref === undefined ? [] : [[ref, object]])));
}

/** Why the repository at this address cannot be read, in words; null: it can. */
export async function remoteProblem(project: string, url: string): Promise<string | null> {
  const read = await remotely(project, url, async (look) => {
    await ask(look, ['ls-remote', '--quiet', '--', url, 'HEAD']);
  });
  return read.ok ? null : read.problem;
}

/** Keeps the work of a turn that is not sent, and returns the ref that has it. */
export function keepWork(project: string, name: string, commit: string): Promise<Travelled<string>> {
  return travelled(async () => {
    const ref = `refs/mailroom/kept/turns/${name}`;
    if (!(await new Refs(project).move([{ ref, to: commit }], 'keep')))
      throw new GitProblem(`${ref} exists already`);
    return ref;
  });
}

/** Packs files that lie in no checkout, at absolute paths; null: none of them exists. */
export function packOther(project: string, paths: readonly string[]): Promise<Travelled<string | null>> {
  return travelled(() => packFiles(project, paths));
}

/** The files that `packOther` has packed. */
export function readOther(project: string, commit: string): Promise<Travelled<ParcelFile[]>> {
  return travelled(() => filesIn(project, commit));
}

/** The transports that run no command of the address's own. */
const transports = 'file:git:http:https:ssh';
const travelMs = 600_000;

/** What git needs to reach another host as the user does. */
const reaching = [
  'SSH_AUTH_SOCK',
  'GIT_SSH_COMMAND',
  'GIT_ASKPASS',
  'SSH_ASKPASS',
  'HTTPS_PROXY',
  'https_proxy',
];

/** Runs git with the objects of the project, and without the configuration that lies in it. */
function remotely<T>(
  project: string,
  url: string,
  work: (look: GitLook) => Promise<T>,
): Promise<Travelled<T>> {
  return travelled(async () => {
    let refused = 'it lies in no git repository';
    const { whole } = await refsIn(project);
    const done = await lookAt(
      project,
      async (look) => {
        // So that git sends and gets only what the other side lacks.
        writeFileSync(
          join(look.folder, 'packed-refs'),
          `# pack-refs with: sorted \n${whole.map((line) => `${line}\n`).join('')}`,
        );
        return { value: await work(look) };
      },
      (why) => (refused = why),
    );
    if (done === null) throw new GitProblem(`${project} cannot be used: ${refused}`);
    return done.value;
  }, url);
}

async function ask(look: GitLook, args: readonly string[]): Promise<string> {
  const given = reaching.flatMap((name) => {
    const value = ownValue(process.env, name);
    return value === undefined ? [] : [[name, value] as const];
  });
  const env = { GIT_ALLOW_PROTOCOL: transports, ...Object.fromEntries(given) };
  const result = await look.git(args, { env, timeoutMs: travelMs });
  if (result.exitCode === 0) return result.stdout;
  throw new GitProblem(`git ${args[0] ?? ''} failed: ${whyOf(result)}`);
}

async function travelled<T>(work: () => Promise<T>, url: string | null = null): Promise<Travelled<T>> {
  try {
    return { ok: true, value: await work() };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return { ok: false, problem: url === null ? error.message : `${withoutPassword(url)}: ${error.message}` };
  }
}

/** An address without the password in it. */
export function withoutPassword(url: string): string {
  return url.replace(/(:\/\/[^/@:]*):[^/@]*@/, '$1:***@');
}
