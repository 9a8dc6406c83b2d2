import { defaultNip, type NipSettings } from '../../config/config.ts';
import type { CheckContext } from '../../mail/protocol/check/report.ts';
import type { CheckContext as WorkflowContext } from '../../workflow/check/report.ts';
import type { Protocol } from '../../mail/format/protocol.ts';
import type { Identity } from './identity.ts';
import type { Capability } from '../../kernel/capabilities.ts';

/** What a workflow cannot know by itself. */
export interface LanguageContext {
  /** The protocol whose roles may be workers; null: there is none here. */
  readonly protocol: Pick<Protocol, 'roles' | 'types'> | null;
  /** By provider name: the rights that it gives an agent beyond these capabilities, in words. Not there: none. */
  readonly broaderThanRequested: CheckContext['broaderThanRequested'];
  /** By provider name: the bounds of a step that nothing holds an agent to. Not there: none. */
  readonly notEnforced: WorkflowContext['notEnforced'];
  /** By provider name: why its agents can be given no MCP servers, in words. Not there: they can. */
  readonly withoutMcp: CheckContext['withoutMcp'];
  /** Whether a permission broader than requested is an error. */
  readonly strict: boolean;
  /** Whether a program of this name is on PATH. */
  hasProgram(name: string): boolean;
  /** The program of a provider; null: it has none, or nobody knows which. */
  programOf(provider: string): string | null;
  /** What mailroom.yaml says for agents of which the workflow says nothing. */
  readonly agents: { readonly model: string | null; readonly maxTokens: number | null };
  /** Who plays agents of which nothing is said, and with which rights; null: that is not said either. */
  readonly agentDefaults: {
    readonly provider: string | null;
    readonly capabilities: readonly Capability[] | null;
  };
  /** Commands of mailroom.yaml that tell somebody, by scheme. */
  readonly notify: Readonly<Record<string, readonly string[]>>;
  /** Files of the project that a workflow means by a name: agents, skills, modules, memories. */
  readonly files: ProjectFiles;
  /** What the workflows of the project call themselves. Reads all of them. */
  workflows(): readonly Identity[];
  /** Files named by the person that change workflows of the language swdl, applied after those of the project. */
  readonly overrides: readonly { readonly file: string; readonly text: string }[];
  /** What mailroom.yaml says of workflows of the language nip. */
  readonly nip: Pick<NipSettings, 'enabled' | 'maxSteps' | 'defaultTimeout'>;
  /** The run that is being started; null: nobody is starting one. */
  readonly starting: Starting | null;
  /** Reads the file of a sub-workflow; `path` is as the workflow in `from` writes it. */
  load(path: string, from: string): Loaded;
}

/** What is known of a run before it begins. */
export interface Starting {
  /** Names of `context` that it is given. */
  readonly context: ReadonlySet<string>;
  /** The only step that is run; null: all. */
  readonly only: string | null;
}

/** Reads the project; what is not there, or cannot be read, is nothing. */
export interface ProjectFiles {
  read(path: string): string | null;
  /** Names in a folder, sorted. */
  list(folder: string): readonly string[];
  /** Paths of all files that belong to the project, sorted. */
  readonly tracked: readonly string[];
}

/** Another workflow's text, under the name that its diagnostics get; or why there is none. */
export type Loaded =
  | { readonly ok: true; readonly file: string; readonly text: string }
  | { readonly ok: false; readonly code: 'E_PATH' | 'E_WORKFLOW'; readonly problem: string };

/** No protocol, no other file, no provider that widens. */
export const nowhere: LanguageContext = {
  protocol: null,
  broaderThanRequested: new Map(),
  notEnforced: new Map(),
  withoutMcp: new Map(),
  strict: false,
  hasProgram: () => false,
  programOf: () => null,
  agents: { model: null, maxTokens: null },
  agentDefaults: { provider: null, capabilities: null },
  notify: {},
  files: { read: () => null, list: () => [], tracked: [] },
  workflows: () => [],
  overrides: [],
  nip: defaultNip,
  starting: null,
  load: () => ({ ok: false, code: 'E_WORKFLOW', problem: 'there are no other files here' }),
};
