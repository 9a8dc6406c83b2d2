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

export const inSandbox = (what: string, middle: Middle | null = null): Effect => ({
  what,
  middle,
  sandboxed: true,
});

/** What keeps the places of what would be obeyed later, and is not there yet. */
export const ofHeldPlaces = {
  'held.make': inSandbox('keeps a place that is empty, and what would be obeyed there, from an agent'),
  'held.note': inSandbox('writes down which empty places it keeps', 'half'),
  'held.remove': inSandbox('removes what kept an empty place'),
} as const satisfies Record<string, Effect>;

export type Moment = 'before' | 'during' | 'after';

export function momentsOf({ middle }: Effect): Moment[] {
  return middle === null ? ['before', 'after'] : ['before', 'during', 'after'];
}
