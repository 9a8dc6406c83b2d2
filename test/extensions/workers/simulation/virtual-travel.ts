import type { Travel } from '../../../../src/extensions/workers/travel.ts';
import type { Packed, TravellingTurn } from '../../../../src/git/travel.ts';
import type { Entered, Entering, Worked } from '../../../../src/kernel/work.ts';
import type { MemoryDisk } from '../../../support/memory-disk.ts';
import type { Resolves, VirtualWork } from '../../../worlds/simulation/mail/virtual-work.ts';
import type { EffectName, Fatal } from './fatal.ts';
import type { Network } from './network.ts';
import type { Asker } from '../../../worlds/simulation/mail/away.ts';

/** What all hosts share, and every commit that exists. */
export interface Shared {
  readonly network: Network;
  readonly fatal: Fatal;
  readonly work: VirtualWork;
  /** The refs of the shared repository. */
  readonly refs: Map<string, string>;
  readonly problems: string[];
}

type Travelled<T> =
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly problem: string };

/** What both sides do alike. `known`: the commits that a host has, which outlive its programs. */
abstract class VirtualTravel implements Travel {
  protected readonly shared: Shared;
  protected readonly known: Set<string>;
  readonly #asker: Asker;
  readonly #disk: MemoryDisk;

  constructor(shared: Shared, known: Set<string>, asker: Asker, disk: MemoryDisk) {
    this.shared = shared;
    this.known = known;
    this.#asker = asker;
    this.#disk = disk;
  }

  abstract enter(workspace: string, turn: Entering): Promise<Entered>;
  abstract place(
    workspace: string,
    turn: TravellingTurn,
    commit: string,
    ref: string,
  ): Promise<Travelled<void>>;
  abstract clear(workspace: string, turn: TravellingTurn, commit: string): Promise<void>;
  abstract pack(workspace: string, turn: TravellingTurn): Promise<Travelled<Packed>>;
  abstract unpack(workspace: string, turn: TravellingTurn, work: Packed): Promise<Worked>;

  /** What git does takes some time. */
  protected locally<T>(act: () => T): Promise<T> {
    return new Promise((resolve) => this.#asker.later(5, () => resolve(act())));
  }

  async #remotely<T>(effect: EffectName | null, act: () => T): Promise<Travelled<T>> {
    const { network, fatal } = this.shared;
    const send = (make: () => { readonly value: T }) => network.reach(this.#asker, make);
    const make = () => ({ value: act() });
    const done = await (effect === null ? send(make) : fatal.around(this.#asker, effect, make, send));
    return done === null
      ? { ok: false, problem: 'the shared repository is not reached' }
      : { ok: true, ...done };
  }

  send(commit: string, ref: string): Promise<Travelled<void>> {
    if (!this.known.has(commit)) this.shared.problems.push(`${commit} is sent by a host that has it not`);
    const effect = this.#asker.host === 'controller' ? 'begin.send' : 'end.send';
    return this.#remotely(effect, () => void this.shared.refs.set(ref, commit));
  }

  async fetch(commit: string, ref: string): Promise<Travelled<void>> {
    if (this.known.has(commit)) return { ok: true, value: undefined };
    const got = await this.#remotely(null, () => this.shared.refs.get(ref));
    if (!got.ok) return got;
    if (got.value !== commit) return { ok: false, problem: `${ref} has another commit than ${commit}` };
    this.known.add(commit);
    return { ok: true, value: undefined };
  }

  async take(commit: string, refs: readonly string[]): Promise<Travelled<string | null>> {
    const all = this.shared.refs;
    const find = () => refs.map((ref) => all.get(ref) ?? null).find(Boolean) ?? null;
    const got = await this.#remotely('end.take', find);
    if (got.ok && got.value === commit) this.known.add(commit);
    return got;
  }

  drop(refs: readonly string[]): Promise<Travelled<void>> {
    return this.#remotely('refs.drop', () => {
      for (const ref of refs) this.shared.refs.delete(ref);
    });
  }

  carry(): Promise<Travelled<string | null>> {
    return Promise.resolve({ ok: true, value: null });
  }

  lay(): Promise<Travelled<void>> {
    throw new Error('no file travels beside a checkout here');
  }

  keep(name: string): Promise<Travelled<string>> {
    return this.locally(() => ({ ok: true, value: `refs/mailroom/kept/turns/${name}` }));
  }

  tree(): Promise<string | null> {
    return Promise.resolve(null);
  }

  difference(): Promise<string | null> {
    return Promise.resolve(null);
  }

  read(path: string): string {
    return this.#disk.read(this.#inside(path), Infinity)?.toString() ?? '';
  }

  write(path: string, text: string): void {
    this.#disk.write(this.#inside(path), text);
  }

  #inside(path: string): string {
    return path.slice(this.#disk.root.length + 1);
  }
}

/** The checkouts of the controller's host. */
export class ControllerTravel extends VirtualTravel {
  readonly #isResolved: Resolves;

  constructor(isResolved: Resolves, ...given: ConstructorParameters<typeof VirtualTravel>) {
    super(...given);
    this.#isResolved = isResolved;
  }

  enter(_workspace: string, turn: Entering): Promise<Entered> {
    return this.locally(() => ({
      worked: this.shared.work.enter(turn, this.#isResolved),
      isClean: false,
    }));
  }

  place(): Promise<Travelled<void>> {
    throw new Error('a controller takes work from no other');
  }

  clear(): Promise<void> {
    throw new Error('a controller keeps its checkouts');
  }

  pack(_workspace: string, { branch }: TravellingTurn): Promise<Travelled<Packed>> {
    return this.locally(() => {
      const value = this.shared.work.pack(branch);
      this.known.add(value.commit).add(value.head);
      return { ok: true, value };
    });
  }

  unpack(_workspace: string, { branch }: TravellingTurn, packed: Packed): Promise<Worked> {
    return this.locally(() => {
      if (!this.known.has(packed.commit)) this.shared.problems.push(`${packed.commit} was not fetched`);
      return this.shared.work.unpack(branch, packed);
    });
  }
}

/** The checkouts of a worker: each begins with the commit that it was sent. */
export class WorkerTravel extends VirtualTravel {
  readonly #checkouts = new Map<string, Packed>();
  /** The branches whose checkouts no turn has. */
  readonly #left = new Set<string>();

  enter(): Promise<Entered> {
    throw new Error('a worker begins with the work of the controller');
  }

  async place(
    _workspace: string,
    { branch }: TravellingTurn,
    commit: string,
    ref: string,
  ): Promise<Travelled<void>> {
    const got = await this.fetch(commit, ref);
    if (!got.ok) return got;
    return this.locally(() => {
      this.#left.delete(branch);
      this.#checkouts.set(branch, { commit, head: commit });
      return got;
    });
  }

  clear(_workspace: string, { branch }: TravellingTurn, commit: string): Promise<void> {
    return this.locally(() => {
      if (this.#left.has(branch)) this.#checkouts.set(branch, { commit, head: commit });
    });
  }

  /** Its agent changes a file. */
  edit(branch: string): void {
    const { commit, head } = this.#checkouts.get(branch) ?? { commit: '', head: '' };
    const changed = this.shared.work.extend(commit, branch);
    this.known.add(changed);
    this.#checkouts.set(branch, { commit: changed, head });
  }

  pack(_workspace: string, { branch }: TravellingTurn): Promise<Travelled<Packed>> {
    return this.locally(() => {
      const value = this.#checkouts.get(branch);
      this.#left.add(branch);
      return value === undefined
        ? { ok: false, problem: `the branch ${branch} is gone` }
        : { ok: true, value };
    });
  }

  unpack(): Promise<Worked> {
    throw new Error('a worker gets no work back');
  }
}
