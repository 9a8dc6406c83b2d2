import { availableParallelism } from 'node:os';
import { normalize, resolve } from 'node:path';
import type { FileChange, RecordsFolder, WorkflowServices } from '../operations/runs/services.ts';
import { priceOf } from '../kernel/price.ts';
import type { OwnWorkspace } from '../workflow/model.ts';
import type { PlanData } from '../workflow/machine/plan.ts';
import { hostChanged, requestControl, withdrawControl } from '../host/control.ts';
import { readParked } from '../host/parked.ts';
import { refuseTrackedState } from '../host/tracked.ts';
import { changedFiles, fileTimes } from '../disk/file-times.ts';
import { appendMissingLines, listWorkflowFiles, writeMissing } from '../operations/project/project-files.ts';
import { RealDisk } from '../disk/real-disk.ts';
import { baseOf } from '../workflow/files/streams.ts';
import { listRuns, runControlFolder, runReader } from '../workflow/files/run-folders.ts';
import { expectRun, findRun, findWaiting, openRun, verdictOf } from '../operations/runs/stored-runs.ts';
import {
  findWorkflow,
  identities,
  isWorkflowNamed,
  workflowNames,
} from '../operations/project/find-workflow.ts';
import { protocolOfNobody, type Settings, type SettingsReader } from '../operations/project/definition.ts';
import { effectiveDefinition, projectArtifacts, writeDefinition } from '../operations/project/composing.ts';
import { answerStart, askedStart, confirm } from '../operations/project/confirmed.ts';
import { describeChange } from '../operations/project/changed-by.ts';
import { ConfirmedRoleTexts, readRoleText, roleFileOf } from '../operations/project/role-texts.ts';
import { rolesOnDisk } from '../mail/mailboxes/mail-files.ts';
import type { StartMail } from '../operations/runs/mail.ts';
import type { Origin, RunSettings } from '../operations/runs/compose.ts';
import { workflowStatus } from '../operations/project/project-status.ts';
import {
  checkWorkflow,
  expectRead,
  keptParts,
  readWorkflow,
  shownPath,
} from '../operations/project/workflows.ts';
import { runFolder } from '../host/run-mail.ts';

/** The workflows and runs of a project, for its commands. */
export function workflowServices(disk: RealDisk, reader: SettingsReader): WorkflowServices {
  const settings = async (replay: string | null = null): Promise<Settings> =>
    expectRead(await reader.read(replay));
  return {
    ...definitionServices(disk, settings),
    oneShot: async (task) => {
      const { oneShotWorkflow } = await import('../operations/project/one-shot.ts');
      return oneShotWorkflow(disk, await settings(), task);
    },
    ...confirmations(disk),
    asked: async (reference, cwd) => {
      if (!reference.endsWith('.json')) return null;
      const { readAskedWorkflow } = await import('../operations/nip/requests.ts');
      return readAskedWorkflow(disk, settings, resolve(cwd, reference));
    },
    writeMissing: (files) => writeMissing(disk, files),
    planning: async () => planningOf(await settings()),
    watchFiles: (folder, leaveOut, within) => watchFiles(new RealDisk(folder), leaveOut, within ?? null),
    records: recordsOf,
    status: async (holder) => {
      const read = await reader.read();
      return workflowStatus(disk, read.ok ? read.value : null, (run) => openRun(disk, run), holder);
    },
    runs: () => listRuns(disk),
    run: (reference) => expectRun(disk, reference),
    find: (word) => findRun(disk, word),
    parked: () => readParked(disk),
    journal: (run) => runReader(disk, run),
    waiting: (word) => findWaiting(disk, word),
    begin: async (options) => {
      const { beginRun } = await import('../operations/runs/begin.ts');
      const { record, replay } = options;
      return beginRun(disk, withMail(disk, await settings(replay), record), options, person);
    },
    resume: async (run, options) => {
      const { resumeRun } = await import('../operations/runs/begin.ts');
      return resumeRun(disk, withMail(disk, await settings()), run, options, person);
    },
    cancel: async (run, command) => {
      const { cancelRun } = await import('../operations/runs/begin.ts');
      return cancelRun(disk, await settings(), run, command, person);
    },
    request: (run, document) => void requestControl(disk, document.id, document, runControlFolder(run)),
    withdraw: (run, id) => withdrawControl(disk, id, runControlFolder(run)),
    verdict: (run, id) => verdictOf(disk, run, id),
    changed: (run, milliseconds) => hostChanged(disk, runFolder(run), milliseconds),
  };
}

/** What a person has let a running `up` use and start. */
function confirmations(
  disk: RealDisk,
): Pick<WorkflowServices, 'confirm' | 'roleTexts' | 'roleText' | 'askedStart' | 'answerStart'> {
  return {
    confirm: async (found) => {
      await refuseTrackedState(disk);
      const changed = confirm(disk, found).map(async ({ path, files, fingerprint }) => ({
        path,
        change: await describeChange(disk, files, fingerprint),
      }));
      return Promise.all(changed);
    },
    roleTexts: () => rolesOnDisk(disk).map((role) => readRoleText(disk, role)),
    roleText: (reference, cwd) => {
      const file = resolve(cwd, reference);
      const role = rolesOnDisk(disk).find((name) => file === resolve(disk.root, roleFileOf(name)));
      return role === undefined ? null : readRoleText(disk, role);
    },
    askedStart: (run) => askedStart(disk, run),
    answerStart: (run, said, by) => answerStart(disk, run, said, by),
  };
}

/** What is done with the texts of definitions. */
function definitionServices(
  disk: RealDisk,
  settings: () => Promise<Settings>,
): Pick<
  WorkflowServices,
  | 'list'
  | 'names'
  | 'isWorkflow'
  | 'locate'
  | 'parts'
  | 'read'
  | 'check'
  | 'identities'
  | 'effective'
  | 'write'
  | 'artifacts'
> {
  const parts = keptParts();
  return {
    list: () => listWorkflowFiles(disk),
    names: () => workflowNames(disk),
    isWorkflow: (word) => isWorkflowNamed(disk, word),
    locate: async (reference, cwd) => {
      const file = await findWorkflow(disk, reference, cwd);
      return { file, path: shownPath(disk.root, file) };
    },
    parts,
    read: async (reference, cwd, { starting = null, overrides = [] } = {}) =>
      readWorkflow(disk, await settings(), await findWorkflow(disk, reference, cwd), {
        starting,
        overrides: overrides.map((file) => resolve(cwd, file)),
        parts: await parts(),
      }),
    check: async (text, file, given) =>
      checkWorkflow(disk, await settings(), text, file, { ...given, parts: await parts() }),
    identities: () => identities(disk),
    effective: ({ text, path }) => effectiveDefinition(disk, text, path),
    write: (path, before, text) => writeDefinition(disk, path, before, text),
    artifacts: async () => projectArtifacts(disk, await settings()),
  };
}

/**
 * The maximum cost of a launch: a role's own budget, else the default of mailroom.yaml; and its
 * model's price.
 */
async function planningOf({ config, protocol }: Settings): Promise<Omit<PlanData, 'budget'>> {
  const { pricesOf } = await import('../providers/index.ts');
  const unknown = { usd: null, tokens: null };
  const prices = pricesOf(config.prices);
  return {
    estimate: (work) => {
      const role = work.kind === 'role' ? protocol?.roles.get(work.role) : undefined;
      const { provider = null, model = null } = work.kind === 'role' ? (role ?? {}) : work;
      const own = provider === null ? null : (config.providers.get(provider)?.prices ?? null);
      const budget = role?.budget ?? config.defaults.budget ?? unknown;
      return { ...budget, price: own ?? priceOf(prices, model) };
    },
    slots: config.concurrency ?? availableParallelism(),
  };
}

function watchFiles(
  folder: RealDisk,
  leaveOut: string,
  within: readonly string[] | null,
): () => readonly FileChange[] {
  const left = normalize(leaveOut);
  const isOutside = (path: string) => within !== null && !path.includes('/') && !within.includes(path);
  const look = () => fileTimes(folder, (path) => path === left || isOutside(path));
  const before = look();
  return () => changedFiles(before, look());
}

/** Git ignores the first component of the records' path. */
function recordsOf(workspace: string, home: OwnWorkspace): RecordsFolder {
  const base = new RealDisk(baseOf(workspace, home));
  const records = `${home.records.split('/')[0] ?? home.records}/`;
  const ignored =
    base
      .read('.gitignore', 1024 * 1024)
      ?.toString('utf8')
      .split(/\r?\n/) ?? [];
  const isMissing = (line: string) =>
    !ignored.some((each) => [line, line.slice(0, -1), `/${line}`].includes(each.trim()));
  const lines = [records, '.mailroom/'].filter(isMissing);
  return {
    isFirst: base.look(home.records) === null && isMissing(records),
    lines,
    ignore: () => void appendMissingLines(base, '.gitignore', lines),
  };
}

const person: Origin = { by: 'person', run: null, trigger: null, slots: null };

/** A run that a person starts also moves the mail for its roles, while no other process does. */
function withMail(disk: RealDisk, settings: Settings, record: string | null = null): RunSettings {
  const recorded = record === null ? {} : { record };
  // Its controller may start much later, when other descriptions lie there.
  const texts = new ConfirmedRoleTexts(disk, settings.protocol?.roles.keys() ?? []);
  const startMail: StartMail = async (options) => {
    const { startController } = await import('../operations/up/controller.ts');
    const protocol = settings.protocol ?? expectRead(await protocolOfNobody(settings.config));
    return startController(disk, { ...settings, protocol }, { ...options, record }, null, texts);
  };
  return { ...settings, ...recorded, startMail };
}
