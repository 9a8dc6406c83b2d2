import type { DiskGuard } from '../../disk/disk-guard.ts';
import type { headBranch } from '../../git/head-branch.ts';
import type { StepPath, RunEvent } from '../machine/event.ts';
import type { Mask } from '../../kernel/mask.ts';
import type { Launch, LaunchCheckout, TakenCommit } from '../machine/launch.ts';
import type { Land } from '../git-work.ts';
import type { Rules } from '../machine/rules.ts';
import type { RunFormat } from '../machine/run-format.ts';
import type { RunState } from '../machine/state.ts';
import type { StepCommit } from '../machine/work-result.ts';
import type { RunFiles } from '../files/run-files.ts';
import type { RunOutbox } from '../files/run-outbox.ts';
import type { HostPorts } from '../../host/ports.ts';
import type { RolledBack } from '../../kernel/edits.ts';
import type { Landed } from '../../git/land-work.ts';
import type { Worked } from '../../kernel/work.ts';
import type { Exit, Invocation, Outcome } from '../../providers/provider.ts';
import type { AwayRunner, StepRunner } from '../../host/runner/runner.ts';
import type { HookFiles } from './hook-files.ts';

/** A gate that waits for a person. */
export interface WaitingApproval {
  readonly run: string;
  readonly workflow: string;
  readonly path: StepPath;
  readonly message: string;
  /** Empty: any person. */
  readonly approvers: readonly string[];
}

/** Everything outside the host of a run that it depends on. */
export interface RunPorts extends HostPorts<RunEvent, StepRunner> {
  readonly files: RunFiles;
  readonly mail: RunOutbox;
  /**
   * The workspace files that differ from the launch's base, or why that is unknown. Never rejects.
   */
  changed(launch: Launch, workspace: string): Promise<readonly string[] | string>;
  /** A patch of the changes in a workspace since its last commit; null: none, or unknown. */
  uncommittedPatch(workspace: string): Promise<Uint8Array | null>;
  /** Runs steps on workers of other hosts. Absent: the definition has none. */
  readonly away?: AwayRunner;
  /** The work of steps in git. */
  readonly git: StepGit;
  /** Restores the workspace to this git object. Absent: not possible. Never rejects. */
  readonly rollBack?: (tree: string) => Promise<RolledBack>;
  /** Applied to every recorded string from outside. */
  readonly mask: Mask;
  /** Show the run besides its context folder, once it is durable. */
  readonly observers?: readonly Observing[];
  /** The text of the language's own document of the run; absent: it has none. */
  readonly document?: RunFormat['document'];
  /** Absent: hooks are not run. */
  readonly hooks?: HookFiles;
  /** The share of the run's budget at which `user` is notified; absent: never. */
  readonly budgetAlert?: number;
  /** Notifies the people who may answer a gate; never throws. Absent: they are not notified. */
  readonly notify?: (gate: WaitingApproval) => void;
  /** Receives each agent's outcome before its outputs are collected. Absent: it is not kept. */
  readonly recorded?: (invocation: Invocation, outcome: Outcome, exit: Exit) => void;
  /** The git branch that the workspace of the run is on. */
  branch(): ReturnType<typeof headBranch>;
  /** Passes on what has ended meanwhile, and makes the host look again; see `Loop.report`. */
  report(act: () => void): void;
  /** The set host variables among these names. */
  variables(names: readonly string[]): Readonly<Record<string, string>>;
}

/** What steps do in the project's repository. Nothing rejects, and all can be repeated. */
export interface StepGit {
  /**
   * Brings the checkout of a step to the work that it takes; the commit that it begins with.
   * `isKnown`: its worker, or else a person, was notified of the conflict that lies there.
   */
  enter(launch: Launch, checkout: LaunchCheckout, isKnown: boolean): Promise<Worked>;
  /** Commits what a worker changed since `entered`. */
  leave(launch: Launch, checkout: LaunchCheckout, entered: string): Promise<Worked>;
  /**
   * Brings work onto a branch; the commit that the branch has then. `approved`: the digest of the
   * changes of rules that a person has approved; null: none.
   */
  land(launch: Launch, onto: Land, takes: TakenCommit, approved: string | null): Promise<Landed>;
  /** A commit of the step's branch. */
  commitOf(launch: Launch, checkout: LaunchCheckout, id: string): StepCommit;
}

/** Makes an observer of a run, which leaves refused disk actions with the guard. */
export type Observing = (rules: Rules, disk: DiskGuard) => RunObserver;

/** Shows a run in files or events of its language. Times are in milliseconds since 1970. */
export interface RunObserver {
  /** Shows durable events; without events, what was deferred and is due. */
  observe(state: RunState, events: readonly RunEvent[], now: number): void;
  /** When to call `observe` again without an event; null: nothing is deferred. */
  due(now: number): number | null;
  /** Shows everything that is deferred. */
  finish(state: RunState, now: number): void;
}
