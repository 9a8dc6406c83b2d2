import { afterAll, beforeAll } from 'vitest';
import type { Moment } from './effects.ts';
import { containmentsHere, describeCrash, type Crash, type Kind, type Matrix } from './matrix.ts';
import type { ContainmentName, LeftOut } from './order.ts';
import { playAll } from './plan.ts';
import { buildProgram } from './program.ts';
import { Stage, type Result } from './stage.ts';

/** How many projects are worked on at once: most of the time they wait. */
const most = 4;

/** A crash in words: in what kind of work, where, the n-th time, when; how, if not in the best containment with the power on. */
export type CrashWords<Name extends string> = readonly [
  kind: string,
  name: Name,
  nth: number,
  moment: Moment,
  how?: Partial<Pick<Crash, 'containment' | 'powerLoss'>>,
];

export const group = { containment: 'group' } as const;
export const outage = { ...group, powerLoss: true };

/** For a test file: builds the program once, and plays crashes of a matrix. */
export class Player<K extends Kind, Name extends string> {
  readonly #matrix: Matrix<K>;
  #stage: Stage<K> | null = null;
  #containments: readonly ContainmentName[] = [];

  constructor(matrix: Matrix<K>) {
    this.#matrix = matrix;
    let remove = (): void => {};
    beforeAll(async () => {
      const built = await buildProgram(matrix.subject);
      remove = built.remove;
      this.#stage = new Stage(matrix, built.program);
      this.#containments = await containmentsHere();
    });
    afterAll(async () => {
      await this.#stage?.close();
      remove();
    });
  }

  crash([kind, name, nth, moment, how = {}]: CrashWords<Name>): Crash<K> {
    const found = this.#matrix.kinds.find((each) => each.name === kind);
    if (!found) throw new Error(`there is no kind ${kind}`);
    const containment = this.#containments[0] ?? 'group';
    return { kind: found, containment, kill: { name, nth, moment }, powerLoss: false, ...how };
  }

  /** Plays crashes; resolves to those that were not reached or after which something did not hold, with what. */
  async failures(crashes: readonly CrashWords<Name>[]): Promise<string[][]> {
    const verdicts = await playAll(
      this.#staged,
      crashes.map((each) => this.crash(each)),
      most,
    );
    return verdicts
      .filter(({ problems, unreached }) => unreached || problems.length > 0)
      .map(({ crash, problems }) => [describeCrash(crash), ...problems]);
  }

  /** The same crash of the program as it is, and of one that leaves something out. */
  compare(words: CrashWords<Name>, leftOut: LeftOut): Promise<[whole: Result, broken: Result]> {
    const crash = this.crash(words);
    return Promise.all([this.#staged.play(crash), this.#staged.play(crash, leftOut)]);
  }

  get #staged(): Stage<K> {
    if (!this.#stage) throw new Error('the program is not built yet');
    return this.#stage;
  }
}
