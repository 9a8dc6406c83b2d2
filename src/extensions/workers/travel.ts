import { basename, dirname } from 'node:path';
import {
  dropWork,
  fetchWork,
  isInOrigin,
  keepWork,
  packOther,
  packWork,
  placeWork,
  readOther,
  sendWork,
  takeWork,
  unpackWork,
  type Packed,
  type Travelled,
  type TravellingTurn,
} from '../../git/travel.ts';
import { Checkout } from '../../git/checkout.ts';
import { enterCheckout } from '../../git/work.ts';
import { workspaceTree } from '../../git/workspace-tree.ts';
import type { Entered, Entering, Worked } from '../../kernel/work.ts';
import { HostFault } from '../../kernel/contained.ts';
import { messageOf } from '../../kernel/errors.ts';
import { RealDisk } from '../../disk/real-disk.ts';
import type { ParcelFile } from '../../git/parcel.ts';
import { differenceSince } from '../../host/runner/agents.ts';

/**
 * What the turns of workers do to the checkouts and files of this host, and to the repository that
 * all hosts share. Paths are absolute. Nothing of git rejects.
 */
export interface Travel {
  /** Prepares the checkout of a role. */
  enter(workspace: string, turn: Entering): Promise<Entered>;
  /** Brings a checkout to a commit, which is in the shared repository if it is not here. */
  place(workspace: string, turn: TravellingTurn, commit: string, ref: string): Promise<Travelled<void>>;
  /** Brings a packed checkout back to the commit it began at, unless another turn has it now. */
  clear(workspace: string, turn: TravellingTurn, commit: string): Promise<void>;
  /** The content of a checkout, as a commit; changes nothing there. */
  pack(workspace: string, turn: TravellingTurn): Promise<Travelled<Packed>>;
  /** Lays packed work out in a checkout. */
  unpack(workspace: string, turn: TravellingTurn, work: Packed): Promise<Worked>;
  /** `isFirst`: not where the shared repository has it in a branch, as far as is known here. */
  send(commit: string, ref: string, isFirst?: boolean): Promise<Travelled<void>>;
  fetch(commit: string, ref: string): Promise<Travelled<void>>;
  /**
   * Where the first of these refs is that the shared repository has; null: it has none. Only a
   * commit that is there is got.
   */
  take(commit: string, refs: readonly string[]): Promise<Travelled<string | null>>;
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
  /** Checkouts that were laid out for a turn which has not ended yet, by path. */
  readonly #placed = new Map<string, Checkout>();
  /** What is being laid out or cleared, by path. */
  readonly #placing = new Map<string, Promise<unknown>>();
  /** Many turns begin with the same commit: those that are here with their files ... */
  readonly #whole = new Set<string>();
  /** ... and those that a branch of `origin` had. */
  readonly #inOrigin = new Set<string>();

  constructor(options: GitTravelOptions) {
    this.#options = options;
  }

  enter(workspace: string, turn: Entering): Promise<Entered> {
    return enterCheckout(this.#options.project, workspace, turn);
  }

  place(workspace: string, turn: TravellingTurn, commit: string, ref: string): Promise<Travelled<void>> {
    return this.#inTurn(workspace, () => this.#place(workspace, turn, commit, ref));
  }

  async clear(workspace: string, turn: TravellingTurn, commit: string): Promise<void> {
    await this.#inTurn(workspace, async () => {
      if (this.#placed.has(workspace)) return;
      const files = new Checkout(workspace);
      const fetch = () => Promise.resolve(done);
      await placeWork(this.#options.project, workspace, turn, { commit, files, fetch });
    });
  }

  /** The next turn may begin in a checkout before it is cleared for the one before. */
  #inTurn<T>(workspace: string, act: () => Promise<T>): Promise<T> {
    const before = this.#placing.get(workspace) ?? Promise.resolve();
    const acting = before.then(act).finally(() => {
      if (this.#placing.get(workspace) === acting) this.#placing.delete(workspace);
    });
    this.#placing.set(workspace, acting);
    return acting;
  }

  async #place(
    workspace: string,
    turn: TravellingTurn,
    commit: string,
    ref: string,
  ): Promise<Travelled<void>> {
    const files = new Checkout(workspace);
    this.#placed.set(workspace, files);
    const fetch = () => this.fetch(commit, ref);
    const placed = await placeWork(this.#options.project, workspace, turn, { commit, files, fetch });
    // Somebody may have removed objects that nothing uses.
    if (!placed.ok) this.#whole.delete(commit);
    return placed;
  }

  pack(workspace: string, turn: TravellingTurn): Promise<Travelled<Packed>> {
    const placed = this.#placed.get(workspace);
    this.#placed.delete(workspace);
    const files = placed?.isKnown() === true ? placed : new Checkout(workspace);
    return packWork(this.#options.project, workspace, turn, files);
  }

  unpack(workspace: string, turn: TravellingTurn, work: Packed): Promise<Worked> {
    return unpackWork(this.#options.project, workspace, turn, work);
  }

  async send(commit: string, ref: string, isFirst = false): Promise<Travelled<void>> {
    const { project, git, isOrigin } = this.#options;
    if (!isFirst || !isOrigin) return sendWork(project, git, commit, ref);
    const isThere = this.#inOrigin.has(commit) || (await isInOrigin(project, commit));
    if (!isThere) return sendWork(project, git, commit, ref);
    remember(this.#inOrigin, commit);
    return done;
  }

  async fetch(commit: string, ref: string): Promise<Travelled<void>> {
    const { project, git } = this.#options;
    if (this.#whole.has(commit)) return done;
    const got = await fetchWork(project, git, commit, ref);
    if (got.ok) remember(this.#whole, commit);
    return got;
  }

  take(commit: string, refs: readonly string[]): Promise<Travelled<string | null>> {
    const { project, git } = this.#options;
    return takeWork(project, git, commit, refs);
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
    const bytes = new RealDisk(dirname(path), null).read(basename(path), Infinity);
    if (bytes === null) throw new HostFault('E_DISK', `${path} is gone`);
    return bytes.toString();
  }

  write(path: string, text: string): void {
    new RealDisk(dirname(path), null).write(basename(path), text);
  }
}

const done = { ok: true, value: undefined } as const;

/** What is known again at little cost need not be kept for long. */
function remember(known: Set<string>, commit: string): void {
  if (known.size >= 1_000) known.clear();
  known.add(commit);
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
