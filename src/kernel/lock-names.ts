/**
 * The lock files of a project, each held by one process at a time through the kernel. Sandboxes
 * hide them: a process that can read a file can lock it and keep the host out.
 */
export const lockNames = {
  /** The controller. */
  project: '.mailroom/lock',
  /** A file for each run and each context folder. */
  folder: '.mailroom/locks',
  /** Held while the running runs of the language nip are counted. */
  start: '.mailroom/locks/starting',
} as const;

/**
 * The keys, the socket and the lock of `serve`. Sandboxes hide this folder, too: an agent that
 * reads a key could approve in the name of a person.
 */
export const apiFolder = '.mailroom/api';
