import type { EffectName, Moment } from './effects.ts';

export const containments = ['namespace', 'group', 'bubblewrap'] as const;
export type ContainmentName = (typeof containments)[number];

/** What can be left out of the controller, to see that the matrix notices. */
export type LeftOut = 'sync' | 'gate' | 'sweep';

/** Where a controller is to be killed: at the n-th effect of a name, counted from 1; `during` counts those with a middle. */
export interface Kill {
  readonly name: EffectName;
  readonly nth: number;
  readonly moment: Moment;
}

/** What a controller under test is told, as JSON in the variable `MAILROOM_KILL_MATRIX`. */
export interface Order {
  /** The built program, and the folder of its package. */
  readonly app: string;
  readonly packageRoot: string;
  readonly root: string;
  readonly temporary: string;
  /** Where the controller writes what it did (see `Told`); one JSON document a line. */
  readonly log: string;
  /** Where segments of the journal are kept that it removes, so that the whole history can be checked. */
  readonly kept: string;
  readonly kill: Kill | null;
  /** The power goes with the controller: what was not synced of the journal is lost. */
  readonly powerLoss: boolean;
  readonly leftOut: LeftOut | null;
  readonly containment: ContainmentName;
}

/** How often each effect was done, and how often with a middle. */
export type Census = Readonly<Partial<Record<EffectName, readonly [all: number, halves: number]>>>;

export type Told =
  | { readonly is: 'killed' }
  | { readonly is: 'unknown'; readonly operation: string }
  | { readonly is: 'ended'; readonly census: Census };
