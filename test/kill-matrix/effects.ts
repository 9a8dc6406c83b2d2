/** What the effect's middle looks like: half of the bytes are written, or the process runs. */
export type Middle = 'half' | 'running';

export interface Effect {
  /** What it changes, in words for the report. */
  readonly what: string;
  /** Null: nothing lies between before and after. */
  readonly middle: Middle | null;
}

const at = (what: string, middle: Middle | null = null): Effect => ({ what, middle });

/** Every way in which the controller changes something outside itself. The list is closed: anything else is an error. */
export const effects = {
  'accept.keep': at('moves a taken-in file that is no text to `failed/`'),
  'accept.release': at('removes a taken-in file that the journal has'),
  'accept.take': at('takes a dropped file in, by one rename'),
  'blob.names': at('syncs the folder of long texts'),
  'blob.write': at('puts a long text in its place'),
  'boot.write': at('writes down in which boot of the machine it ran'),
  'containment.probe': at('tries a kind of containment', 'running'),
  'control.take': at('removes a command that the journal has'),
  'draft.open': at('makes a file beside, for a whole file to be written'),
  'draft.sync': at('syncs a file beside'),
  'draft.write': at('writes into a file beside', 'half'),
  'gate.spawn': at('starts the program of a gate', 'running'),
  'holder.remove': at('forgets who holds the project'),
  'holder.write': at('writes down who holds the project'),
  'journal.append': at('appends records', 'half'),
  'journal.begin': at('makes a segment of the journal'),
  'journal.cut': at('cuts a torn line off'),
  'journal.names': at('syncs the names of the journal, and of the folders that it lies in'),
  'journal.open': at('opens a segment that is there'),
  'journal.remove': at('removes a segment that a snapshot has replaced'),
  'journal.sync': at('syncs what was appended'),
  'lock.release': at('lets go of the project'),
  'lock.take': at('starts flock(1) to hold the project', 'running'),
  'mailbox.folder': at('makes a mail folder'),
  'parked.write': at('shares that a provider is at its limit'),
  'person.notify': at('starts the command that tells a person', 'running'),
  'picture.move': at('moves a waiting file to where its message is now'),
  'picture.remove': at('removes a file from an inbox'),
  'picture.write': at('puts a message into a mail folder'),
  'pipes.make': at('makes pipes for the output of programs'),
  'project.folder': at('makes a folder of its own'),
  'reason.write': at('puts the reason beside a failed file'),
  'scratch.make': at('makes a throw-away folder'),
  'scratch.remove': at('removes a throw-away folder'),
  'snapshot.remove': at('removes a snapshot that a newer one has replaced'),
  'snapshot.write': at('puts a snapshot in its place'),
  'sweep.kill': at('kills what an earlier controller left running'),
  'sweep.terminate': at('asks what an earlier controller left running to end'),
  'trail.import': at('starts git to import commits', 'running'),
  'trail.pack': at('starts git to roll packs up', 'running'),
  'trail.ref': at('starts git to move the branch of the trail', 'running'),
  'tree.note': at('notes what a workspace holds, by an index of its own', 'running'),
  'turn.borrow': at('moves what a role wrote into its own outbox to its turn'),
  'turn.clear': at('empties a staging folder'),
  'turn.collect': at('copies what was staged'),
  'turn.file': at('writes a file that a provider wants', 'half'),
  'turn.folder': at('makes a folder of a turn'),
  'turn.input': at('writes what an agent reads from standard input', 'half'),
  'turn.kill': at('kills a process'),
  'turn.message': at('copies a message for a turn'),
  'turn.output': at('writes down what a process prints', 'half'),
  'turn.prompt': at('writes a prompt'),
  'turn.release': at('opens the launch gate'),
  'turn.result': at('writes the result of a turn for people'),
  'turn.spawn': at('starts an agent behind the launch gate', 'running'),
  'turn.terminate': at('asks a process to end'),
  'worktree.make': at('makes the git worktree of a thread', 'running'),
  'worktree.prune': at('makes git forget worktrees that are gone', 'running'),
} as const satisfies Record<string, Effect>;

export type EffectName = keyof typeof effects;

export const effectNames = Object.keys(effects) as EffectName[];

export type Moment = 'before' | 'during' | 'after';

export function momentsOf(name: EffectName): Moment[] {
  return effects[name].middle === null ? ['before', 'after'] : ['before', 'during', 'after'];
}
