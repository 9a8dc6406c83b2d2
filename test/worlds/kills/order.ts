import type { Moment } from './effects.ts';

export const containments = ['namespace', 'group', 'bubblewrap'] as const;
export type ContainmentName = (typeof containments)[number];

/**
 * What can be left out of the program, to see that a matrix notices: the sync of the journal, or of what is copied; the
 * launch barrier; the sweep at a start; what the journal has after its first record.
 */
export type LeftOut = 'sync' | 'copy sync' | 'gate' | 'sweep' | 'memory';

/** What the killed program works at: the mail, or a run of a workflow. */
export type Subject = 'mail' | 'runs';

/** Where the program is to be killed: at the n-th effect of a name, counted from 1; `during` counts those with a middle. */
export interface Kill<Name extends string = string> {
  readonly name: Name;
  readonly nth: number;
  readonly moment: Moment;
}

/** How the program is started: killed or not, on a power failure, with something left out. */
export interface Start {
  readonly kill: Kill | null;
  /** The power goes with the program: what was not synced is lost. */
  readonly powerLoss?: boolean;
  readonly leftOut?: LeftOut | null;
}

/** What the program under the killer is told, as JSON in the variable `MAILROOM_KILL_MATRIX`. */
export interface Order extends Required<Start> {
  /** The built program, and the folder of its package. */
  readonly app: string;
  readonly packageRoot: string;
  readonly subject: Subject;
  readonly root: string;
  readonly temporary: string;
  /** Where the program writes what it did (see `Told`); one JSON document a line. */
  readonly log: string;
  /** Where segments of the journal are kept that it removes, so that the whole history can be checked. */
  readonly kept: string;
  readonly containment: ContainmentName;
}

/** How often each effect was done, and how often with a middle. */
export type Census = Readonly<Record<string, readonly [all: number, halves: number]>>;

export type Told =
  | { readonly is: 'killed' }
  | { readonly is: 'unknown'; readonly operation: string }
  | { readonly is: 'ended'; readonly census: Census };
