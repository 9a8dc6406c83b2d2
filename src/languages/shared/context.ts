import type { Checked } from '../../kernel/diagnostic.ts';
import type { Profile } from '../../config/profiles.ts';
import type { Config, NipSettings } from '../../config/config.ts';
import type { CheckContext } from '../../mail/protocol/check/report.ts';
import type { CheckContext as WorkflowContext } from '../../workflow/check/report.ts';
import type { Protocol } from '../../mail/format/protocol.ts';
import type { Identity } from './identity.ts';
import type { Capability } from '../../kernel/capabilities.ts';

/** The context of a workflow file, which it does not contain itself. */
export interface LanguageContext {
  /** The protocol whose roles can be workers; null: there is none. */
  readonly protocol: Pick<Protocol, 'roles' | 'types'> | null;
  /**
   * By provider name: the permissions of an agent beyond these capabilities, in words. Missing:
   * none.
   */
  readonly broaderThanRequested: CheckContext['broaderThanRequested'];
  /** By provider name: the bounds of a step that are not enforced for an agent. Missing: none. */
  readonly notEnforced: WorkflowContext['notEnforced'];
  /** By provider name: why its agents cannot be given MCP servers, in words. Missing: they can. */
  readonly withoutMcp: CheckContext['withoutMcp'];
  /** Whether mailroom.yaml says how worker hosts are reached. */
  readonly hasWorkers: boolean;
  /** The branch that is checked out in the project; null: none, or not known. */
  readonly checkedOut: CheckContext['checkedOut'];
  /** Absent: no role writes what its steps run. */
  readonly deputies?: NonNullable<WorkflowContext['deputies']>;
  /** Whether a permission broader than requested is an error. */
  readonly strict: boolean;
  /** Whether a program of this name is on PATH. */
  hasProgram(name: string): boolean;
  /** The program of a provider; null: none, or unknown. */
  programOf(provider: string): string | null;
  /** The defaults of mailroom.yaml for agents without their own settings. */
  readonly agents: { readonly model: string | null; readonly maxTokens: number | null };
  /** The default provider and permissions of agents; null: not configured. */
  readonly agentDefaults: {
    readonly provider: string | null;
    readonly capabilities: readonly Capability[] | null;
  };
  /** The agents of the configuration, by name. */
  readonly profiles: ReadonlyMap<string, Profile>;
  /**
   * The agents of an agents.yaml in the folder of a workflow file; null: there is none. The same
   * object for each file of a folder.
   */
  agentsBeside(file: string): Checked<readonly Profile[]> | null;
  /** Notification commands of mailroom.yaml, by scheme. */
  readonly notify: Config['notify'];
  /** Files of the project that a workflow names: agents, skills, modules, memories. */
  readonly files: ProjectFiles;
  /** The identities of the project's workflows. Reads all of them. */
  workflows(): readonly Identity[];
  /**
   * Files named by the user that change workflows of the language swdl, applied after those of the
   * project.
   */
  readonly overrides: readonly { readonly file: string; readonly text: string }[];
  /** The settings of mailroom.yaml for workflows of the language nip. */
  readonly nip: Pick<NipSettings, 'enabled' | 'maxSteps' | 'defaultTimeout'>;
  /** The run that is about to start; null: none. */
  readonly starting: Starting | null;
  /** Reads the file of a sub-workflow; `path` is as written in the workflow `from`. */
  load(path: string, from: string): Loaded;
}

/** Facts about a run before its start. */
interface Starting {
  /** Names of `context` that it receives. */
  readonly context: ReadonlySet<string>;
  /** The only step to run; null: all. */
  readonly only: string | null;
}

/** Reads files of the project; missing or unreadable ones count as absent. */
export interface ProjectFiles {
  read(path: string): string | null;
  /** Names in a folder, sorted. */
  list(folder: string): readonly string[];
  /** Paths of all files of the project, sorted. */
  readonly tracked: readonly string[];
}

/** The text of another workflow, with its name in diagnostics; or why it is not available. */
export type Loaded =
  | { readonly ok: true; readonly file: string; readonly text: string }
  | { readonly ok: false; readonly code: 'E_PATH' | 'E_WORKFLOW'; readonly problem: string };
