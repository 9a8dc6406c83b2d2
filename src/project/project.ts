import { orElse } from '../kernel/contained.ts';
import { join } from 'node:path';
import { v7 } from 'uuid';
import type { Config } from '../config/config.ts';
import type { Disk } from '../disk/disk.ts';
import { JournalReader } from '../disk/journal-reader.ts';
import { RealDisk } from '../disk/real-disk.ts';
import { UnsavedTexts } from '../disk/unsaved.ts';
import { Worktrees } from '../git/worktrees.ts';
import { hostChanged, requestControl } from '../host/control.ts';
import { readHolder, type ProjectHolder } from '../host/holder.ts';
import { presentHolder } from '../host/holding.ts';
import type { Checked, Diagnostic } from '../kernel/diagnostic.ts';
import { MailroomError } from '../kernel/errors.ts';
import type { RoleName } from '../kernel/ids.ts';
import type { Folder } from '../mail/format/boxes.ts';
import type { Protocol } from '../mail/format/protocol.ts';
import type { MailEvent } from '../mail/machine/event.ts';
import { type IsMail, mailNames, readMail, rolesOnDisk } from '../mail/mailboxes/mail-files.ts';
import { Mailboxes } from '../mail/mailboxes/mailboxes.ts';
import { type Misplaced, misplacedMail } from '../mail/mailboxes/misplaced.ts';
import { keepProgramsOutOf } from '../process/sandbox/own-programs.ts';
import type { ApiServices } from './api.ts';
import {
  type Definition,
  hashOf,
  readDefinition,
  SettingsReader,
  type Surroundings,
} from './definition/definition.ts';
import type { EditedProject } from './edited-project.ts';
import { Workflows } from '../workflow/runs/workflows.ts';
import { Files } from './definition/files.ts';
import { Following } from './following.ts';
import { readKeptStatus, statusSource, type StatusSource } from '../mail/controller/kept-status.ts';
import { copySchemas } from './definition/project-files.ts';
import { refuseNewer } from './state-format.ts';
import { expectRead } from './definition/workflows.ts';
import { workspaceProblem } from './definition/workspace-problem.ts';
import { refuseTrackedState } from '../host/tracked.ts';
import type { Prunable, PruneContext, PrunedKind } from './prune.ts';

/**
 * A project, with all that is done with it. Reads are synchronous. What few commands need is loaded
 * when it is called.
 */
export class Project {
  readonly disk: Disk;
  readonly root: string;
  readonly files: Files;
  readonly settings: SettingsReader;
  readonly workflows: Workflows;
  /** Worktrees of threads and roles. Throws `E_REFUSED` with git's message, and loses nothing. */
  readonly worktrees: Pick<Worktrees, 'list' | 'merge' | 'remove'>;
  readonly pruning: Pick<Pruning, 'list' | 'remove'>;
  readonly #surroundings: Surroundings;
  /** The mail so far, as another process sees it. Throws `E_JOURNAL`. */
  readonly journal: Following;
  #editor: Promise<Pick<EditedProject, 'complete' | 'hover'>> | null = null;

  constructor(disk: Disk, surroundings: Surroundings) {
    this.disk = disk;
    this.root = disk.root;
    this.#surroundings = surroundings;
    this.settings = new SettingsReader(disk, surroundings);
    this.journal = new Following(new JournalReader<MailEvent>(disk));
    this.files = new Files(disk);
    this.workflows = new Workflows(disk, this.settings);
    const worktrees = new Worktrees(disk.root, async () => {
      const { namedFiles } = await import('./definition/named-files.ts');
      return namedFiles(disk, expectRead(await this.settings.read()));
    });
    this.worktrees = worktrees;
    this.pruning = new Pruning(disk, worktrees);
  }

  /** The project in a folder. Throws `E_NEWER`. */
  static at(path: string, surroundings: Surroundings): Project {
    const disk = new RealDisk(path);
    refuseNewer(disk);
    keepProgramsOutOf(disk.root);
    return new Project(disk, surroundings);
  }

  /** Reads mailroom.yaml and protocols/: all their problems, or their content. */
  definition(): Promise<Checked<Definition>> {
    return readDefinition(this.disk, this.settings);
  }

  /** The hash of the protocol currently on disk, computed without parsing it. */
  hash(): string {
    return hashOf(this.disk);
  }

  /**
   * What the status needs of the state. Faster than `journal.state` where a controller has kept it.
   */
  statusSource(): StatusSource {
    return readKeptStatus(this.disk) ?? statusSource(this.journal.state());
  }

  /** The noted holder of the project, if that very process is alive; null: none runs. */
  holder(): ProjectHolder | null {
    // The sandbox of a turn hides all processes but its own, and the turn has a controller.
    const { MAILROOM_TURN: turn = '', MAILROOM_PROJECT: its } = this.#surroundings.environment;
    return turn !== '' && its === this.root ? readHolder(this.disk) : presentHolder(this.disk);
  }

  /** The mail in a folder of a role, in all months. */
  mail(role: RoleName, folder: Folder | 'outbox') {
    return readMail(this.disk, role, folder);
  }

  /**
   * The names of the messages in a box, without reading them; default: those that end in `.md`.
   * None, if it cannot be listed.
   */
  names(role: RoleName, box: 'inbox' | 'outbox', isMail?: IsMail): readonly string[] {
    return orElse(() => mailNames(this.disk, `agents/${role}/${box}`, isMail), []);
  }

  /** Why no git worktree can be made for threads; null: it can, or the protocol needs none. */
  workspaceProblem(protocol: Protocol): Promise<Diagnostic | null> {
    return workspaceProblem(this.root, protocol);
  }

  /** Mail that no role of the protocol reads. */
  misplaced(protocol: Protocol, config: Config): readonly Misplaced[] {
    return misplacedMail(this.disk, protocol, config);
  }

  roles(): RoleName[] {
    return rolesOnDisk(this.disk);
  }

  /**
   * Drops a message file into a role's box, atomically. Returns its path, relative to the project.
   */
  drop(role: RoleName, box: 'inbox' | 'outbox', name: string, text: string): string {
    const file = `agents/${role}/${box}/${name}`;
    this.disk.write(file, text);
    return file;
  }

  /** Writes a message into the staging folder of the calling turn. */
  stage(folder: string, name: string, text: string): string {
    // The folder may belong to other programs, so no `.mailroom` is created in it.
    new RealDisk(folder, null).write(name, text);
    return join(folder, name);
  }

  /** Sends a command to the controller. */
  request(document: { readonly id: string; readonly [key: string]: unknown }): void {
    requestControl(this.disk, document.id, document);
  }

  newId(): string {
    return v7();
  }

  /** Waits for a change in the project, at most this many milliseconds. */
  changed(milliseconds: number): Promise<void> {
    return hostChanged(this.disk, '.mailroom', milliseconds);
  }

  /**
   * Makes the folders of the roles, and the schemas for editors. Returns what was missing; a disk
   * that refuses is left alone. Nothing where the only role is `user`: such a project has only
   * workflows. An inbox that held waiting mail is not made again, so that the controller notices
   * that it has vanished.
   */
  prepare({ roles }: Protocol): readonly string[] {
    if (roles.size <= 1) return [];
    try {
      const { inboxes } = this.statusSource();
      const full = new Set(inboxes.flatMap(([role, names]) => (names.length > 0 ? [role] : [])));
      const made = new Mailboxes(this.disk)
        .prepare([...roles.keys()].filter((role) => !full.has(role)))
        .map((role) => `agents/${role}/inbox/`);
      const schemas = new RealDisk(join(this.#surroundings.packageRoot, 'schemas'));
      return [...made, ...copySchemas(schemas, this.disk)];
    } catch (error) {
      if (!(error instanceof MailroomError)) throw error;
      return [];
    }
  }

  /** Its files as an editor shows them. It keeps the settings that it has read. */
  async editor(): Promise<Pick<EditedProject, 'complete' | 'hover'>> {
    const { EditedProject } = await import('./edited-project.ts');
    return (this.#editor ??= EditedProject.open(this.root, true, new UnsavedTexts(), this.#surroundings));
  }

  /**
   * Makes this process the server of the project's API. `owner`: the name of the first key. Throws
   * `E_LOCKED` while another one serves it, `E_TRACKED` and `E_FILE`.
   */
  async api(owner: string): Promise<ApiServices> {
    const { openApi } = await import('./api.ts');
    const { packageRoot } = this.#surroundings;
    return openApi(this.disk, { packageRoot, owner, mail: () => this.journal.state().events });
  }

  /** The same for answers inside this process, without a server. Throws `E_FILE`. */
  async closedApi(): Promise<ApiServices> {
    const { closedApi } = await import('./api.ts');
    return closedApi(this.disk, this.#surroundings.packageRoot);
  }

  /**
   * Serves the API in another process, as `mailroom serve` does, until `end` or the end of this
   * process; `say` hears when that ends before, and starts again. `port` null: the usual one.
   * Throws `E_REFUSED` where it does not start, and has said why.
   */
  async serve(
    port: string | null,
    say: (text: string) => void,
  ): Promise<{ readonly address: string; end(): Promise<void> }> {
    const { serveBeside } = await import('./api-beside.ts');
    return serveBeside(this.root, port, say);
  }

  /** The same project, whose protocol and settings stay as they were read. */
  keeping(definition: Checked<Definition>): Project {
    const kept = new Project(this.disk, this.#surroundings);
    kept.definition = () => Promise.resolve(definition);
    return kept;
  }
}

type PruneScope = Omit<PruneContext, 'worktrees'>;

/** What is old in a project and not needed any more. */
class Pruning {
  readonly #disk: Disk;
  readonly #worktrees: Worktrees;

  constructor(disk: Disk, worktrees: Worktrees) {
    this.#disk = disk;
    this.#worktrees = worktrees;
  }

  /** Old turns, runs and checkouts of threads. */
  async list(kinds: readonly PrunedKind[], scope: PruneScope): Promise<readonly Prunable[]> {
    const { listPrunable } = await import('./prune.ts');
    return listPrunable(this.#disk, kinds, { ...scope, worktrees: this.#worktrees });
  }

  /** Removes one of them. Returns why it could not; null: it is gone. */
  async remove(item: Prunable, scope: PruneScope): Promise<string | null> {
    try {
      await refuseTrackedState(this.#disk);
      const { prune } = await import('./prune.ts');
      await prune(this.#disk, item, { ...scope, worktrees: this.#worktrees });
      return null;
    } catch (error) {
      if (error instanceof MailroomError) return error.message;
      throw error;
    }
  }
}
