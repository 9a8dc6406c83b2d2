/**
 * The closed set of error codes. A code never changes its meaning; docs/errors.md explains each.
 * The number is the exit code of a command that ends with it.
 */
export const errorCodes = {
  /** An invalid command line: unknown command, missing argument, bad flag value. */
  E_USAGE: 2,
  /** YAML that cannot be read. */
  E_YAML: 2,
  /** A key that the format does not have. */
  E_UNKNOWN_KEY: 2,
  /** A required key is missing. */
  E_MISSING_KEY: 2,
  /** A value of the wrong type or out of range. */
  E_VALUE: 2,
  /** A role or message type that no protocol file defines. */
  E_UNKNOWN_NAME: 2,
  /** A role, type or key defined twice, or a built-in name redefined. */
  E_DUPLICATE: 2,
  /**
   * A well-formed protocol that cannot work: a request without a possible answer, a type without a
   * receiver.
   */
  E_PROTOCOL: 2,
  /**
   * A well-formed workflow that cannot work: steps that wait for each other, inputs that no step
   * produces.
   */
  E_WORKFLOW: 2,
  /**
   * An expression that cannot be parsed, reads a value before it exists, or can never have a
   * fitting value.
   */
  E_EXPRESSION: 2,
  /** The exploration found a sequence of messages after which a role waits forever. */
  E_STUCK: 2,
  /** Work of agents lands on the branch that is checked out in the project. */
  E_LANDS: 2,
  /** A permission that a provider can only grant more broadly than requested. */
  E_CAPABILITY: 2,
  /**
   * An agent, skill or module that a workflow refers to, or a file that a protocol extends, does
   * not exist.
   */
  E_REFERENCE: 2,
  /** There is no project here, or it has no protocol. */
  E_NO_PROJECT: 2,
  /** An id that matches nothing, or more than one thing. */
  E_TARGET: 2,
  /** The workspace of a run is on a git branch on which its workflow must not work. */
  E_BRANCH: 1,
  /**
   * The working folder of a step does not exist, no git worktree can be made for a thread, or the
   * checkout of a role cannot be prepared.
   */
  E_WORKSPACE: 1,
  /** A path that would leave the project. */
  E_PATH: 3,
  /** A file that cannot be read as a message. */
  E_MESSAGE: 1,
  /** A message that the protocol forbids. */
  E_FORBIDDEN: 1,
  /** A file that is too large, not a regular file, or not text. */
  E_FILE: 1,
  /** A budget of money or tokens that the next launch would exceed. */
  E_BUDGET: 1,
  /** A thread has used all of its turns. */
  E_TURNS: 1,
  /** A request was not answered in time. */
  E_TIMEOUT: 124,
  /** A step's process printed nothing for longer than its `idle_timeout`. */
  E_STALLED: 124,
  /** The conversation to resume no longer exists. */
  E_SESSION: 1,
  /** The work that a turn picked up conflicts with that of its role, and lies in its checkout. */
  E_CONFLICT: 1,
  /** A turn changed files that it is not permitted to change. */
  E_PERMISSIONS: 1,
  /** A turn failed permanently. */
  E_TURN: 1,
  /** A step of a workflow failed, or a sequence led to an error. */
  E_STEP: 1,
  /** An output of a step is missing or has the wrong type. */
  E_OUTPUT: 1,
  /** An expression reads a variable, parameter or step result that does not exist. */
  E_VAR_MISSING: 1,
  /** A completion check without a verdict. */
  E_CHECK: 1,
  /** Work that its checks found incomplete until the last attempt. */
  E_INCOMPLETE: 1,
  /** Several steps failed in the same way: no more launches. */
  E_BREAKER: 1,
  /** A role waits for a message that can never arrive. */
  E_DEADLOCK: 1,
  /** A file that looks like mail, where no role reads it. */
  E_MISPLACED: 2,
  /** The folder of waiting mail is gone. */
  E_MAIL_VANISHED: 1,
  /** A damaged journal. */
  E_JOURNAL: 1,
  /** A run's projection that a person has damaged, and that the run is to rely on. */
  E_STATE: 2,
  /** The disk refused a read or write. */
  E_DISK: 1,
  /** A port of this machine is taken, or not open to this user. */
  E_PORT: 2,
  /** Another controller has locked the project. */
  E_LOCKED: 1,
  /** A request to the API without a key, with a wrong one, or one that does not permit this. */
  E_KEY: 1,
  /** State of Mailroom tracked by git: the repository's author may have forged it. */
  E_TRACKED: 2,
  /** State of Mailroom that a newer version wrote. */
  E_NEWER: 2,
  /** A workflow that has changed since it was confirmed. */
  E_UNCONFIRMED: 1,
  /** A command that an agent must not run inside its own turn. */
  E_INSIDE_TURN: 1,
  /** A command that the controller refused. */
  E_REFUSED: 1,
  /** A provider is missing or cannot be used. */
  E_PROVIDER: 1,
  /** An agent's program has no valid login. */
  E_LOGIN: 1,
  /** A worker host could not run a turn, or was lost while it did. */
  E_WORKER: 1,
  /** The trail cannot be written to its branch. */
  E_TRAIL: 1,
  /** Stopped by a person. */
  E_CANCELLED: 130,
  /** A bug in Mailroom. */
  E_INTERNAL: 1,
} as const;

export type ErrorCode = keyof typeof errorCodes;

/** How a failed agent run continues. FATAL always aborts, whatever a policy says. */
export type ErrorClass = 'RETRYABLE_TRANSIENT' | 'RETRYABLE_RATE_LIMIT' | 'NON_RETRYABLE' | 'FATAL';

/** A failure that a person can act on: shown as code, message and hint, never with a stack. */
export class MailroomError extends Error {
  readonly code: ErrorCode;
  readonly hint: string | null;

  constructor(code: ErrorCode, message: string, hint: string | null = null, options?: ErrorOptions) {
    super(message, options);
    this.name = 'MailroomError';
    this.code = code;
    this.hint = hint;
  }
}

/** The message of anything that was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** A reason for people, under a code that docs/errors.md explains. */
export interface Reason {
  readonly code: ErrorCode;
  readonly text: string;
  /**
   * The class that a run's policy for the failed step applies to; missing: none. Only in threads of
   * steps.
   */
  readonly class?: ErrorClass;
}
