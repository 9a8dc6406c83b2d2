import { readFileSync, writeFileSync } from 'node:fs';
import {
  dropWork,
  fetchWork,
  keepWork,
  packOther,
  packWork,
  readOther,
  sendWork,
  unpackWork,
  type Packed,
  type Travelled,
  type TravellingTurn,
} from '../../git/travel.ts';
import { enterWork } from '../../git/work.ts';
import { workspaceTree } from '../../git/workspace-tree.ts';
import type { Entering, Worked } from '../../kernel/work.ts';
import { messageOf } from '../../kernel/errors.ts';
import { RealDisk } from '../../disk/real-disk.ts';
import type { ParcelFile } from '../../git/parcel.ts';
import { differenceSince } from './agents.ts';

/**
 * What the turns of workers do to the checkouts and files of this host, and to the repository that
 * all hosts share. Paths are absolute. Nothing of git rejects.
 */
export interface Travel {
  /** Prepares the checkout of a role. */
  enter(workspace: string, turn: Entering): Promise<Worked>;
  /** The content of a checkout, as a commit; changes nothing there. */
  pack(workspace: string, turn: TravellingTurn): Promise<Travelled<Packed>>;
  /** Lays packed work out in a checkout. */
  unpack(workspace: string, turn: TravellingTurn, work: Packed): Promise<Worked>;
  /** `isFirst`: not where the shared repository has it in a branch, as far as is known here. */
  send(commit: string, ref: string, isFirst?: boolean): Promise<Travelled<void>>;
  fetch(commit: string, ref: string): Promise<Travelled<void>>;
  /** Removes refs of the shared repository. */
  drop(refs: readonly string[]): Promise<Travelled<void>>;
  /** Packs files that lie in no checkout; null: none of them exists. */
  carry(paths: readonly string[]): Promise<Travelled<string | null>>;
  /**
   * Lays files out that were packed so, each below its path of the list, which lies in one of
   * `roots`.
   */
  lay(commit: string, paths: readonly string[], roots: readonly string[]): Promise<Travelled<void>>;
  /** Keeps work that is not sent in the repository of this host, and returns its ref. */
  keep(name: string, commit: string): Promise<Travelled<string>>;
  /** Git's name for the content of a checkout; null: there is none. */
  tree(workspace: string): Promise<string | null>;
  /** What a checkout has now and had not in that tree, for people; null: nothing. */
  difference(workspace: string, before: string): Promise<string | null>;
  read(path: string): string;
  write(path: string, text: string): void;
}

interface GitTravelOptions {
  readonly project: string;
  /** The address of the repository that all hosts can reach. */
  readonly git: string;
  /** Whether that is the remote `origin`, whose branches this host knows. */
  readonly isOrigin: boolean;
  /** Masked in differences. */
  readonly secrets: readonly string[];
}

export class GitTravel implements Travel {
  readonly #options: GitTravelOptions;

  constructor(options: GitTravelOptions) {
    this.#options = options;
  }

  enter(workspace: string, turn: Entering): Promise<Worked> {
    return enterWork(this.#options.project, workspace, turn);
  }

  pack(workspace: string, turn: TravellingTurn): Promise<Travelled<Packed>> {
    return packWork(this.#options.project, workspace, turn);
  }

  unpack(workspace: string, turn: TravellingTurn, work: Packed): Promise<Worked> {
    return unpackWork(this.#options.project, workspace, turn, work);
  }

  send(commit: string, ref: string, isFirst = false): Promise<Travelled<void>> {
    const { project, git, isOrigin } = this.#options;
    return sendWork(project, git, commit, ref, isFirst && isOrigin ? 'refs/remotes/origin/' : null);
  }

  fetch(commit: string, ref: string): Promise<Travelled<void>> {
    const { project, git } = this.#options;
    return fetchWork(project, git, commit, ref);
  }

  drop(refs: readonly string[]): Promise<Travelled<void>> {
    const { project, git } = this.#options;
    return dropWork(project, git, refs);
  }

  carry(paths: readonly string[]): Promise<Travelled<string | null>> {
    return packOther(this.#options.project, paths);
  }

  async lay(commit: string, paths: readonly string[], roots: readonly string[]): Promise<Travelled<void>> {
    const read = await readOther(this.#options.project, commit);
    if (!read.ok) return read;
    try {
      for (const file of read.value) layFile(file, paths, roots);
      return { ok: true, value: undefined };
    } catch (error) {
      return { ok: false, problem: messageOf(error) };
    }
  }

  keep(name: string, commit: string): Promise<Travelled<string>> {
    return keepWork(this.#options.project, name, commit);
  }

  tree(workspace: string): Promise<string | null> {
    return workspaceTree(workspace);
  }

  difference(workspace: string, before: string): Promise<string | null> {
    return differenceSince(workspace, before, this.#options.secrets);
  }

  read(path: string): string {
    return readFileSync(path, 'utf8');
  }

  write(path: string, text: string): void {
    writeFileSync(path, text);
  }
}

function layFile(
  { index, below, bytes, isExecutable }: ParcelFile,
  paths: readonly string[],
  roots: readonly string[],
): void {
  const path = paths[index];
  const root = roots.find((each) => path?.startsWith(`${each}/`) === true);
  if (path === undefined || root === undefined) throw new Error(`nothing is known of file ${String(index)}`);
  // It refuses to leave its root through a link.
  const disk = new RealDisk(root, null);
  const target = [path.slice(root.length + 1), ...below].join('/');
  if (disk.look(target)?.kind === 'folder') disk.remove(target);
  disk.write(target, bytes, isExecutable ? { mode: 0o755 } : {});
}
