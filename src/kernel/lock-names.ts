/** What one process of a project at a time holds by the kernel's lock, from the project; no sandbox shows it. */
export const lockNames = {
  /** The controller. */
  project: '.mailroom/lock',
  /** Held while it is counted how many runs of the language nip go on. */
  start: '.mailroom/events/starting.lock',
  /** A file for each context folder; beside it, with the ending `.json`, who uses it. */
  contexts: '.mailroom/locks',
  /** A folder for each run, and the name of the lock in it. */
  runs: '.mailroom/runs',
  run: 'lock',
} as const;
