import type { Journal } from '../../disk/journal.ts';
import type { RunEvent } from '../machine/event.ts';
import type { Control } from '../../host/control.ts';
import type { Mask } from '../../kernel/mask.ts';
import type { Launch } from '../machine/launch.ts';
import type { Rules } from '../machine/rules.ts';
import type { RunState } from '../machine/state.ts';
import type { RecordFiles } from './records.ts';
import type { RunFiles } from '../files/run-files.ts';
import type { RunOutbox } from '../files/run-outbox.ts';
import type { Parking } from '../../host/parking.ts';
import type { RolledBack } from '../../kernel/edits.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Exit, Invocation, Outcome, Provider } from '../../providers/provider.ts';
import type { StepRunner } from '../../host/runner/runner.ts';

/** The ports of a run's host. */
export interface RunPorts {
  readonly clock: Clock;
  readonly journal: Journal<RunEvent>;
  readonly files: RunFiles;
  readonly control: Control;
  readonly runner: StepRunner;
  readonly mail: RunOutbox;
  readonly providers: ReadonlyMap<string, Provider>;
  /** Rate-limited providers, shared by all hosts of the project. */
  readonly parking: Parking;
  /** The absolute path of the project. */
  readonly project: string;
  /**
   * The workspace files that differ from the launch's base, or why that is unknown. Never rejects.
   */
  changed(launch: Launch, workspace: string): Promise<readonly string[] | string>;
  /** A patch of the changes in a workspace since its last commit; null: none, or unknown. */
  uncommittedPatch(workspace: string): Promise<Uint8Array | null>;
  /** Restores the workspace to this git object. Absent: not possible. Never rejects. */
  readonly rollBack?: (tree: string) => Promise<RolledBack>;
  /** Applied to every recorded string from outside. */
  readonly mask: Mask;
  /** Absent: the run is projected only into its context folder. */
  readonly records?: RecordFiles;
  /** Publishes the status of the run, once it is durable; absent: it is not published. */
  readonly announcer?: StatusAnnouncer;
  /** Absent: hooks are not run. */
  readonly hooks?: HookPorts;
  /** The share of the run's budget at which `user` is notified; absent: never. */
  readonly budgetAlert?: number;
  /** Receives each agent's outcome before its outputs are collected. Absent: it is not kept. */
  readonly recorded?: (invocation: Invocation, outcome: Outcome, exit: Exit) => void;
  /** Makes the host look again. */
  wake(): void;
  /** The set host variables among these names. */
  variables(names: readonly string[]): Readonly<Record<string, string>>;
}

interface StatusAnnouncer {
  /** Publishes what is new. `now`: milliseconds since 1970. */
  publish(state: RunState, rules: Rules, now: number): void;
  /**
   * When to call `publish` again without an event, in milliseconds since 1970; null: not until the
   * next event.
   */
  readonly due: number | null;
  readonly problem: string | null;
}

export interface HookPorts {
  /**
   * Sends a notice to a role; `about` identifies it within the run: a second one with the same
   * `about` is the same message.
   */
  readonly notify: (role: string, about: string, subject: string, body: string) => void;
  /** Logs a notification that could not be sent. */
  readonly log: (on: string, line: string) => void;
  /** The working folder of a hook, and the folder of its output; absolute, created if missing. */
  readonly places: (on: string) => { readonly workspace: string; readonly folder: string };
}
