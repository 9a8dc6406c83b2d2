import type { EffectName } from './effects.ts';

export interface Kill {
  readonly name: EffectName;
  readonly nth: number;
  readonly moment: 'before' | 'after';
}

/** What a program under the killer is told. */
export interface Order {
  readonly app: string;
  readonly packageRoot: string;
  readonly root: string;
  readonly temporary: string;
  /** Where it tells what happened, a line of JSON each. */
  readonly log: string;
  readonly kill: Kill | null;
}
