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

/** What both programs do alike. */
export const commonEffects = {
  'blob.names': at('syncs the folder of long texts'),
  'blob.write': at('puts a long text in its place'),
  'containment.probe': at('tries a kind of containment', 'running'),
  'draft.open': at('makes a file beside, for a whole file to be written, or removes an old one'),
  'draft.sync': at('syncs a file beside'),
  'draft.write': at('writes into a file beside', 'half'),
  'held.make': inSandbox('keeps a place that is empty, and what would be obeyed there, from an agent'),
  'held.note': inSandbox('writes down which empty places it keeps', 'half'),
  'held.remove': inSandbox('removes what kept an empty place'),
  'ignore.write': at('makes git ignore its folder'),
  'journal.append': at('appends records', 'half'),
  'journal.begin': at('makes a segment of the journal'),
  'journal.cut': at('cuts a torn line off'),
  'journal.names': at('syncs the names of the journal, and of the folders that it lies in'),
  'journal.open': at('opens a segment that is there'),
  'journal.remove': at('removes a segment that a snapshot has replaced'),
  'journal.sync': at('syncs what was appended', 'running'),
  'lock.release': at('lets go of a project, a run or a context folder'),
  'lock.take': at('starts flock(1) to hold a project, a run or a context folder', 'running'),
  'other.refuse': at('puts aside what is in the place of a file or folder that it keeps'),
  'pipes.make': at('makes pipes for the output of programs'),
  'scratch.make': at('makes a throw-away folder'),
  'scratch.remove': at('removes a throw-away folder'),
  'seal.key': at('makes the key of the seals', 'half'),
  'snapshot.remove': at('removes a snapshot that a newer one has replaced'),
  'snapshot.write': at('puts a snapshot in its place'),
  'sweep.kill': at('kills what an earlier host left running'),
  'sweep.terminate': at('asks what an earlier host left running to end'),
  'tree.note': at('notes what a workspace holds, by a repository folder of its own', 'running'),
} as const satisfies Record<string, Effect>;

export type CommonEffect = keyof typeof commonEffects;

export type Moment = 'before' | 'during' | 'after';

export function momentsOf({ middle }: Effect): Moment[] {
  return middle === null ? ['before', 'after'] : ['before', 'during', 'after'];
}
