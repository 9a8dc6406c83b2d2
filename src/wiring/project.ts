import { join } from 'node:path';
import process from 'node:process';
import { v7 } from 'uuid';
import type { ControllerOptions, ProjectServices, Pruning } from '../operations/services.ts';
import type { Checked } from '../kernel/diagnostic.ts';
import { MailroomError } from '../kernel/errors.ts';
import type { Holder } from '../operations/project/project.ts';
import type { OpenWorkflows } from '../workflow/host/up-host.ts';
import { keepProgramsOutOf } from '../process/sandbox/own-programs.ts';
import { Worktrees } from '../git/worktrees.ts';
import { Control, hostChanged, requestControl } from '../host/control.ts';
import { JournalReader } from '../disk/journal-reader.ts';
import { readHolder } from '../host/holder.ts';
import { refuseTrackedState } from '../host/tracked.ts';
import { isThere } from '../host/holding.ts';
import { mailNames, readMail, rolesOnDisk } from '../mail/mailboxes/mail-files.ts';
import { misplacedMail } from '../mail/mailboxes/misplaced.ts';
import { RealDisk } from '../disk/real-disk.ts';
import { UnsavedTexts } from '../disk/unsaved.ts';
import {
  hashOf,
  readDefinition,
  readSettings,
  type Settings,
  SettingsReader,
} from '../operations/project/definition.ts';
import { ProblemsError } from '../operations/problems.ts';
import { refuseNewer } from '../operations/project/state-format.ts';
import { missingBranches, workspaceProblem } from '../operations/project/workspace-problem.ts';
import { workflowServices } from './workflow-services.ts';
import { copySchemas } from '../operations/project/project-files.ts';
import { Mailboxes } from '../mail/mailboxes/mailboxes.ts';
import type { Protocol } from '../mail/format/protocol.ts';
import { readKeptStatus, statusSource, type StatusSource } from '../operations/project/kept-status.ts';
import { Following } from '../operations/project/following.ts';
import type { MailEvent } from '../mail/machine/event.ts';
import { incomingFolder } from '../host/run-mail.ts';

/** A project, for its commands. Throws `E_NEWER`. */
export function openProject(path: string, packageRoot: string): ProjectServices {
  const disk = new RealDisk(path);
  refuseNewer(disk);
  keepProgramsOutOf(disk.root);
  const journal = new Following(new JournalReader<MailEvent>(disk));
  const settings = new SettingsReader(disk, packageRoot);
  const definition = () => readDefinition(disk, settings);
  const workflows = workflowServices(disk, settings);
  const worktrees = new Worktrees(disk.root, async () => {
    const { namedFiles } = await import('../operations/project/named-files.ts');
    return namedFiles(disk, expectValue(await settings.read()));
  });
  const source = () => readKeptStatus(disk) ?? statusSource(journal.state());
  return {
    root: disk.root,
    definition,
    hash: () => hashOf(disk),
    state: () => journal.state(),
    past: (moment) => journal.past(moment),
    statusSource: source,
    holder: () => holderOf(disk),
    mail: (role, folder) => readMail(disk, role, folder),
    names: (role, box, isMail) => mailNames(disk, `agents/${role}/${box}`, isMail),
    workspaceProblem: (protocol) => workspaceProblem(disk.root, protocol),
    missingBranches: (protocol) => missingBranches(disk.root, protocol),
    misplaced: (protocol, config) => misplacedMail(disk, protocol, config),
    roles: () => rolesOnDisk(disk),
    drop: (role, box, name, text) => {
      const file = `agents/${role}/${box}/${name}`;
      disk.write(file, text);
      return file;
    },
    stage,
    request: (document) => void requestControl(disk, document.id, document),
    verdict: (id) => journal.verdict(id),
    files: filesOf(disk),
    workflows,
    prepare: (protocol) => prepareProject(disk, packageRoot, protocol, () => source().inboxes),
    nip: async () => {
      const { nipServices } = await import('../operations/nip/services.ts');
      return nipServices(disk, packageRoot, workflows);
    },
    editor: editorOf(disk, packageRoot),
    worktrees,
    pruning: pruningOf(disk, worktrees),
    api: async (owner) => {
      const { openApi } = await import('../operations/api/services.ts');
      return openApi(disk, { packageRoot, owner, mail: () => journal.state().events });
    },
    closedApi: async () => (await import('../operations/api/services.ts')).closedApi(disk, packageRoot),
    serve: async (port) => (await import('../operations/api/beside.ts')).serveBeside(disk.root, port),
    newId: v7,
    changed: (milliseconds) => hostChanged(disk, '.mailroom', milliseconds),
    controller: controllerOf(disk, packageRoot, settings),
    worker: workerOf(disk, packageRoot),
    workers: workersOf(disk, packageRoot),
  };
}

function stage(folder: string, name: string, text: string): string {
  // The folder may belong to other programs, so no `.mailroom` is created in it.
  new RealDisk(folder, null).write(name, text);
  return join(folder, name);
}

function filesOf(disk: RealDisk): ProjectServices['files'] {
  return {
    read: (file) => disk.read(file, 4 * 1024 * 1024)?.toString('utf8') ?? null,
    part: (file, from, most) => disk.read(file, most, from),
    commands: (folder) => new Control(disk, folder).list().flatMap(({ text }) => text ?? []),
    exists: (file) => disk.look(file) !== null,
    list: (folder) => disk.list(folder) ?? [],
  };
}

/** One editor, which keeps the settings that it has read. */
function editorOf(disk: RealDisk, packageRoot: string): ProjectServices['editor'] {
  let editor: Awaited<ReturnType<ProjectServices['editor']>> | null = null;
  return async () => {
    const { EditedProject } = await import('../operations/edited-project.ts');
    editor ??= new EditedProject(disk.root, true, new UnsavedTexts(), packageRoot);
    return editor;
  };
}

function pruningOf(disk: RealDisk, worktrees: Worktrees): Pruning {
  const load = () => import('../operations/project/prune.ts');
  return {
    list: async (kinds, scope) => (await load()).listPrunable(disk, kinds, { ...scope, worktrees }),
    remove: async (item, scope) => {
      try {
        await refuseTrackedState(disk);
        await (await load()).prune(disk, item, { ...scope, worktrees });
        return null;
      } catch (error) {
        if (error instanceof MailroomError) return error.message;
        throw error;
      }
    },
  };
}

/**
 * Nothing where the only role is `user`: such a project has only workflows. An inbox that held
 * waiting mail is not made again, so that the controller notices that it has vanished.
 */
function prepareProject(
  disk: RealDisk,
  packageRoot: string,
  { roles }: Protocol,
  inboxes: () => StatusSource['inboxes'],
): string[] {
  if (roles.size <= 1) return [];
  try {
    const full = new Set(inboxes().flatMap(([role, names]) => (names.length > 0 ? [role] : [])));
    const made = new Mailboxes(disk)
      .prepare([...roles.keys()].filter((role) => !full.has(role)))
      .map((role) => `agents/${role}/inbox/`);
    return [...made, ...copySchemas(new RealDisk(join(packageRoot, 'schemas')), disk)];
  } catch (error) {
    if (!(error instanceof MailroomError)) throw error;
    return [];
  }
}

function controllerOf(
  disk: RealDisk,
  packageRoot: string,
  settings: SettingsReader,
): ProjectServices['controller'] {
  return async (options, replay = null) => {
    const { startController } = await import('../operations/up/controller.ts');
    const open = options.triggers
      ? await opener(disk, packageRoot, expectValue(await settings.read(replay)), options)
      : null;
    const wired = expectValue(await readDefinition(disk, settings, replay));
    return startController(disk, wired, options, open);
  };
}

/** Loaded only for workers. */
function workerOf(disk: RealDisk, packageRoot: string): ProjectServices['worker'] {
  return async ({ queue, ...options }) => {
    const { openWorker } = await import('../operations/workers/worker.ts');
    const { settings, access } = await workersOfProject(disk, packageRoot, 'worker', queue);
    return openWorker(disk, settings, { ...access, ...options });
  };
}

function workersOf(disk: RealDisk, packageRoot: string): ProjectServices['workers'] {
  const load = () => import('../operations/workers/list.ts');
  const reached = async (side: 'controller' | 'either') =>
    (await workersOfProject(disk, packageRoot, side)).access;
  return {
    list: async () => (await load()).listWorkers(await reached('either')),
    order: async (order, target) => (await load()).orderWorkers(await reached('controller'), order, target),
    invite: async (name) => {
      const { defaultWorkers, invitation } = await import('../operations/workers/settings.ts');
      const { config } = expectValue(await readSettings(disk, packageRoot));
      return invitation(disk.root, config.workers ?? defaultWorkers, process.env, name);
    },
  };
}

/** `queue`: an address that precedes that of the settings; null: none. */
async function workersOfProject(
  disk: RealDisk,
  packageRoot: string,
  side: 'controller' | 'worker' | 'either',
  queue: string | null = null,
) {
  const { defaultWorkers, workersAccess } = await import('../operations/workers/settings.ts');
  const settings = expectValue(await readSettings(disk, packageRoot));
  const workers = settings.config.workers ?? defaultWorkers;
  const access = await workersAccess(disk.root, workers, { environment: process.env, side, queue });
  return { settings, access };
}

/** Loaded only for `up`, for its work besides the mail. */
async function opener(
  disk: RealDisk,
  packageRoot: string,
  settings: Settings,
  { record, onRun }: Pick<ControllerOptions, 'record' | 'onRun'>,
): Promise<OpenWorkflows> {
  const { openWorkflows } = await import('../operations/up/workflows.ts');
  const recorded = record === null ? settings : { ...settings, record };
  return async (slots, hints) => {
    const workflows = await openWorkflows(disk, recorded, slots, { ...hints, onRun: onRun ?? (() => {}) });
    const hasIncoming = (disk.list(incomingFolder) ?? []).length > 0;
    if (settings.protocol !== null || workflows.triggers.length > 0 || hasIncoming) {
      if (settings.config.channels.size === 0) return workflows;
      const { withChannels } = await import('../operations/up/channels.ts');
      return withChannels(workflows, disk, openProject(disk.root, packageRoot), hints);
    }
    await workflows.close();
    throw new MailroomError(
      'E_NO_PROJECT',
      'nothing would ever happen here: there is no protocol, and no workflow that could be read has triggers',
      '`mailroom run` starts a workflow; docs/workflow-triggers.md explains automatic starts',
    );
  };
}

function expectValue<T>(checked: Checked<T>): T {
  if (checked.ok) return checked.value;
  throw new ProblemsError(checked.problems);
}

/** The noted holder of the project, if that very process is alive; null: none. */
function holderOf(disk: RealDisk): Holder | null {
  const written = readHolder(disk);
  if (written === null) return null;
  const { startTime, ...holder } = written;
  return isThere(holder.pid, startTime) ? holder : null;
}
