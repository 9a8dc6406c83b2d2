import type { ErrorClass, Reason } from '../kernel/errors.ts';
import type { JsonObject } from '../kernel/json.ts';
import type { MessageId, RoleName } from '../kernel/ids.ts';
import type { Usage } from '../kernel/cost.ts';

/** What a run puts into the mail: one step for one role. */
export interface StepRequest {
  /** Derived from the run and the launch: what is put there twice is one message. */
  readonly id: MessageId;
  readonly run: string;
  readonly role: RoleName;
  readonly subject: string;
  readonly body: string;
  /** For the role, and for whoever reads the mail: the step, its inputs, outputs and values file. */
  readonly fields: JsonObject;
  /** Milliseconds from when it is taken in; null: unlimited. */
  readonly timeout: number | null;
}

/** What a run tells a role, without waiting for anything. */
export type StepNotice = Pick<StepRequest, 'id' | 'run' | 'role' | 'subject' | 'body'>;

/** What a run hears of a step. */
export interface StepAnswer {
  /** The message of the step. */
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
  /** The final text of the turn that ended the step; empty when it failed. */
  readonly text: string;
  /** The fields of the `step-result`. */
  readonly values: JsonObject;
  /** What the whole thread has cost so far. */
  readonly usage: Usage;
  /** Milliseconds since the step was taken in. */
  readonly durationMs: number;
}
