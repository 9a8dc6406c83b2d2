import {
  closeSync,
  existsSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { isPassing } from '../kernel/passing.ts';
import { messageOf } from '../kernel/errors.ts';
import { git, whyGitFailed, type GitOptions } from './git.ts';
import { isPlainIndex } from './plain-index.ts';
import { contentOf, openPlainFile } from '../process/plain-file.ts';
import type { RunResult } from '../process/run.ts';
import { workingTreeAt } from '../process/sandbox/repository-place.ts';
import { inTemporary } from '../process/temporaries.ts';

/*
 * A process that can write in a workspace can make git read its configuration there, and git would
 * run the filters that it names with Mailroom's permissions. So git reads files through a separate
 * repository folder, which has the objects of the original and from its configuration only how
 * files are read. Filters of the user's own configuration (`git lfs install`) run as always.
 */

/** None of these settings names a program. */
const copiedSettings = `
  core.autocrlf core.eol core.safecrlf core.filemode core.ignorecase core.precomposeunicode core.symlinks
  core.trustctime core.checkstat core.sparsecheckout core.excludesfile core.attributesfile`
  .trim()
  .split(/\s+/);

/** Output limit for listing the index of a large repository, in bytes. */
export const listBytes = 256 * 1024 * 1024;

export interface GitLook {
  /** The separate repository folder, with its own index, which is empty at first. */
  readonly folder: string;
  /** The top of the working tree. */
  readonly top: string;
  /** The user's index. */
  readonly index: string;
  /** Whether the repository itself has filters. They do not run: files are read unfiltered. */
  readonly filters: boolean;
  /** `sha1` or `sha256`. */
  readonly format: string;
  /**
   * Runs git on the working tree with the separate repository folder; in the workspace unless
   * `options` says otherwise.
   */
  readonly git: (args: readonly string[], options?: Partial<GitOptions>) => Promise<RunResult>;
}

/**
 * Calls `work` with a look at the working tree that a folder lies in. Null if there is none, or if
 * git refuses it, after a call of `refused` with the reason.
 */
export async function lookAt<T>(
  workspace: string,
  work: (look: GitLook) => Promise<T>,
  refused: (why: string) => void = () => {},
): Promise<T | null> {
  const place = await lookedAt(workspace);
  if (place.is === 'there') return lookIn(place, work);
  if (place.why !== null) refused(place.why);
  return null;
}

/** Where a working tree and its repository lie, and how its files are read. */
export interface LookedAt {
  readonly is: 'there';
  readonly workspace: string;
  readonly top: string;
  readonly format: string;
  readonly index: string;
  readonly objects: string;
  /** What the separate repository folder shares with the original, where it exists. */
  readonly shared: readonly string[];
  readonly settings: readonly string[];
  readonly filters: boolean;
}

/** For `lookIn`. `why`: why git refuses it; null: the folder lies in no working tree. */
export async function lookedAt(
  workspace: string,
): Promise<LookedAt | { readonly is: 'none'; readonly why: string | null }> {
  const { usesLfs, isHere, ...read } = await settingsOf(workspace);
  const tree = isHere ? workingTreeAt(workspace) : null;
  const found = tree === null ? await askedWhere(workspace) : { is: 'found' as const, ...tree };
  if (found.is === 'none') return found;
  const { top, index, repository } = found;
  const [objects = '', info = '', shallow = '', lfs = ''] = ['objects', 'info', 'shallow', 'lfs'].map(
    (name) => join(repository, name),
  );
  if (usesLfs) makeFolder(lfs);
  return { is: 'there', workspace, top, index, objects, shared: [info, shallow, lfs], ...read };
}

/** By git itself, which also says why it refuses a repository. */
async function askedWhere(workspace: string) {
  const args = ['rev-parse', '--show-toplevel', '--git-path', 'index', '--git-common-dir'];
  const where = await git(args, { cwd: workspace });
  const [top = '', index, repository] = where.stdout.replace(/\n$/, '').split('\n');
  if (where.exitCode === 0 && index !== undefined && repository !== undefined)
    return {
      is: 'found' as const,
      top,
      index: resolve(workspace, index),
      repository: resolve(workspace, repository),
    };
  const isMissing = where.ended === 'spawn-failed' && !isPassing(where.error ?? '');
  const isOutside = isMissing || outside.test(where.stderr);
  return { is: 'none' as const, why: isOutside ? null : whyOf(where) };
}

/** LFS stores the content of files there, which must outlive the separate repository folder. */
function makeFolder(path: string): void {
  try {
    mkdirSync(path, { recursive: true });
  } catch {
    // In a repository that is read-only nothing is stored.
  }
}

/** Like `lookAt`, without the processes that find the repository and read its settings. */
export function lookIn<T>(place: LookedAt, work: (look: GitLook) => Promise<T>): Promise<T> {
  const { workspace, top, format, index, objects, settings, filters } = place;
  return inTemporary((folder) => {
    makeRepository(folder, format);
    const split = namesIn(dirname(index)).filter((name) => name.startsWith('sharedindex.'));
    for (const path of [...place.shared, ...split.map((name) => join(dirname(index), name))])
      if (existsSync(path)) symlinkSync(path, join(folder, path.slice(dirname(path).length + 1)));
    const ours = { GIT_DIR: folder, GIT_WORK_TREE: top, GIT_OBJECT_DIRECTORY: objects };
    const run: GitLook['git'] = (words, options = {}) =>
      git([...settings, ...words], { cwd: workspace, ...options, env: { ...ours, ...options.env } });
    return work({ folder, top, index, filters, format, git: run });
  });
}

/** Git's message where there is no repository; for a broken one the message differs. */
const outside = /not a git repository \(or any/;

/** Why git failed, in one line. */
export function whyOf(result: RunResult): string {
  return whyGitFailed(result).replace(/^(error|fatal): /, '');
}

/** `isHere`: the settings of a repository were read that says nothing of where its files lie. */
async function settingsOf(
  workspace: string,
): Promise<
  Pick<LookedAt, 'format' | 'settings' | 'filters'> & { readonly usesLfs: boolean; readonly isHere: boolean }
> {
  const { exitCode, stdout } = await git(['config', '--list', '--show-scope', '-z'], { cwd: workspace });
  const words = stdout.split('\0');
  // Scope, then name and value; a name alone means true.
  const pairs = words.flatMap((entry, at) =>
    at % 2 === 1 ? [[words[at - 1], ...entry.split(/\n(.*)/s)]] : [],
  );
  const settings = pairs
    .filter(([, name = '']) => copiedSettings.includes(name))
    .flatMap(([, name = '', value]) => ['-c', value === undefined ? name : `${name}=${value}`]);
  const own = pairs.filter(([scope]) => scope === 'local' || scope === 'worktree');
  const says = (setting: string) => own.findLast(([, name]) => name === setting)?.[2];
  return {
    format: says('extensions.objectformat') ?? 'sha1',
    settings,
    usesLfs: pairs.some(([, name = '']) => name.startsWith('filter.lfs.')),
    filters: own.some(([, name = '']) => name.startsWith('filter.')),
    isHere:
      exitCode === 0 &&
      says('core.repositoryformatversion') !== undefined &&
      says('core.worktree') === undefined &&
      says('core.bare') !== 'true',
  };
}

function makeRepository(folder: string, format: string): void {
  const extension = format === 'sha1' ? '' : `[extensions]\nobjectFormat = ${format}\n`;
  const version = format === 'sha1' ? 0 : 1;
  writeFileSync(
    join(folder, 'config'),
    `[core]\nrepositoryFormatVersion = ${version}\nbare = false\n${extension}`,
  );
  writeFileSync(join(folder, 'HEAD'), 'ref: refs/heads/none\n');
  mkdirSync(join(folder, 'refs'));
}

/**
 * Adds to the index of a look the files of the user's index and of the working tree below the
 * workspace, without ignored ones: with their content, or only their names. `index` receives the
 * user's index as `trackedIn` reads it; null: it is not needed. Returns the result of the git
 * command that failed, otherwise of the one that read the folders.
 */
export async function takeFiles(
  look: GitLook,
  what: '--all' | '--intent-to-add',
  index: ((listed: string) => void) | null = null,
): Promise<RunResult> {
  // A file outside of the cone of a sparse checkout counts, too, if it is there.
  const add = () => look.git(['add', what, '--sparse', '--', '.']);
  const readsAll = look.filters && what === '--all';
  try {
    const copied = copyIndex(look.index, join(look.folder, 'index'));
    const isPlain = copied !== null && isPlainIndex(copied, hashBytes(look));
    if (isPlain && !readsAll && index === null) return await add();
  } catch (error) {
    return { exitCode: 1, signal: null, ended: 'exited', error: null, stdout: '', stderr: messageOf(error) };
  }
  const listed = await look.git(['ls-files', '--stage', '-v', '-z'], {
    cwd: look.top,
    maxOutputBytes: listBytes,
  });
  if (listed.exitCode !== 0) return listed;
  index?.(listed.stdout);
  const tagged = listed.stdout.split('\0').filter((entry) => entry !== '');
  const entries = tagged.map((entry) => entry.slice(2));
  const links = entries.filter((entry) => entry.startsWith('160000 '));
  const set = (lines: readonly string[]) =>
    look.git(['update-index', '-z', '--index-info'], {
      cwd: look.top,
      stdin: lines.map((line) => `${line}\0`).join(''),
    });
  // A file that a repository's filter wrote differs from the index: it would be restored in a form
  // that no program can read.
  if (readsAll) rmSync(join(look.folder, 'index'), { force: true });
  // In a repository that the index knows, `git add` would run `git status` with that repository's
  // configuration.
  const gone = links.map((link) => link.replace(/^160000 (\S+) \d/, '0 $1'));
  // Git takes a file with such a flag (`--assume-unchanged`, `--skip-worktree`) for unchanged
  // without looking.
  const isLeftOut = await leftOut(look, tagged);
  const believed = tagged
    .filter((entry) => /^[a-zS]/.test(entry))
    .map((entry) => entry.slice(2))
    .filter((entry) => !isLeftOut(entry));
  const known = (readsAll ? entries : believed).filter((entry) => !links.includes(entry));
  const lines = [...(readsAll ? [] : gone), ...known];
  const begun = lines.length === 0 ? listed : await set(lines);
  if (begun.exitCode !== 0) return begun;
  const added = await add();
  if (added.exitCode !== 0 || links.length === 0) return added;
  const now = await look.git(['ls-files', '-z'], { cwd: look.top, maxOutputBytes: listBytes });
  const taken = new Set(now.stdout.split('\0'));
  // Submodules without a checkout, and those beside the workspace.
  const back = await set(
    links.filter((link) => !taken.has(pathOf(link)) && isFolder(look.top, pathOf(link))),
  );
  return back.exitCode === 0 ? added : back;
}

/**
 * Returns a test for lines of `ls-files` whose files a sparse checkout leaves out: flagged and
 * missing.
 */
async function leftOut(look: GitLook, tagged: readonly string[]): Promise<(entry: string) => boolean> {
  if (!tagged.some((entry) => /^s/i.test(entry))) return () => false;
  const sparse = await look.git(['config', '--type=bool', 'core.sparseCheckout']);
  const skipped = new Set(tagged.filter((entry) => /^s/i.test(entry)).map((entry) => entry.slice(2)));
  const isThere = (path: string) => lstatSync(join(look.top, path), { throwIfNoEntry: false }) !== undefined;
  return (entry) => sparse.stdout.trim() === 'true' && skipped.has(entry) && !isThere(pathOf(entry));
}

/** How many bytes the name of an object has. */
export function hashBytes({ format }: Pick<GitLook, 'format'>): number {
  return format === 'sha1' ? 20 : 32;
}

/** The paths in an index that `takeFiles` listed, from the top of the working tree. */
export function trackedIn(listed: string): Set<string> {
  return new Set(listed.split('\0').map(pathOf));
}

/** The path in a line of `ls-files --stage`. */
export function pathOf(entry: string): string {
  return entry.slice(entry.indexOf('\t') + 1);
}

/** Whether the path is a folder, reached through no link. */
function isFolder(top: string, path: string): boolean {
  const place = join(top, path);
  try {
    return lstatSync(place).isDirectory() && realpathSync(place) === join(realpathSync(top), path);
  } catch {
    return false;
  }
}

/** Empty for a folder that cannot be listed: git itself reports what it lacks. */
function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/**
 * Copies a git index if it exists, and returns its content. The copy keeps the original's time:
 * from that git knows which files may have been edited at the very time of writing, and reads their
 * content. Throws if the index is a pipe or too large for memory: an agent could have put it there.
 */
export function copyIndex(from: string, to: string): Buffer | null {
  const descriptor = openPlainFile(from);
  if (descriptor === null) return null;
  try {
    const content = contentOf(descriptor, from);
    writeFileSync(to, content);
    const seconds = (Math.floor(fstatSync(descriptor).mtimeMs) - 1) / 1000;
    utimesSync(to, seconds, seconds);
    return content;
  } finally {
    closeSync(descriptor);
  }
}
