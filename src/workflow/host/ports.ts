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

/** Everything that the host of a run needs from outside. */
export interface RunPorts {
  readonly clock: Clock;
  readonly journal: Journal<RunEvent>;
  readonly files: RunFiles;
  readonly control: Control;
  readonly runner: StepRunner;
  readonly mail: RunOutbox;
  readonly providers: ReadonlyMap<string, Provider>;
  /** Providers that are at their limit, as all hosts of the project know it. */
  readonly parking: Parking;
  /** The absolute path of the project. */
  readonly project: string;
  /** The files of a workspace that differ from what the launch measures by, or why that cannot be told. Never rejects. */
  changed(launch: Launch, workspace: string): Promise<readonly string[] | string>;
  /** What was changed in a workspace since its last commit, as a patch; null: nothing, or nobody knows. */
  salvage(workspace: string): Promise<Uint8Array | null>;
  /** Puts the workspace back to what it was, as git names that. Missing: nobody can. Never rejects. */
  readonly rollBack?: (tree: string) => Promise<RolledBack>;
  /** Of what comes from outside: everything that is recorded goes through it. */
  readonly mask: Mask;
  /** Missing: the run is shown in its context folder alone. */
  readonly records?: RecordFiles;
  /** Publishes the status of the run, once it is durable; missing: nobody wants to know. */
  readonly announcer?: StatusAnnouncer;
  /** Missing: hooks are left alone. */
  readonly hooks?: HookPorts;
  /** Is told what came of each agent, before what it handed over is taken. Missing: nothing is kept. */
  readonly recorded?: (invocation: Invocation, outcome: Outcome, exit: Exit) => void;
  /** Has the host look again. */
  wake(): void;
  /** The values of the host's variables of these names that are set. */
  variables(names: readonly string[]): Readonly<Record<string, string>>;
}

export interface StatusAnnouncer {
  /** Publishes what is new. `now`: milliseconds since 1970. */
  publish(state: RunState, rules: Rules, now: number): void;
  /** When to call `publish` again although nothing happened, in milliseconds since 1970; null: not until then. */
  readonly due: number | null;
  readonly problem: string | null;
}

export interface HookPorts {
  /** Puts a notice into the mail of a role; `about` tells it from others of the run: put there twice, it is one. */
  readonly notify: (role: string, about: string, subject: string, body: string) => void;
  /** Notes what nobody could be told. */
  readonly log: (on: string, line: string) => void;
  /** Where a hook works, and the folder of what it prints; absolute, made if need be. */
  readonly places: (on: string) => { readonly workspace: string; readonly folder: string };
}
