import { lstatSync, realpathSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import picomatch from 'picomatch';
import { lookAt, takeFiles, type GitLook } from './git-look.ts';
import { git, whyGitFailed } from './git.ts';
import { maskerFactory } from '../process/output/mask.ts';
import type { RunResult } from '../process/run.ts';

/** The base before the first commit: git's empty tree. */
const emptyTree = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';
const patchBytes = 1024 * 1024;
/**
 * Switches off configured programs that read files, and configuration that changes how differences
 * are shown.
 */
const fromTop = [
  '--no-ext-diff',
  '--no-textconv',
  // Not even git itself in a submodule, of which only the commit is known.
  '--ignore-submodules=dirty',
  '--submodule=short',
  '--no-renames',
  '--no-color',
  '--no-relative',
  '--src-prefix=a/',
  '--dst-prefix=b/',
];
const plain = [...fromTop, '--relative'];

interface Compared {
  /** Absolute path. */
  readonly workspace: string;
  /** A commit or tree in git's notation. */
  readonly base: string;
}

type Changes =
  | { readonly ok: true; readonly changed: readonly string[] }
  | { readonly ok: false; readonly problem: string };

interface Uncounted {
  /** Globs; each also matches everything below what it matches. */
  readonly ignored: readonly string[];
  /** Paths, including everything below them. */
  readonly ours: readonly string[];
}

/**
 * The files of a workspace, tracked or not, that differ from the base, without those that do not
 * count. Sorted, relative to the workspace.
 */
export async function changedFiles(compared: Compared, { ignored, ours }: Uncounted): Promise<Changes> {
  return withIndex(compared, async (tree, look) => {
    const listed = await look.git(['diff', '--name-only', '-z', ...plain, tree, '--', '.']);
    if (listed.exitCode !== 0) return problem(listed);
    const isIgnored = matcher(ignored);
    const isOurs = (path: string): boolean => ours.some((own) => `${path}/`.startsWith(`${own}/`));
    const changed = listed.stdout
      .split('\0')
      .filter((path) => path !== '' && !isIgnored(path) && !isOurs(path));
    changed.sort();
    return { ok: true, changed };
  });
}

interface Kept {
  /** Which of these paths, relative to the workspace, are left out. */
  readonly ours?: (changed: readonly string[]) => (path: string) => boolean;
  /** Bytes. */
  readonly limit?: number;
}

/**
 * The differences of a workspace from the base as a patch that git can apply, binary files
 * included, with secrets masked; at most `limit` bytes, cut at the end of a line with a note, small
 * files first. Paths start at the top of the repository, since `git apply` silently skips all
 * others. Null: no differences, or not a git working tree.
 */
export async function patchFromBase(
  compared: Compared,
  secrets: readonly string[],
  { ours = () => () => false, limit = patchBytes }: Kept = {},
): Promise<Buffer | null> {
  const found = await withIndex(compared, async (tree, look) => {
    const listed = await look.git(['diff', '--name-only', '-z', ...plain, tree, '--', '.']);
    if (listed.exitCode !== 0) return problem(listed);
    const changed = listed.stdout.split('\0').filter((path) => path !== '');
    const isOurs = ours(changed);
    const without = [...new Set(changed.filter(isOurs).map((path) => topmost(path, isOurs)))];
    const small = smallestFirst(
      compared.workspace,
      changed.filter((path) => !isOurs(path)),
    );
    const order = join(look.folder, 'order');
    const prefix = relative(look.top, realpathSync(compared.workspace));
    writeFileSync(order, small.map((path) => `${escapeGlob(join(prefix, path))}\n`).join(''));
    const left = without.map((path) => `:(exclude,literal)${path}`);
    const options = ['--binary', `-O${order}`, ...fromTop];
    const patch = await look.git(['diff', ...options, tree, '--', '.', ...left], {
      encoding: 'latin1',
      maxOutputBytes: limit,
    });
    if (patch.ended !== 'output-limit' && patch.exitCode !== 0) return problem(patch);
    return { ok: true as const, patch };
  });
  return !found.ok || found.patch.stdout === '' ? null : maskedPatch(found.patch, secrets);
}

/** The highest folder above a path that is ours as a whole; without one, the path. */
function topmost(path: string, isOurs: (path: string) => boolean): string {
  const segments = path.split('/');
  const count = segments.findIndex((_, at) => at > 0 && isOurs([...segments.slice(0, at), 'x'].join('/')));
  return count === -1 ? path : segments.slice(0, count).join('/');
}

/** git compares every path with each of these. */
const mostOrdered = 1_000;

function smallestFirst(workspace: string, paths: readonly string[]): string[] {
  const sizeOf = (path: string) => lstatSync(join(workspace, path), { throwIfNoEntry: false })?.size ?? 0;
  const sized = paths.map((path) => ({ path, size: sizeOf(path) }));
  const sorted = sized.toSorted((one, other) => one.size - other.size);
  return sorted.slice(0, mostOrdered).map(({ path }) => path);
}

/** A line of git's order file: a glob, which cannot name a line break. */
function escapeGlob(path: string): string {
  return path.replaceAll(/[\\*?[]|^#/g, '\\$&').replaceAll('\n', '?');
}

/**
 * The patch between two trees, limited to the workspace; paths start at the top, as `git apply`
 * needs them. Null: git cannot compare them.
 */
export async function patchBetween(
  { workspace, base }: Compared,
  tree: string,
  secrets: readonly string[],
  limit: number,
): Promise<Buffer | null> {
  const patch = await git(['diff', '--binary', ...fromTop, base, tree, '--', '.'], {
    cwd: workspace,
    encoding: 'latin1',
    maxOutputBytes: limit,
  });
  return patch.ended === 'output-limit' || patch.exitCode === 0 ? maskedPatch(patch, secrets) : null;
}

/**
 * The same for people to read, at most 1 MiB: binary files are only named. `without`: globs of
 * paths that are left out, relative to the workspace. `within`: the paths that are shown.
 */
export async function readableDifference(
  { workspace, base }: Compared,
  tree: string,
  without: readonly string[],
  secrets: readonly string[],
  within: readonly string[] = ['.'],
): Promise<string | null> {
  const shown = within.map((path) => `:(literal)${path}`);
  const left = without.map((glob) => `:(exclude,glob)${glob}`);
  const args = ['diff', ...plain, base, tree, '--', ...shown, ...left];
  const patch = await git(args, { cwd: workspace, encoding: 'latin1', maxOutputBytes: patchBytes });
  if (patch.ended !== 'output-limit' && patch.exitCode !== 0) return null;
  return maskedPatch(patch, secrets).toString('utf8');
}

function maskedPatch({ stdout, ended }: RunResult, secrets: readonly string[]): Buffer {
  const text = ended === 'output-limit' ? cut(stdout) : stdout;
  const masker = maskerFactory(secrets)();
  return Buffer.concat([masker.push(Buffer.from(text, 'latin1')), masker.flush()]);
}

/**
 * Calls `work` with the tree of the base and a temporary index that lists untracked files without
 * their content: the repository gets nothing but one empty blob.
 */
async function withIndex<T>(
  { workspace, base }: Compared,
  work: (tree: string, look: GitLook) => Promise<T>,
): Promise<T | { readonly ok: false; readonly problem: string }> {
  const found = await lookAt(workspace, async (look) => {
    const tree = await treeOf(workspace, base);
    if (tree === null) return { ok: false as const, problem: `git knows no commit ${JSON.stringify(base)}` };
    const added = await takeFiles(look, '--intent-to-add');
    return added.exitCode === 0 ? work(tree, look) : problem(added);
  });
  return found ?? { ok: false, problem: `${workspace} is not a git working tree` };
}

async function treeOf(workspace: string, base: string): Promise<string | null> {
  const args = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${base}^{tree}`];
  const named = await git(args, { cwd: workspace });
  if (named.exitCode === 0) return named.stdout.trim();
  return base === 'HEAD' ? emptyTree : null;
}

/**
 * Matches a path against globs, or a folder above the path. A leading `./` and a trailing slash are
 * ignored.
 */
function matcher(globs: readonly string[]): (path: string) => boolean {
  const plainGlobs = globs.map((glob) => glob.replace(/^(?:\.\/)+/, '').replace(/\/+$/, ''));
  if (plainGlobs.includes('.') || plainGlobs.includes('')) return () => true;
  return picomatch([...plainGlobs, ...plainGlobs.map((glob) => `${glob}/**`)], { dot: true, flags: 's' });
}

function problem(result: RunResult): { readonly ok: false; readonly problem: string } {
  return { ok: false, problem: `git cannot compare: ${whyGitFailed(result)}` };
}

function cut(patch: string): string {
  return `${patch.slice(0, patch.lastIndexOf('\n') + 1)}# cut here: the differences are longer\n`;
}
