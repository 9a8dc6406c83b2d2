import type { ErrorClass, Reason } from '../kernel/errors.ts';
import type { JsonObject } from '../kernel/json.ts';
import type { MessageId, RoleName } from '../kernel/ids.ts';
import type { Usage } from '../kernel/cost.ts';

/** Work in git that a step takes or leaves. */
interface StepWork {
  readonly commit: string;
  readonly branch: string;
}

/** A run's request for mail: one step for one role. */
export interface StepRequest {
  /** Derived from the run and the launch: a request that is written twice is one message. */
  readonly id: MessageId;
  readonly run: string;
  readonly role: RoleName;
  readonly subject: string;
  readonly body: string;
  /** For the role and other readers of the mail: the step, its inputs, outputs and values file. */
  readonly fields: JsonObject;
  /** Milliseconds from acceptance; null: unlimited. */
  readonly timeout: number | null;
  /** The work that the message is about; null: none. */
  readonly work: StepWork | null;
}

/** A run's notice to a role, without waiting for an answer. */
export type StepNotice = Pick<StepRequest, 'id' | 'run' | 'role' | 'subject' | 'body'>;

/** The mail's answer to a step. */
export interface StepAnswer {
  /** The id of the step's message. */
  readonly id: MessageId;
  readonly run: string;
  readonly outcome:
    | { readonly is: 'done' }
    | {
        readonly is: 'failed';
        readonly class: ErrorClass;
        readonly reason: Reason;
        readonly timedOut: boolean;
      };
  /** The final text of the turn that ended the step; empty when the step failed. */
  readonly text: string;
  /** The fields of the `step-result`. */
  readonly values: JsonObject;
  /** The work of the role; `worktree`: its checkout, relative to the project. Null: none. */
  readonly work: (StepWork & { readonly worktree: string }) | null;
  /** The cost of the whole thread so far. */
  readonly usage: Usage;
  /** Milliseconds since the step was accepted. */
  readonly durationMs: number;
}
