import type { HeldWork } from '../../kernel/why.ts';
import type { MailEvent } from '../machine/event.ts';
import type { MailState } from '../machine/state.ts';
import type { RunningOutput } from '../../host/latest-output.ts';
import type { Failures, Idle } from '../../host/idle.ts';
import type { Definition } from '../../project/definition/definition.ts';

export interface ControllerOptions {
  readonly untilIdle: boolean;
  /** Folder to record turns and steps into, absolute; null: none. */
  readonly record: string | null;
  /** Whether triggers start workflows, and their earlier runs continue. */
  readonly triggers: boolean;
  /** Called after every look, with the durable events since the last call. */
  readonly onChange: (state: MailState, events: readonly MailEvent[]) => void;
}

export interface Controller {
  readonly state: MailState;
  readonly definition: Definition;
  /** Notes at the start: a journal cut off at its end, a trail that is off, an edited protocol. */
  readonly notes: readonly string[];
  /**
   * Current problems that will be retried: folders that cannot be read or projected, a trail that
   * cannot be written.
   */
  readonly problems: () => readonly string[];
  /** The turns that wait until this machine can do what they need. */
  readonly held: () => readonly HeldWork[];
  /** The number of workflow runs in its process. */
  readonly runs: () => number;
  /** What works again after a problem. */
  readonly recoveries: () => readonly string[];
  /** The running turns, and the running steps of its runs, each with at most this many lines. */
  readonly latest: (most: number) => readonly RunningOutput[];
  /**
   * Runs until it is stopped; resolves to why it is idle, what failed, and the last disk error.
   */
  run(): Promise<{ readonly idle: Idle; readonly failures: Failures; readonly problem: string | null }>;
  end(how: 'stop' | 'drain'): void;
}
