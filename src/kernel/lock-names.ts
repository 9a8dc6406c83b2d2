/**
 * What one process of a project at a time holds by the kernel's lock, from the project. No sandbox shows it: whoever may read a
 * file can lock it and keep the host out.
 */
export const lockNames = {
  /** The controller. */
  project: '.mailroom/lock',
  /** A file for each run and each context folder. */
  folder: '.mailroom/locks',
  /** Held while it is counted how many runs of the language nip go on. */
  start: '.mailroom/locks/starting',
} as const;
