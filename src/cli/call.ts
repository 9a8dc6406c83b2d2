import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { defaultConfig } from '../config/config.ts';
import { findProject, hasWorkflows, isFolder, isProtocolFile } from '../disk/find-project.ts';
import { otherOwner } from '../disk/owners.ts';
import { RealDisk } from '../disk/real-disk.ts';
import { readText } from '../disk/text.ts';
import type { UnsavedTexts } from '../disk/unsaved.ts';
import { makeProjectFolder } from '../host/project-folder.ts';
import { orElse } from '../kernel/contained.ts';
import { MailroomError } from '../kernel/errors.ts';
import { rolesOnDisk } from '../mail/mailboxes/mail-files.ts';
import { Mailboxes } from '../mail/mailboxes/mailboxes.ts';
import { onKey } from '../process/keyboard.ts';
import { findProgram } from '../process/proc.ts';
import { useLaunchers, type SpawnLauncher } from '../process/starting/launcher.ts';
import type { Controller } from '../mail/controller/contract.ts';
import type { UpOptions } from '../up/start.ts';
import type { EditedProject } from '../project/edited-project.ts';
import type { Finding } from '../kernel/finding.ts';
import type { OwnTemplate } from '../project/template.ts';
import type { FromAgents } from '../project/agent-team.ts';
import type { ScaffoldResult } from '../project/scaffold.ts';
import { KnownProjects } from '../project/known-projects.ts';
import { programFor } from '../project/definition/programs.ts';
import { Project } from '../project/project.ts';
import type { Hooks } from '../project/definition/hooks.ts';
import type { Surroundings } from '../project/definition/definition.ts';
import type { Template } from '../project/template.ts';
import { workflowFile } from '../project/definition/workflow-file.ts';

export interface CallOptions extends Surroundings {
  readonly cwd: string;
  /** Default: programs are children of this process. */
  readonly launch?: SpawnLauncher | undefined;
}

/** The place where the program is called, and what a command does there besides its project. */
export class Call implements Surroundings {
  readonly packageRoot: string;
  readonly environment: Surroundings['environment'];
  readonly hooks: readonly Hooks[];
  /** The working folder of the call. */
  readonly cwd: string;
  /** The person's projects, absolute, for `status --all`. */
  readonly projects: Pick<KnownProjects, 'file' | 'list' | 'add' | 'drop'>;
  readonly hasWorkflows: (folder: string) => boolean = hasWorkflows;
  readonly otherOwner = otherOwner;

  constructor({ packageRoot, environment, cwd, launch, hooks = [] }: CallOptions) {
    if (launch !== undefined) useLaunchers(launch);
    this.packageRoot = packageRoot;
    this.environment = environment;
    this.hooks = hooks;
    this.cwd = cwd;
    this.projects = new KnownProjects(environment);
  }

  /**
   * The project that contains `from`, or null. `$MAILROOM_PROJECT` wins, unless a person named the
   * folder.
   */
  findProject(from: string, isNamed: boolean): string | null {
    const variable = this.environment['MAILROOM_PROJECT'] ?? '';
    if (!isNamed && variable !== '') return resolve(variable);
    return findProject(from, this.environment['HOME'] ?? homedir());
  }

  /** Throws `E_NO_PROJECT` if the named folder does not exist: above it lies another project. */
  expectFolder(path: string): void {
    if (!isFolder(path)) throw new MailroomError('E_NO_PROJECT', `there is no folder ${path}`);
  }

  /** The file of a workflow named by its path, absolute; null: there is no file. */
  workflowFile(reference: string): string | null {
    return workflowFile(resolve(this.cwd, reference));
  }

  openProject(root: string): Project {
    return Project.at(root, this);
  }

  /** Starts the controller of a project, as `startUp` says. */
  async up(project: Project, options: UpOptions, replay: string | null): Promise<Controller> {
    const { startUp } = await import('../up/start.ts');
    return startUp(project, options, replay);
  }

  /**
   * The project around a file (absolute) as an editor shows it; outside of one, the folder of the
   * file.
   */
  async openEdited(file: string, unsaved: UnsavedTexts): Promise<EditedProject> {
    const { EditedProject } = await import('../project/edited-project.ts');
    const root = findProject(dirname(file), this.environment['HOME'] ?? homedir());
    return EditedProject.open(root ?? dirname(file), root !== null, unsaved, this);
  }

  /**
   * Calls back with each pressed character, without Enter, until the returned function is called.
   * Ctrl-C and Ctrl-Z work as ever. A background job of a shell gets none.
   */
  readonly onKey: (act: (key: string) => void) => () => void = onKey;

  /**
   * The text of a file that the caller named, by its absolute path, anywhere; null: it does not
   * exist.
   */
  readonly readText: (path: string) => string | null = readText;

  /** The files of a project's protocol; empty: it has none, and a template can bring one. */
  protocolFiles(root: string): readonly string[] {
    // A folder that does not exist yet has none.
    return (orElse(() => new RealDisk(root).list('protocols'), null) ?? [])
      .filter(isProtocolFile)
      .map((name) => `protocols/${name}`);
  }

  /** Adds what a project lacks besides its protocol: lines of .gitignore, schemas, folders. */
  async complete(root: string): Promise<readonly string[]> {
    const { addIgnored } = await import('../project/scaffold.ts');
    const project = this.openProject(root);
    const ignored = addIgnored(new RealDisk(root));
    const definition = await project.definition();
    return [...ignored, ...(definition.ok ? project.prepare(definition.value.protocol) : [])];
  }

  /**
   * Lets the caller edit text in the program of `$VISUAL` or `$EDITOR`. Null: neither is set, or
   * it cannot be started. Throws `E_CANCELLED` when the editor ends with an error.
   */
  async edit(text: string): Promise<string | null> {
    const { VISUAL = '', EDITOR = '' } = this.environment;
    const command = [VISUAL, EDITOR].find((each) => each.trim() !== '');
    if (command === undefined) return null;
    const { edit } = await import('../process/editor.ts');
    const edited = await edit(command, text);
    if (edited.is === 'given-up')
      throw new MailroomError('E_CANCELLED', `\`${command}\` ended with an error: nothing was sent`);
    return edited.is === 'saved' ? edited.text : null;
  }

  /**
   * Writes a new project, keeping existing files. `template`: a name of `templates`, a folder, or a
   * git URL. Throws `E_USAGE` for one that cannot be read.
   */
  async scaffold(
    root: string,
    template: string,
    { provider }: { provider: string | null },
  ): Promise<ScaffoldResult> {
    const [{ isOwnTemplate, readTemplate }, { copyTemplate }] = await Promise.all([
      import('../project/template.ts'),
      import('../project/scaffold.ts'),
    ]);
    const isOwn = isOwnTemplate(template);
    const chosen = isOwn ? provider : (provider ?? 'rehearsal');
    const files = isOwn ? await readTemplate(template, this.cwd) : await this.#readLayers(template);
    makeProjectFolder(root);
    const { disk } = this.openProject(root);
    const copied = copyTemplate(files, disk, chosen);
    await this.#furnish(root);
    return { ...copied, provider: chosen };
  }

  /** Makes roles of the agents in a repository. Throws as `teamFromAgents`. */
  async scaffoldFromAgents(root: string, options: FromAgents): Promise<ScaffoldResult> {
    const { teamFromAgents } = await import('../project/agent-team.ts');
    const made = teamFromAgents(new RealDisk(root), options);
    await this.#furnish(root);
    return made;
  }

  /** Adds the schemas and the folders for mail. */
  async #furnish(root: string): Promise<void> {
    const { copySchemas } = await import('../project/definition/project-files.ts');
    const { disk } = this.openProject(root);
    copySchemas(new RealDisk(join(this.packageRoot, 'schemas')), disk);
    new Mailboxes(disk).prepare([...new Set([...rolesOnDisk(disk), 'user'])]);
  }

  /** The templates that come with the program, the default first. */
  async templates(): Promise<readonly OwnTemplate[]> {
    const { ownTemplates, protocolOf } = await import('../project/scaffold.ts');
    return Object.entries(ownTemplates).map(([name, { about }]) => ({
      name,
      about,
      protocol: async () => protocolOf(await this.#readLayers(name)),
    }));
  }

  /** A template that comes with the program, with the files of those that it is laid over. */
  async #readLayers(name: string): Promise<Template> {
    const { layered, layersOf } = await import('../project/scaffold.ts');
    const { readTemplate } = await import('../project/template.ts');
    const templates = join(this.packageRoot, 'templates');
    return layered(await Promise.all(layersOf(name).map((each) => readTemplate(`./${each}`, templates))));
  }

  /** Whether the program of an agent provider can be started. */
  installed(provider: string): boolean {
    const program = programFor(defaultConfig, provider, this.environment);
    return program === null || findProgram(program, this.environment['PATH'], this.cwd) === 'found';
  }

  /** `probes`: each installed agent CLI answers once, which costs a few tokens. */
  async doctor(root: string | null, { probes }: { readonly probes: boolean }): Promise<readonly Finding[]> {
    const { examine } = await import('../project/doctor.ts');
    const { packageRoot, environment, hooks, cwd } = this;
    return examine(root, { packageRoot, environment, hooks, cwd, probes });
  }
}
