import {
  closeSync,
  copyFileSync,
  existsSync,
  lstatSync,
  readdirSync,
  renameSync,
  statSync,
  utimesSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { contentOf, openPlainFile } from '../process/plain-file.ts';
import type { RunResult } from '../process/run.ts';
import { realPlace, workingTreeAt } from '../process/sandbox/repository-place.ts';
import {
  copyIndex,
  hashBytes,
  listBytes,
  lookedAt,
  lookIn,
  pathOf,
  takeFiles,
  whyOf,
  type GitLook,
} from './git-look.ts';
import { isOurs } from './folder-changes.ts';
import { git } from './git.ts';
import { givenIn, isGiven, undoing } from './given.ts';
import { treeInIndex } from './plain-index.ts';
import { durably, GitProblem } from './refs.ts';
import { emptyStale, innerRepositories, workInside } from './submodules.ts';
import { treeChanges, type TreeChange } from './workspace-tree.ts';

/** The merge of two commits. */
export interface Merged {
  /** Its files, with conflict markers where both sides changed the same lines. */
  readonly tree: string;
  /**
   * The index entries of files that conflict, as `git ls-files --stage` prints them, a byte in each
   * character: names need not be UTF-8.
   */
  readonly conflicts: readonly string[];
}

/** The files that conflict, each once, as people read them. */
export function pathsOf(merged: Merged): string[] {
  return namesIn(merged).map((name) => readable(name));
}

/** The same, a byte in each character. */
function namesIn({ conflicts }: Merged): string[] {
  return [...new Set(conflicts.map((entry) => pathOf(entry)))];
}

function readable(name: string): string {
  return Buffer.from(name, 'latin1').toString('utf8');
}

/**
 * The files of a git checkout. They are read, merged and written without the filters, hooks and
 * merge programs of the repository's own configuration. Throws `GitProblem`.
 */
export class Checkout {
  readonly #path: string;
  /** Where git finds it; asked once, for all that one operation does here. */
  #place: ReturnType<typeof lookedAt> | null = null;
  /** How the files of the repository's settings were before. */
  #settings: string | null = null;

  /** `path`: absolute. */
  constructor(path: string) {
    this.#path = path;
  }

  /** Begins to find the repository, beside other work. */
  find(): ReturnType<typeof lookedAt> {
    if (this.#place === null) this.#settings = settingsSeen(this.#path);
    return (this.#place ??= lookedAt(this.#path));
  }

  /** Whether what is known of it still holds: its repository has the same settings. */
  isKnown(): boolean {
    return this.#settings !== null && this.#settings === settingsSeen(this.#path);
  }

  /** Merges two commits, durably, without touching the files here. */
  merge(ours: string, theirs: string): Promise<Merged> {
    return this.#look(async (look) => {
      const args = ['merge-tree', '--write-tree', '-z', '--no-messages', ours, theirs];
      const options = { maxOutputBytes: listBytes, encoding: 'latin1' } as const;
      const merged = await look.git([...durably, ...args], options);
      if (merged.exitCode !== 0 && merged.exitCode !== 1)
        throw new GitProblem(`the work cannot be merged: ${whyOf(merged)}`);
      const [tree = '', ...conflicts] = merged.stdout.split('\0').filter((word) => word !== '');
      return { tree, conflicts };
    });
  }

  /** Writes the files of a tree, removes those that it lacks, and leaves ignored ones. */
  layOut(tree: string): Promise<void> {
    return this.layOutMerge({ tree, conflicts: [] });
  }

  /** Like `layOut`, and files that conflict become unmerged entries of the index. */
  layOutMerge(merged: Merged): Promise<void> {
    return this.#look(async (look) => {
      this.#mustBeTop(look);
      copyIndex(look.index, join(look.folder, 'index'));
      const options = { cwd: look.top, timeoutMs: checkoutMs };
      const laid = await look.git(['read-tree', '--reset', '-u', merged.tree], options);
      const isWhole = laid.exitCode !== 0 || merged.conflicts.length === 0;
      const done = isWhole ? laid : await unmerge(look, merged);
      if (done.exitCode !== 0) throw new GitProblem(`the checkout cannot be written: ${whyOf(done)}`);
      putIndex(look);
      if (existsSync(join(look.top, '.gitmodules'))) await emptyStale(look.top);
    });
  }

  /** The files of a merge that still have conflict markers, or are unmerged and as laid out. */
  async unresolved(merged: Merged): Promise<Unresolved[]> {
    const listed = await git(['ls-files', '--unmerged', '-z'], {
      cwd: this.#path,
      maxOutputBytes: listBytes,
      encoding: 'latin1',
    });
    if (listed.exitCode !== 0) throw new GitProblem(`the index cannot be read: ${whyOf(listed)}`);
    const unmerged = new Set(listed.stdout.split('\0').map((entry) => pathOf(entry)));
    const changes = await treeChanges(this.#path, merged.tree, await this.#stage(false));
    const changed = new Set(changes?.map(({ path }) => path));
    return namesIn(merged)
      .map((name) => ({ name, path: readable(name), markers: this.#hasMarkers(name) }))
      .filter(({ name, path, markers }) => markers || (unmerged.has(name) && !changed.has(path)));
  }

  /** Whether every file that conflicts has conflict markers. */
  isMarked(merged: Merged): boolean {
    return namesIn(merged).every((name) => this.#hasMarkers(name));
  }

  #hasMarkers(name: string): boolean {
    const path = Buffer.concat([Buffer.from(`${this.#path}/`), Buffer.from(name, 'latin1')]);
    const file = openPlainFile(path);
    if (file === null) return false;
    try {
      return /^(?:<{7,}|>{7,}) /m.test(contentOf(file, readable(name)).toString('latin1'));
    } finally {
      closeSync(file);
    }
  }

  /**
   * The tree of all files that git does not ignore. Stages them, so that the checkout's own git
   * shows what is committed. `tip`: the commit that they are compared with; `known`: its tree, if
   * that is known; `given`: also the files that the step was given.
   */
  async tree(tip: string, known: string | null, { given = false } = {}): Promise<FoundTree> {
    const tree = await this.#stage(true, given ? null : tip);
    if (existsSync(join(this.#path, '.gitmodules'))) await this.#mustHaveNoWorkInside();
    if (tree === known) return { tree, changes: [], objects: [] };
    const changes = await treeChanges(this.#path, tip, tree, { folders: true });
    if (changes === null) throw new GitProblem(`the files cannot be compared with ${tip}`);
    const nested = changes.find(({ how, mode }) => how === 'A' && mode === '160000')?.path;
    if (nested !== undefined)
      throw new GitProblem(
        `\`${nested}\` is a repository of its own, and git commits only its name: remove \`${nested}/.git\``,
      );
    const here = changes.filter(({ how, mode }) => how !== 'D' && mode !== '160000');
    const objects = [tree, ...here.map(({ object }) => object)];
    return {
      tree,
      changes: changes.filter(({ mode, wasMode }) => ![mode, wasMode].includes('040000')),
      objects,
    };
  }

  /** Of a submodule only the commit is handed over, and only where others can fetch that. */
  async #mustHaveNoWorkInside(): Promise<void> {
    const { submodules } = await innerRepositories(this.#path);
    const inside = await workInside(this.#path, submodules);
    if (inside === null) return;
    const { path, work } = inside;
    throw new GitProblem(
      `\`${path}\` is a submodule, of which only the commit is handed over, and ${work}: undo it, or commit and push it in \`${path}\``,
    );
  }

  /** A tree with these changes undone. */
  undone(tree: string, changes: readonly TreeChange[]): Promise<string> {
    return this.#look(async (look) => {
      const steps = [
        () => look.git(['read-tree', tree]),
        () =>
          look.git(['update-index', '-z', '--replace', '--index-info'], {
            cwd: look.top,
            stdin: undoing(changes),
          }),
        () => look.git(['write-tree', '--missing-ok']),
      ];
      let printed = '';
      for (const step of steps) {
        const done = await step();
        if (done.exitCode !== 0)
          throw new GitProblem(`what does not travel cannot be left out: ${whyOf(done)}`);
        printed = done.stdout.trim();
      }
      return printed;
    });
  }

  /**
   * The same tree by one process, which changes nothing: where no file differs from the index, and
   * git has noted there what its tree is. Null: it is not known.
   */
  unchangedTree(): Promise<string | null> {
    return this.#look(async (look) => {
      this.#mustBeTop(look);
      const index = copyIndex(look.index, join(look.folder, 'index'));
      const tree = look.filters || index === null ? null : treeInIndex(index, hashBytes(look));
      if (tree === null) return null;
      const args = ['ls-files', '--modified', '--deleted', '--others', '--exclude-standard', '-z'];
      const found = await look.git(args, { cwd: look.top, maxOutputBytes: listBytes });
      return found.exitCode === 0 && found.stdout === '' ? tree : null;
    });
  }

  /**
   * What git ignores here and is not older than `since`, a folder (absolute): a new folder counts
   * as one, and what is new in an older ignored folder is not looked for. Empty also where git
   * cannot list it. Null: nothing is.
   */
  ignoredSince(since: string | null): Promise<string[]> {
    const began = since === null ? null : bornAt(since);
    if (began === null) return Promise.resolve([]);
    return this.#look(async (look) => {
      copyIndex(look.index, join(look.folder, 'index'));
      const args = ['ls-files', '--others', '--ignored', '--exclude-standard', '--directory', '-z'];
      const { exitCode, stdout } = await look.git(args, { cwd: look.top, maxOutputBytes: listBytes });
      const listed = exitCode === 0 ? stdout.split('\0').slice(0, -1) : [];
      const given = givenIn(this.#path);
      return (
        listed
          // Git also lists the folders around what it ignores, each before its content.
          .filter((path, at) => !(path.endsWith('/') && listed[at + 1]?.startsWith(path) === true))
          .filter((path) => !isOurs(path) && !isGiven(given, path.replace(/\/$/, '')))
          .filter((path) => (bornAt(join(look.top, path)) ?? -Infinity) >= began)
          .map((path) => onlyFileIn(look.top, path))
      );
    });
  }

  /**
   * `puts`: whether the checkout's own index gets them too; `tip`: what was given stays as it is
   * there.
   */
  #stage(puts: boolean, tip: string | null = null): Promise<string> {
    return this.#look(async (look) => {
      this.#mustBeTop(look);
      const taken = await takeFiles(look, '--all');
      if (taken.exitCode !== 0) throw unreadable(taken);
      const given = tip === null ? [] : givenIn(this.#path);
      const tree = await writtenTree(look);
      const apart = given.length === 0 ? tree : await withoutGiven(look, given, tip ?? '', tree);
      if (puts) putIndex(look);
      return apart;
    });
  }

  /** Else git would take the files of the project around it. */
  #mustBeTop({ top }: GitLook): void {
    if (top === realPlace(this.#path)) return;
    throw new GitProblem(`${this.#path} is not a checkout any more: its \`.git\` is gone`);
  }

  async #look<T>(work: (look: GitLook) => Promise<T>): Promise<T> {
    const found = await this.find();
    if (found.is === 'there') return lookIn(found, work);
    throw new GitProblem(`${this.#path} cannot be used: ${found.why ?? 'it lies in no repository'}`);
  }
}

/** An agent may have closed a folder, or something may be removed meanwhile. */
function seen<T>(act: () => T): T | undefined {
  try {
    return act();
  } catch {
    return undefined;
  }
}

/** When a file was made, in milliseconds since 1970; null: it cannot be seen. */
function bornAt(path: string): number | null {
  const stat = seen(() => lstatSync(path));
  // Some file systems do not know it.
  return stat === undefined ? null : stat.birthtimeMs || stat.mtimeMs;
}

/** The only file in a folder, at any depth; else the path itself. A folder ends in `/`. */
function onlyFileIn(top: string, path: string): string {
  for (let at = path; ;) {
    if (!at.endsWith('/')) return at;
    const [entry, ...more] = seen(() => readdirSync(join(top, at), { withFileTypes: true })) ?? [];
    if (entry === undefined || more.length > 0) return path;
    at = `${at}${entry.name}${entry.isDirectory() ? '/' : ''}`;
  }
}

export interface FoundTree {
  readonly tree: string;
  /** How its files differ from those of the commit. */
  readonly changes: readonly TreeChange[];
  /** Everything in it that the commit does not have there. */
  readonly objects: readonly string[];
}

interface Unresolved {
  readonly path: string;
  readonly markers: boolean;
}

const checkoutMs = 600_000;

function unreadable(failed: RunResult): GitProblem {
  return new GitProblem(`the files cannot be read: ${whyOf(failed)}`);
}

/** The tree of the look's index. */
async function writtenTree(look: GitLook): Promise<string> {
  const written = await look.git(['write-tree', '--missing-ok']);
  if (written.exitCode !== 0) throw unreadable(written);
  return written.stdout.trim();
}

/** The tree with the given folders as they are in the tip; the look's index follows. */
async function withoutGiven(
  look: GitLook,
  given: readonly string[],
  tip: string,
  tree: string,
): Promise<string> {
  const changes = await treeChanges(look.top, tip, tree);
  if (changes === null) throw new GitProblem(`the files cannot be compared with ${tip}`);
  const placed = changes.filter(({ path }) => isGiven(given, path));
  if (placed.length === 0) return tree;
  const args = ['update-index', '-z', '--replace', '--index-info'];
  const done = await look.git(args, { cwd: look.top, stdin: undoing(placed) });
  if (done.exitCode !== 0) throw unreadable(done);
  return writtenTree(look);
}

/** What changes with the settings of a checkout's own repository; null: there is none. */
function settingsSeen(path: string): string | null {
  const tree = workingTreeAt(path);
  if (tree === null) return null;
  const files = [join(tree.repository, 'config'), join(dirname(tree.index), 'config.worktree')];
  const found = files.map((file) => statSync(file, { bigint: true, throwIfNoEntry: false }));
  return found.map((stat) => (stat ? [stat.ino, stat.size, stat.ctimeNs].join('.') : '')).join(' ');
}

/** Replaces the entries of files that conflict by those of both sides. */
function unmerge({ git: run, top }: GitLook, merged: Merged) {
  const gone = namesIn(merged).map((path) => `0 ${'0'.repeat(merged.tree.length)}\t${path}`);
  const lines = [...gone, ...merged.conflicts].map((line) => `${line}\0`).join('');
  const stdin = Buffer.from(lines, 'latin1');
  return run(['update-index', '-z', '--index-info'], { cwd: top, stdin });
}

/** Puts the index of a look in the place of the checkout's own, with the time that git compares. */
export function putIndex({ folder, index }: GitLook): void {
  const [from, draft] = [join(folder, 'index'), `${index}.mailroom`];
  copyFileSync(from, draft);
  const { atime, mtime } = statSync(from);
  utimesSync(draft, atime, mtime);
  renameSync(draft, index);
}
