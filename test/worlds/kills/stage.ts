import type { Crash, Kind, Matrix } from './matrix.ts';
import type { Census, ContainmentName, LeftOut, Start } from './order.ts';
import { Place } from './place.ts';
import type { Program } from './program.ts';

/** `unreached`: the program came to its end before the place where it was to be killed. */
export interface Result {
  readonly problems: readonly string[];
  readonly unreached: boolean;
}

/** Exit codes of a program that did its work: all is well, something failed, it was cancelled. */
const proper = new Set<number | null>([0, 1, 130]);

/** Plays crashes, each on a copy of its kind's project. */
export class Stage<K extends Kind = Kind> {
  readonly matrix: Matrix<K>;
  readonly #program: Program;
  readonly #templates = new Map<string, Promise<Place>>();

  constructor(matrix: Matrix<K>, program: Program) {
    this.matrix = matrix;
    this.#program = program;
  }

  /** A place with the work of a kind in it. */
  async open(kind: K, containment: ContainmentName): Promise<Place> {
    const key = `${kind.name} ${containment}`;
    const template = this.#templates.get(key) ?? this.#make(kind, containment);
    this.#templates.set(key, template);
    const place = new Place(this.#program, containment, (await template).folder);
    await this.matrix.plant(kind, place);
    return place;
  }

  async #make(kind: K, containment: ContainmentName): Promise<Place> {
    const place = new Place(this.#program, containment);
    await this.matrix.found(kind, place);
    return place;
  }

  /** What the program does outside when nobody kills it: in this kind of work, or when it recovers from that. */
  async census(kind: K, containment: ContainmentName): Promise<Census> {
    const place = await this.open(kind, containment);
    try {
      if (kind.first) await this.#run(kind, place, { kill: kind.first });
      const { code, stderr, stdout } = await this.#run(kind, place, { kill: null });
      const told = place.told().at(-1);
      const unknown = place.unknown();
      if (told?.is !== 'ended' || !proper.has(code) || unknown.length > 0)
        throw new Error(
          `${kind.name} fails in ${containment} without a crash: ${unknown.join('; ')}${stderr}${stdout}`,
        );
      return told.census;
    } finally {
      await place.discard();
    }
  }

  /** Kills the program where the crash says (in recovery the one after it as well), starts it again, and checks. */
  async play(crash: Crash<K>, leftOut: LeftOut | null = null): Promise<Result> {
    const { kind, containment, kill, powerLoss } = crash;
    const place = await this.open(kind, containment);
    try {
      // What that one leaves is what the next must recover from: the power stays on.
      if (kind.first) await this.#run(kind, place, { kill: kind.first, leftOut });
      const before = place.told().length;
      await this.#run(kind, place, { kill, powerLoss, leftOut });
      const unreached = place
        .told()
        .slice(before)
        .every(({ is }) => is !== 'killed');
      if (kind.first) await this.#run(kind, place, { kill, powerLoss, leftOut });
      return { problems: await this.settle(place, kind, leftOut), unreached };
    } finally {
      await place.discard();
    }
  }

  /** Starts for good, and says what is wrong then. */
  async settle(place: Place, kind: K, leftOut: LeftOut | null): Promise<string[]> {
    const problems = await this.matrix.settle(kind, place, () =>
      this.#run(kind, place, { kill: null, leftOut }),
    );
    const survivors = place.survivors().map((process) => `left running: ${process}`);
    const held = place.heldPlaces().map((path) => `still held: ${path}`);
    return [...place.unknown(), ...survivors, ...held, ...problems];
  }

  #run(kind: K, place: Place, start: Start): ReturnType<Place['run']> {
    return place.run(this.matrix.argv(kind, place), start);
  }

  async close(): Promise<void> {
    for (const template of this.#templates.values()) await (await template).discard();
  }
}
