import type { Json } from '../../kernel/json.ts';
import type { Path, ProcessKey } from './event.ts';
import type { Convergence, StepId, ValueType } from '../model.ts';
import type { Capability } from '../../kernel/capabilities.ts';
import type { Budget, Session } from '../../kernel/cost.ts';

/** What one process of a run is to do: every expression is resolved, no path is looked at yet. */
export interface Launch {
  readonly run: string;
  readonly key: ProcessKey;
  readonly step: StepId;
  readonly work: LaunchWork;
  /** As the definition says it, relative to the run's workspace; null: that workspace. */
  readonly workspace: { readonly path: string; readonly outside: boolean } | null;
  /** Variables of the definition; `MAILROOM_…` is the host's matter. */
  readonly env: Readonly<Record<string, string>>;
  readonly secrets: readonly string[];
  /** Names of variables that are taken over from the host. */
  readonly inherit: readonly string[];
  /** Missing: it has a network. */
  readonly network?: false;
  /** A file that is read as standard input, or as the prompt of an agent; null: none. */
  readonly stdin: string | null;
  /** A file below a folder that gets what the worker prints; null: none. */
  readonly stdout: { readonly folder: string; readonly path: string } | null;
  readonly inputs: readonly LaunchInput[];
  readonly outputs: readonly LaunchOutput[];
  readonly values: Readonly<Record<string, ValueType>>;
  /** Milliseconds; null: unlimited. */
  readonly timeout: number | null;
  /** Milliseconds between the wish to end it and its being killed; null: as usual. */
  readonly grace: number | null;
  readonly budget: Budget | null;
  /** The conversation to go on with; null: a new one. */
  readonly session: Session | null;
  /** Of a check: its id and where its verdict is read. Null: this is the worker itself. */
  readonly check: {
    readonly id: string;
    readonly decisionFile: string | null;
    /** It is asked for a summary of this; missing: for a verdict. */
    readonly summarises?: Json;
  } | null;
  /** What an agent is given as data; missing: nothing. */
  readonly takes?: readonly TakenValue[];
  /** What a complete verdict is to be measured by; null: nothing. */
  readonly convergence: (Convergence & { readonly stage: number }) | null;
}

export type LaunchWork =
  | {
      readonly kind: 'agent';
      readonly provider: string;
      readonly model: string | null;
      readonly instructions: string;
      readonly capabilities: readonly Capability[];
      readonly maxSteps: number | null;
      readonly maxCommandTime: number | null;
      /** Names of MCP servers of the person's own settings that it may use; missing: none. */
      readonly mcp?: readonly string[];
      /** True: it may write what configures agents in its workspace; missing: it must not. */
      readonly mayConfigure?: true;
      /** What earlier rounds left to be done, in words; null: this is the first. */
      readonly again: string | null;
    }
  /** `env` carries what the script refers to. */
  | {
      readonly kind: 'script';
      readonly script: string;
      readonly env: Readonly<Record<string, string>>;
      readonly capabilities: readonly Capability[];
    }
  /** `capabilities` null: nothing was said of them. */
  | {
      readonly kind: 'command';
      readonly argv: readonly string[];
      readonly capabilities: readonly Capability[] | null;
    }
  | { readonly kind: 'role'; readonly role: string; readonly instructions: string };

/** A value that an agent is given. */
export interface TakenValue {
  readonly name: string;
  readonly description: string | null;
  readonly value: Json;
  /** Instead of the value: the end of what that process said; `provider`: who played it, null where no agent did. */
  readonly log?: { readonly key: ProcessKey; readonly provider: string | null };
}

export interface LaunchInput {
  /** The step that made it, as a path: its folder in the context is that of the path. */
  readonly from: Path;
  readonly artifact: string;
  readonly as: string;
  readonly required: boolean;
}

export interface LaunchOutput {
  readonly name: string;
  /** Relative to the step's workspace. */
  readonly path: string;
  readonly type: string | null;
  readonly required: boolean;
}

/** What a step is told of the world that it runs in: absolute paths. */
export interface Prepared {
  readonly workspace: string;
  /** `.mailroom/runs/<run>/steps/<path>/<iteration>.<attempt>[.check]/`: stdout, stderr, prompt, result. */
  readonly folder: string;
  /** The JSON file in which values are handed over. */
  readonly valuesFile: string;
  readonly decisionFile: string | null;
  /** The text of `stdin`; null: there is none. */
  readonly stdin: string | null;
  /** Where the inputs lie now; one that is absent is not here. */
  readonly inputs: readonly { readonly artifact: string; readonly from: Path; readonly path: string }[];
  readonly stdout: string;
  readonly stderr: string;
}

/** What lay there when the worker had ended. */
export interface Collected {
  readonly artifacts: readonly {
    readonly name: string;
    readonly path: string;
    readonly type: string | null;
  }[];
  /** Declared outputs that are not there. */
  readonly missing: readonly LaunchOutput[];
  /** The values file; null: there is none. */
  readonly values: Json | { readonly unreadable: string } | null;
  /** The decision file's text, empty where it is none; null: there is no such file. */
  readonly decision: string | null;
  /** What was left out of an artifact, and why. */
  readonly warnings: readonly string[];
}
