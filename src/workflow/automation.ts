import type { Template } from '../expressions/template.ts';
import type { Tree } from '../expressions/tree.ts';

/** What starts a run automatically while `up` is running. Times in milliseconds. */
export type Trigger = {
  readonly name: string;
  /** It never fires; absent: it does. */
  readonly enabled?: false;
  /** Each of its runs waits until a person confirms it; absent: it starts automatically. */
  readonly by?: 'person';
  /** How long after its last run has ended the next one begins, in ms; absent: at once. */
  readonly cooldown?: number;
  /** Which of its events start a run; it sees only `trigger`. Absent: all. */
  readonly filter?: Tree;
} & (
  | { readonly kind: 'interval'; readonly every: number }
  | { readonly kind: 'cron'; readonly expression: string; readonly timezone: string | null }
  | {
      readonly kind: 'files';
      readonly globs: readonly string[];
      readonly debounce: number;
    }
  | { readonly kind: 'webhook'; readonly path: string; readonly secret: string }
  | {
      readonly kind: 'command';
      readonly argv: readonly string[];
      readonly every: number;
      readonly on: 'change' | 'success';
    }
  | { readonly kind: 'message'; readonly role: string; readonly type: string }
);

/** Programs and notifications at the start and end of a run. Their failure is a warning. */
export interface Hook {
  readonly on: 'start' | 'complete' | 'failure';
  readonly run: readonly Template[] | null;
  /** The role that receives a notice. */
  readonly notify: string | null;
  /**
   * An outside target: the command of its scheme gets it, the message, and the host variables of
   * `env`; null: it is only logged.
   */
  readonly tell?: {
    readonly scheme: string;
    readonly target: Template;
    /** The message; absent: what happened to the run. */
    readonly words?: Template;
    readonly notifier: { readonly command: readonly string[]; readonly env: readonly string[] } | null;
  };
}

/**
 * A limit of concurrent runs, and what a further one does; one that a trigger starts waits, unless
 * it cancels the oldest.
 */
export interface RunLimit {
  readonly most: number;
  readonly otherwise: 'refuse' | 'wait' | 'cancel_older';
}
