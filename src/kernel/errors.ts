/**
 * The closed set of error codes. A code never changes its meaning; docs/errors.md explains each.
 * The number is the exit code of a command that ends with it.
 */
export const errorCodes = {
  /** The command line itself is wrong: unknown command, missing argument, bad flag value. */
  E_USAGE: 2,
  /** YAML that cannot be read. */
  E_YAML: 2,
  /** A key that the format does not know. */
  E_UNKNOWN_KEY: 2,
  /** A key that must be there is not. */
  E_MISSING_KEY: 2,
  /** A value of the wrong type or outside what is allowed. */
  E_VALUE: 2,
  /** A role or message type that no protocol file defines. */
  E_UNKNOWN_NAME: 2,
  /** A role, type or key defined twice, or a built-in name redefined. */
  E_DUPLICATE: 2,
  /** A protocol that is well formed but cannot work: nobody may answer, nobody accepts. */
  E_PROTOCOL: 2,
  /** A workflow that is well formed but cannot work: steps that wait for each other, inputs that nobody makes. */
  E_WORKFLOW: 2,
  /** An expression that cannot be read, reads what is not there yet, or can never have a value that fits. */
  E_EXPRESSION: 2,
  /** The exploration found a sequence of messages after which somebody waits forever. */
  E_STUCK: 2,
  /** A capability that a provider can only widen. */
  E_CAPABILITY: 2,
  /** An agent, a skill, a module that a workflow refers to by name, and that is not there. */
  E_REFERENCE: 2,
  /** There is no project here, or it has no protocol. */
  E_NO_PROJECT: 2,
  /** An id that names nothing, or more than one thing. */
  E_TARGET: 2,
  /** The folder that a step is to work in is not there. */
  E_WORKSPACE: 1,
  /** A path that would leave the project. */
  E_PATH: 3,
  /** A message that cannot be read as one. */
  E_MESSAGE: 1,
  /** A message that the protocol forbids. */
  E_FORBIDDEN: 1,
  /** A file that is too large, not a regular file, or not text. */
  E_FILE: 1,
  /** A budget of money or tokens that the next launch would exceed. */
  E_BUDGET: 1,
  /** A thread that used up its turns. */
  E_TURNS: 1,
  /** A request without an answer in time. */
  E_TIMEOUT: 124,
  /** A conversation that was to be resumed and is not there any more. */
  E_SESSION: 1,
  /** A turn that changed what it had no right to. */
  E_RIGHTS: 1,
  /** A turn that failed for good. */
  E_TURN: 1,
  /** A step of a workflow that failed, or a sequence that led to an error. */
  E_STEP: 1,
  /** What a step should have handed over is not there, or has not its type. */
  E_OUTPUT: 1,
  /** An expression reads something that is not there: a variable, a parameter, a step that did not run. */
  E_VAR_MISSING: 1,
  /** A completion check without a verdict. */
  E_CHECK: 1,
  /** Work that its checks found incomplete until the end. */
  E_INCOMPLETE: 1,
  /** Several steps failed in the same way: nothing more is launched. */
  E_BREAKER: 1,
  /** A role that waits for what can never come. */
  E_DEADLOCK: 1,
  /** Waiting mail whose folder is gone. */
  E_MAIL_VANISHED: 1,
  /** A journal that cannot be trusted. */
  E_JOURNAL: 1,
  /** A picture of a run that a person has damaged, and that is to be trusted. */
  E_STATE: 2,
  /** The disk refused a write or a read. */
  E_DISK: 1,
  /** Another controller holds the project. */
  E_LOCKED: 1,
  /** State of Mailroom that git tracks: whoever wrote the repository may have made it. */
  E_TRACKED: 2,
  /** A workflow that nobody has confirmed since it was changed. */
  E_UNCONFIRMED: 1,
  /** A verb that an agent may not say from inside its own turn. */
  E_INSIDE_TURN: 1,
  /** A command that the controller refused. */
  E_REFUSED: 1,
  /** A provider that is not there or cannot be driven. */
  E_PROVIDER: 1,
  /** A trail that cannot be written where it should be. */
  E_TRAIL: 1,
  /** Stopped by a person. */
  E_CANCELLED: 130,
  /** A bug of ours. */
  E_INTERNAL: 1,
} as const;

export type ErrorCode = keyof typeof errorCodes;

/** How a failed agent run goes on. FATAL always aborts, whatever a policy says. */
export type ErrorClass = 'RETRYABLE_TRANSIENT' | 'RETRYABLE_RATE_LIMIT' | 'NON_RETRYABLE' | 'FATAL';

/** A failure that a person can do something about: shown as code, message and hint, never with a stack. */
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

/** What went wrong, in the words of whatever was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** A reason as people read it, under the code that docs/errors.md explains. */
export interface Reason {
  readonly code: ErrorCode;
  readonly text: string;
  /** What a run may do about the step that failed for it; missing: nothing. Only in threads of steps. */
  readonly class?: ErrorClass;
}
