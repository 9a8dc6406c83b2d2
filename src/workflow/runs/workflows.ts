import { availableParallelism } from 'node:os';
import { normalize, resolve } from 'node:path';
import type { Disk } from '../../disk/disk.ts';
import { changedFiles, fileTimes } from '../../disk/file-times.ts';
import type { JournalReader } from '../../disk/journal-reader.ts';
import { RealDisk } from '../../disk/real-disk.ts';
import { hostChanged, requestControl, withdrawControl } from '../../host/control.ts';
import { readParked } from '../../host/parked.ts';
import { runFolder } from '../../host/run-mail.ts';
import { refuseTrackedState } from '../../host/tracked.ts';
import { priceOf } from '../../kernel/price.ts';
import type { Artifact } from '../../languages/shared/artifacts.ts';
import type { Identity } from '../../languages/shared/identity.ts';
import type { Effective, Languages } from '../../languages/shared/workflow-language.ts';
import { rolesOnDisk } from '../../mail/mailboxes/mail-files.ts';
import { baseOf } from '../files/streams.ts';
import { listRuns, runControlFolder, runReader } from '../files/run-folders.ts';
import { pendingCommands, type RunControlFile } from '../host/commands.ts';
import type { HostedRun } from '../host/hosted-runs.ts';
import type { RunEvent } from '../machine/event.ts';
import type { Planning } from './plan.ts';
import type { OwnWorkspace } from '../model.ts';
import { type DescribedChange, describeChange } from '../../project/definition/changed-by.ts';
import {
  effectiveDefinition,
  projectArtifacts,
  writeDefinition,
} from '../../project/definition/composing.ts';
import { answerStart, askedStart, confirm, type Confirmable } from '../../project/definition/confirmed.ts';
import { protocolOfNobody, type Settings, type SettingsReader } from '../../project/definition/definition.ts';
import {
  findWorkflow,
  identities,
  isWorkflowNamed,
  workflowNames,
} from '../../project/definition/find-workflow.ts';
import {
  appendMissingLines,
  missingLines,
  listWorkflowFiles,
  writeMissing,
} from '../../project/definition/project-files.ts';
import { languagesWith, runEventsOf } from '../../project/definition/hooks.ts';
import type { ProjectHolder } from '../../host/holder.ts';
import { workflowStatus } from './workflow-status.ts';
import { ConfirmedRoleTexts, readRoleText, roleFileOf } from '../../project/definition/role-texts.ts';
import {
  checkWorkflow,
  expectRead,
  readerOf,
  readWorkflow,
  shownPath,
} from '../../project/definition/workflows.ts';
import type { Origin, RunSettings } from './compose.ts';
import type {
  AskedWorkflow,
  BeginOptions,
  FileChange,
  FoundWorkflow,
  OneShot,
  ReadOptions,
  RecordsFolder,
  ResumeOptions,
  RunController,
  StoredRun,
  WorkflowPlace,
} from '../../project/definition/contracts.ts';
import type { RunCard } from '../../letters/letters.ts';
import type { StartMail } from './mail.ts';
import type { WorkflowStatus } from './run-status.ts';
import { expectRun, findRun, findWaiting, openRun, verdictOf } from './stored-runs.ts';

/** Milliseconds that a new process has to begin with a run. */
const patience = 10_000;

const person: Origin = { by: 'person', run: null, trigger: null, slots: null };

/** The workflows of a project, and their runs. */
export class Workflows {
  readonly #disk: Disk;
  readonly #settings: SettingsReader;

  constructor(disk: Disk, settings: SettingsReader) {
    this.#disk = disk;
    this.#settings = settings;
  }

  async #read(replay: string | null = null): Promise<Settings> {
    return expectRead(await this.#settings.read(replay));
  }

  /** The definitions in workflows/, as paths relative to the project, sorted. */
  list(): readonly string[] {
    return listWorkflowFiles(this.#disk);
  }

  /** The ids and names of the workflows of the project. */
  names(): Promise<readonly string[]> {
    return workflowNames(this.#disk);
  }

  /** Whether a word is the id or name of a workflow of the project. */
  isWorkflow(word: string): Promise<boolean> {
    return isWorkflowNamed(this.#disk, word);
  }

  /**
   * The file of a definition, which is not read, by a path (from `cwd`), or by the id or name of
   * one in workflows/. Throws `E_TARGET`.
   */
  async locate(reference: string, cwd: string): Promise<WorkflowPlace> {
    const file = await findWorkflow(this.#disk, reference, cwd);
    return { file, path: shownPath(this.#disk.root, file) };
  }

  /**
   * Reads and checks a definition, by the same words. Throws `E_TARGET`, and `E_USAGE` for a
   * missing file of overrides.
   */
  async read(
    reference: string,
    cwd: string,
    { starting = null, overrides = [] }: ReadOptions = {},
  ): Promise<FoundWorkflow> {
    const settings = await this.#read();
    return readWorkflow(this.#disk, settings, await findWorkflow(this.#disk, reference, cwd), {
      starting,
      overrides: overrides.map((file) => resolve(cwd, file)),
    });
  }

  /** The same for an unsaved definition, in the place of this file (absolute). */
  async check(text: string, file: string, given?: Pick<ReadOptions, 'starting'>): Promise<FoundWorkflow> {
    const settings = await this.#read();
    return checkWorkflow(this.#disk, settings, text, file, given);
  }

  /** All languages of workflows. */
  languages(): Promise<Languages> {
    return languagesWith(this.#settings.hooks);
  }

  /** The names, tags and colours of the definitions in workflows/, without checking them. */
  identities(): Promise<readonly Identity[]> {
    return identities(this.#disk);
  }

  /**
   * A definition with the files of the project that change it; its value is null while its text
   * cannot be read.
   */
  effective({ text, path }: Pick<FoundWorkflow, 'text' | 'path'>): Promise<Effective> {
    return effectiveDefinition(this.#disk, this.#settings.hooks, text, path);
  }

  /**
   * Replaces the text of a definition (by its path in the project), or with `before` null creates
   * its file. False: the file has another text now, or exists already, and nothing is written.
   */
  write(path: string, before: string | null, text: string): boolean {
    return writeDefinition(this.#disk, path, before, text);
  }

  /** What stages can name: agents, skills, modules, memories. */
  async artifacts(): Promise<readonly Artifact[]> {
    return projectArtifacts(this.#disk, await this.#read());
  }

  /** The workflow of one task for one agent. Throws `E_USAGE` for an unknown agent. */
  async oneShot(task: OneShot): Promise<FoundWorkflow> {
    const { oneShotWorkflow } = await import('../../project/definition/one-shot.ts');
    return oneShotWorkflow(this.#disk, await this.#read(), task);
  }

  /**
   * Lets a running `up` use these in their current form. Returns those that have changed, with who
   * changed them.
   */
  async confirm(
    found: readonly Confirmable[],
  ): Promise<readonly { readonly path: string; readonly change: DescribedChange }[]> {
    await refuseTrackedState(this.#disk);
    const changed = confirm(this.#disk, found).map(async ({ path, files, fingerprint }) => ({
      path,
      change: await describeChange(this.#disk, files, fingerprint),
    }));
    return Promise.all(changed);
  }

  /** The descriptions of roles, `agents/<role>/role.md`. Throws `E_FILE` for an unreadable one. */
  roleTexts(): readonly Confirmable[] {
    return rolesOnDisk(this.#disk).map((role) => readRoleText(this.#disk, role));
  }

  /** The one at a path from `cwd`; null: the path is that of no role. Throws `E_FILE`. */
  roleText(reference: string, cwd: string): Confirmable | null {
    const disk = this.#disk;
    const file = resolve(cwd, reference);
    const role = rolesOnDisk(disk).find((name) => file === resolve(disk.root, roleFileOf(name)));
    return role === undefined ? null : readRoleText(disk, role);
  }

  /** The workflow of a run that a trigger with `by: person` asks for; null: none asks for it. */
  askedStart(run: string): string | null {
    return askedStart(this.#disk, run);
  }

  /** Answers such a run in the name of a person. False: no trigger asks for it any more. */
  answerStart(run: string, said: 'yes' | 'no', by: string): boolean {
    return answerStart(this.#disk, run, said, by);
  }

  /**
   * The run that a request file (from `cwd`) asks for; null: it is not a request. Throws
   * `E_FORBIDDEN`.
   */
  async asked(reference: string, cwd: string): Promise<AskedWorkflow | null> {
    if (!reference.endsWith('.json')) return null;
    const events = await runEventsOf(this.#settings.hooks);
    const reader = async () => readerOf(this.#disk, await this.#read());
    return events?.asked(this.#disk, reader, resolve(cwd, reference)) ?? null;
  }

  /** What of a run was not sent everywhere, and what sends it; null: nothing. */
  async unsent(run: string): Promise<string | null> {
    const events = await runEventsOf(this.#settings.hooks);
    return events?.unsent(this.#disk, (await this.#read()).config, run) ?? null;
  }

  /** Writes missing files, by their path in the project. Returns the paths that it wrote. */
  writeMissing(files: readonly { readonly path: string; readonly text: string }[]): readonly string[] {
    return writeMissing(this.#disk, files);
  }

  /**
   * What a plan needs besides the definition. The maximum cost of a launch: a role's own budget,
   * else the default of mailroom.yaml; and its model's price.
   */
  async planning(): Promise<Planning> {
    const { config, protocol } = await this.#read();
    const { pricesOf } = await import('../../providers/index.ts');
    const { overheadWords } = await import('../../project/definition/overheads.ts');
    const words = overheadWords(config, this.#settings.environment);
    const prices = pricesOf(config.prices);
    return {
      estimate: (work) => {
        const role = work.kind === 'role' ? protocol?.roles.get(work.role) : undefined;
        const { provider = null, model = null } = work.kind === 'role' ? (role ?? {}) : work;
        const own = provider === null ? null : (config.providers.get(provider)?.prices ?? null);
        const budget = role?.budget ?? config.defaults.budget ?? { usd: null, tokens: null };
        return { ...budget, price: own ?? priceOf(prices, model) };
      },
      overheadOf: ({ role, provider }) => words(protocol?.roles.get(role ?? '')?.provider ?? provider ?? ''),
      slots: config.concurrency ?? availableParallelism(),
    };
  }

  /**
   * Records the files of a folder (absolute), without some and those of tools; each call of the
   * returned function lists those that differ since then, by name. `within`: only these subfolders.
   */
  watchFiles(folder: string, leaveOut: string, within?: readonly string[]): () => readonly FileChange[] {
    const disk = new RealDisk(folder);
    const left = normalize(leaveOut);
    const isOutside = (path: string) => within !== undefined && !path.includes('/') && !within.includes(path);
    const look = () => fileTimes(disk, (path) => path === left || isOutside(path));
    const before = look();
    return () => changedFiles(before, look());
  }

  /**
   * The git state of the records folder of a workflow with its own workspace (absolute). Git
   * ignores the first component of the records' path.
   */
  records(workspace: string, home: OwnWorkspace): RecordsFolder {
    const base = new RealDisk(baseOf(workspace, home));
    const records = `/${home.records.split('/')[0] ?? home.records}/`;
    const text = base.read('.gitignore', 1024 * 1024)?.toString('utf8') ?? '';
    const lines = missingLines(text, [records, '/.mailroom/']);
    return {
      isFirst: base.look(home.records) === null && lines.includes(records),
      lines,
      ignore: () => void appendMissingLines(base, '.gitignore', lines),
    };
  }

  /**
   * The runs that have not ended, newest first, and the triggers. `holder`: of the project; null:
   * none.
   */
  async status(holder: ProjectHolder | null): Promise<WorkflowStatus> {
    const read = await this.#settings.read();
    return workflowStatus(this.#disk, read.ok ? read.value : null, (run) => openRun(this.#disk, run), holder);
  }

  /** The runs of the project, newest first. */
  runs(): readonly RunCard[] {
    return listRuns(this.#disk);
  }

  /** One run by its id, or by its beginning or end. Throws `E_TARGET`. */
  run(reference: string): StoredRun {
    return expectRun(this.#disk, reference);
  }

  /** The same for a word that may mean something else: null. */
  find(word: string): StoredRun | null {
    return findRun(this.#disk, word);
  }

  /** The providers that rest at a usage limit, and until when; milliseconds since 1970. */
  parked(): ReadonlyMap<string, number> {
    return readParked(this.#disk);
  }

  /** Reads the journal of a run. */
  journal(run: string): JournalReader<RunEvent> {
    return runReader(this.#disk, run);
  }

  /** The run that a word means, and that waits for another one; null: there is none. */
  waiting(word: string): HostedRun | null {
    return findWaiting(this.#disk, word);
  }

  async begin(options: BeginOptions): Promise<RunController> {
    const { beginRun } = await import('./begin.ts');
    const settings = await this.#read(options.replay);
    return beginRun(this.#disk, this.#withMail(settings, options.record), options, person);
  }

  /** Continues a run without a host. Throws `E_LOCKED` when a process hosts it. */
  async resume(run: StoredRun, options: ResumeOptions): Promise<RunController> {
    const { resumeRun } = await import('./begin.ts');
    return resumeRun(this.#disk, this.#withMail(await this.#read()), run, options, person);
  }

  /**
   * Cancels a run without a host, as the command says; it has ended on return. Throws `E_LOCKED`
   * when a process hosts it.
   */
  async cancel(run: StoredRun, command: RunControlFile): Promise<void> {
    const { cancelRun } = await import('./begin.ts');
    return cancelRun(this.#disk, await this.#read(), run, command, person);
  }

  /** Sends a command to the host of a run. */
  request(run: string, document: RunControlFile): void {
    requestControl(this.#disk, document.id, document, runControlFolder(run));
  }

  /** The commands that no host of a run has read, oldest first. */
  pending(run: string): RunControlFile[] {
    return pendingCommands(this.#disk, run);
  }

  /** Takes a command back that no host has read. */
  withdraw(run: string, id: string): void {
    withdrawControl(this.#disk, id, runControlFolder(run));
  }

  /** The verdict on a command; undefined: not read yet. */
  verdict(run: string, id: string): { readonly refusal: string | null } | undefined {
    return verdictOf(this.#disk, run, id);
  }

  /** Waits for a change in the folder of a run, at most this many milliseconds. */
  changed(run: string, milliseconds: number): Promise<void> {
    return hostChanged(this.#disk, runFolder(run), milliseconds);
  }

  /** Waits until a process hosts a run, or has recorded something since `events`; at most 10 s. */
  async hosted(run: string, events: number): Promise<void> {
    const until = Date.now() + patience;
    for (let left = patience; left > 0; left = until - Date.now()) {
      const stored = this.run(run);
      if ((await stored.alive()) || stored.state().events > events) return;
      await this.changed(run, Math.min(left, 250));
    }
  }

  /** A run that a person starts also moves the mail for its roles, while no other process does. */
  #withMail(settings: Settings, record: string | null = null): RunSettings {
    const disk = this.#disk;
    const recorded = record === null ? {} : { record };
    // Its controller may start much later, when other descriptions lie there.
    const texts = new ConfirmedRoleTexts(disk, settings.protocol?.roles.keys() ?? []);
    const startMail: StartMail = async (options) => {
      const { startController } = await import('../../mail/controller/controller.ts');
      const protocol = settings.protocol ?? expectRead(await protocolOfNobody(settings.config));
      return startController(disk, { ...settings, protocol }, { ...options, record }, null, texts);
    };
    return { ...settings, ...recorded, startMail };
  }
}
