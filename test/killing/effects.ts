/** What the effect's middle looks like: half of the bytes are written, or the process runs. */
export type Middle = 'half' | 'running';

/** A way in which the program changes something outside itself. */
export interface Effect {
  /** What it changes, in words for the report. */
  readonly what: string;
  /** Null: nothing lies between before and after. */
  readonly middle: Middle | null;
  /** True: only a sandbox needs it. */
  readonly sandboxed?: boolean;
}

export const at = (what: string, middle: Middle | null = null): Effect => ({ what, middle });

export const inSandbox = (what: string): Effect => ({ what, middle: null, sandboxed: true });

export type Moment = 'before' | 'during' | 'after';

export function momentsOf({ middle }: Effect): Moment[] {
  return middle === null ? ['before', 'after'] : ['before', 'during', 'after'];
}
