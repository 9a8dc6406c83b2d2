import type { Currency } from '../../kernel/cost.ts';
import type { Channel } from '../../channels/machine/contract.ts';
import type { Marks } from '../../channels/host/marks.ts';
import type { ChannelConfig, Config } from '../../config/config.ts';
import type { Disk } from '../../disk/disk.ts';
import type { AgentEvents, AwayRunner, Runner, RunnerEvents } from '../../host/runner/runner.ts';
import { MailroomError } from '../../kernel/errors.ts';
import type { Finding } from '../../kernel/finding.ts';
import type { Protocol } from '../../mail/format/protocol.ts';
import type { MailEvent } from '../../mail/machine/event.ts';
import type { MailState } from '../../mail/machine/state.ts';
import type { Rules } from '../../workflow/machine/rules.ts';
import type { AskedWorkflow, BeginOptions, FoundWorkflow, RunHistory } from './contracts.ts';
import type { JsonObject } from '../../kernel/json.ts';
import type { Languages, WorkflowLanguage } from '../../languages/shared/workflow-language.ts';
import type { Observing } from '../../workflow/host/ports.ts';
import type { RunFolder } from '../../workflow/machine/run-folder.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * What an extension may add to the hosts of a project. Each loads its code only when it is called.
 */
export interface Hooks {
  /** Follows the mail of a host; null: nothing is to be followed. */
  readonly followMail?: (environment: Environment) => Promise<MailFollower | null>;
  /** Reports a run that has ended. Resolves to why it could not; null: it did, or was not to. */
  readonly reportRun?: (run: EndedRun, environment: Environment) => Promise<string | null>;
  /** Loads a language of workflows. */
  readonly language?: () => Promise<WorkflowLanguage>;
  /** Loads what signs and announces the runs of workflows that are events (`byEvents`). */
  readonly events?: () => Promise<RunEvents>;
  /** Follows what others ask for while `up` runs; null: nothing is to be followed. */
  readonly listen?: (up: Listening) => Promise<Listener | null>;
  /** What runs count besides dollars and tokens. */
  readonly currency?: (config: Config) => Currency;
  /** Opens channels by their kind; they connect later. Throws `E_USAGE` for a missing secret. */
  readonly channels?: { readonly [Kind in ChannelConfig['kind']]?: OpenChannel<Kind> };
  readonly workers?: OtherHosts;
  /** What of it would not work in a project; empty where that does not use it. */
  readonly examine?: (project: Configured) => Promise<Finding[]>;
}

/** A project with its settings. */
export interface Configured {
  readonly disk: Disk;
  readonly config: Config;
  readonly environment: Environment;
}

/** Runs what is `on: workers` on other hosts. Both throw `E_USAGE` if those cannot be reached. */
export interface OtherHosts {
  /** `local`: runs the turns of other roles, and all gates. `since`: as `HolderNote` has it. */
  readonly turns: (
    project: Configured & { readonly protocol: Protocol },
    parts: {
      readonly local: Runner;
      readonly events: RunnerEvents;
      readonly since: number;
      /** Makes the host look again. */
      readonly wake: () => void;
    },
  ) => Promise<TurnsAway>;
  readonly steps: (
    project: Configured,
    run: RunFolder,
    parts: { readonly events: AgentEvents; readonly wake: () => void },
  ) => Promise<StepsAway>;
}

/** The runner of a project with roles on other hosts. */
export interface TurnsAway extends Runner, AwayRunner {
  close(): Promise<void>;
}

/** The steps of a run on other hosts. */
export interface StepsAway {
  readonly agents: AwayRunner;
  /** `over`: the run has ended, and needs nothing any more. */
  close(over: boolean): Promise<void>;
}

/** What runs `what`, which is `on: workers`. Throws `E_USAGE` where no extension does. */
export function otherHosts(hooks: readonly Hooks[], what: string): OtherHosts {
  const [found] = hooks.flatMap(({ workers }) => workers ?? []);
  if (found !== undefined) return found;
  const message = `${what} runs on workers, which are not part of this program`;
  throw new MailroomError('E_USAGE', message, 'remove `on: workers` from it');
}

export interface MailFollower {
  /** Takes what is under way, at the start of a host. */
  remember(state: MailState): void;
  /** Takes durable events, which are in the state. Never throws. */
  take(events: readonly MailEvent[], state: MailState): void;
  /** What does not work now, in words; null: all does. */
  readonly problem: string | null;
  /** Resolves when nothing is on its way any more. */
  flush(): Promise<void>;
}

export interface EndedRun {
  readonly run: string;
  readonly rules: Rules;
  /** What its journal keeps of it; reads that. */
  readonly history: () => RunHistory;
}

export type OpenChannel<Kind extends ChannelConfig['kind']> = (
  settings: Extract<ChannelConfig, { readonly kind: Kind }>,
  place: { readonly disk: Disk; readonly marks: Marks; readonly environment: Environment },
) => Promise<Channel>;

/** What is done with workflows that are events, and with their runs. */
export interface RunEvents {
  /** A parsed definition, with an error if its signature does not match its text. */
  verified(text: string, checked: FoundWorkflow['checked'], file: string): Promise<FoundWorkflow['checked']>;
  /** The run that a file (absolute) asks for; null: it asks for none. Throws `E_FORBIDDEN`. */
  asked(disk: Disk, reader: () => Promise<WorkflowReader>, file: string): Promise<AskedWorkflow | null>;
  /** Announces a run that this process has locked. Throws `E_LOCKED` at a limit of runs. */
  admit(disk: Disk, config: Config, run: NewExecution): Promise<void>;
  /** How the status of a run is published; undefined: no event requested it. */
  announcement(disk: Disk, run: string, config: Config): Promise<Announcement | undefined>;
  /** What of a run was not sent everywhere, and what sends it; null: nothing. */
  unsent(disk: Disk, config: Config, run: string): string | null;
}

export interface NewExecution extends Pick<BeginOptions, 'parameters' | 'budget' | 'request'> {
  readonly run: string;
  readonly workflow: Pick<FoundWorkflow, 'text'>;
  readonly timeout: number | null;
}

export interface Announcement {
  readonly observing: Observing;
  /** What does not work now and will be retried. */
  readonly problems: () => readonly string[];
  /** The same as `unsent` of `RunEvents`, as a sentence. */
  readonly unsent: () => string | null;
  close(): Promise<void>;
}

/** What reads the workflows of a project. */
export interface WorkflowReader {
  readonly config: Config;
  /** Reads a definition. `file` is absolute. */
  readonly workflow: (file: string) => Promise<FoundWorkflow>;
}

export interface Listening {
  readonly disk: Disk;
  readonly reader: WorkflowReader;
  readonly runs: AskedRuns;
  /** Receives internal errors. */
  readonly failed: (error: unknown) => void;
}

/** The runs of `up`. */
export interface AskedRuns {
  /** Starts or continues a run of a workflow (its file from the project), and follows it. */
  run(file: string, id: string, trigger: JsonObject): Promise<boolean>;
  /** Resolves when a requested run has begun; it is followed in the background. */
  ask(asked: AskedWorkflow, id: string): Promise<void>;
}

export interface Listener {
  problems(): readonly string[];
  close(): Promise<void>;
}

/** All languages of workflows, those of the house first. */
export async function languagesWith(hooks: readonly Hooks[]): Promise<Languages> {
  const added = hooks.flatMap(({ language }) => language?.() ?? []);
  const [{ languages }, ...others] = await Promise.all([import('../../languages/languages.ts'), ...added]);
  return [...languages, ...others];
}

/** What the extensions do with workflows that are events; null: no extension knows any. */
export async function runEventsOf(hooks: readonly Hooks[]): Promise<RunEvents | null> {
  return (await hooks.find(({ events }) => events !== undefined)?.events?.()) ?? null;
}
