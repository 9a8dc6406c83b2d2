import { runHolder } from '../files/layout.ts';
import { publishing, type Published } from '../../host/holder.ts';
import { headBranch } from '../../git/head-branch.ts';
import type { Settings } from '../../project/definition/definition.ts';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import type { RunController, RunWatcher } from '../../project/definition/contracts.ts';
import type { Json } from '../../kernel/json.ts';
import type { Observing, RunPorts } from '../host/ports.ts';
import { Records } from '../host/records.ts';
import { RunHost } from '../host/run-host.ts';
import { noTrail } from '../../mail/trail/none.ts';
import type { SharedSlots } from '../../host/slots.ts';
import { maskOf } from '../../process/output/mask.ts';
import { linkedRules } from '../../process/sandbox/guarded-places.ts';
import { patchFromBase } from '../../git/run-differences.ts';
import { ProcessStepRunner } from '../../host/runner/steps.ts';
import type { Disk } from '../../disk/disk.ts';
import { contextFolderOf } from '../files/context-holder.ts';
import { RunOutbox } from '../files/run-outbox.ts';
import { DiskRecords } from '../files/record-files.ts';
import { RunFiles } from '../files/run-files.ts';
import { runControlFolder } from '../files/run-folders.ts';
import { hostNote, type RunLock } from '../host/locks.ts';
import { recorder, recordingNote } from '../../host/runner/recorder.ts';
import { changeFinder, ownFiles } from '../host/changes.ts';
import { HookFiles } from '../host/hook-files.ts';
import { stepGit } from '../host/step-git.ts';
import { rollbackPort } from '../host/rollback-port.ts';
import { notifyApprovers } from '../../mail/controller/notify.ts';
import { ProjectMail, type StartMail } from './mail.ts';
import { runHistory } from '../host/run-state.ts';
import { HostProcess } from '../../host/host-process.ts';
import { runSecrets, variables, weakSecrets } from '../host/secrets.ts';
import type { AgentEvents, StepRunner, StepRunnerEvents } from '../../host/runner/runner.ts';
import { stepContainment } from '../host/containment.ts';
import { openRoot } from '../../disk/roots.ts';
import { runFolder, runInbox } from '../../host/run-mail.ts';
import type { HostPorts } from '../../host/ports.ts';
import type { RunFolder } from '../machine/run-folder.ts';
import type { RunFormat } from '../machine/run-format.ts';
import {
  languagesWith,
  otherHosts,
  runEventsOf,
  type Announcement,
  type EndedRun,
  type StepsAway,
} from '../../project/definition/hooks.ts';
import type { Body, Workflow } from '../model.ts';
import { innerOf } from '../bodies.ts';
import { isQueued } from '../../kernel/launched.ts';
import type { RunEvent } from '../machine/event.ts';

/** What runs need of the settings. */
export interface RunSettings extends Settings {
  /** Absent: another process moves the mail of the project, or it has none. */
  readonly startMail?: StartMail;
  /** The folder to record invocations into, absolute; absent: none. */
  readonly record?: string;
}

/** The origin of a run, or of its continuation, and its process's other work. */
export interface Origin {
  readonly by: 'person' | 'up';
  /** The id of the run; null: a new one. */
  readonly run: string | null;
  /** The `trigger` namespace of expressions. */
  readonly trigger: Json;
  /** What it shares its slots with; null: nothing. */
  readonly slots: SharedSlots | null;
  /** Ends the wait for another run; absent: nothing does. */
  readonly signal?: AbortSignal;
}

export interface Composed {
  readonly host: RunHost;
  readonly controller: RunController;
  /** Closes and releases everything; the controller's `follow` does so at its end. */
  readonly release: () => Promise<void>;
}

interface RunContext {
  readonly watch: RunWatcher;
  readonly lock: RunLock;
  readonly origin: Origin;
  /** True: the run has had no host before. */
  readonly isNew: boolean;
}

/** Creates a host for a run that this process has locked. The caller makes it begin or resume. */
export async function composeRun(
  disk: Disk,
  settings: RunSettings,
  run: RunFolder,
  { watch, lock, origin, isNew }: RunContext,
): Promise<Composed> {
  const kit = new HostProcess(disk, {
    home: runFolder(run.run),
    lock,
    lockFiles: lock.files,
    lockLost: 'the lock of the run was lost, so all its work was stopped',
  });
  const report = (act: () => void) => kit.report(act);
  const events = eventsOf(report, () => host);
  const runner = await runnerOf(disk, settings, run, { isNew, events });
  const ports = await kit.open<RunEvent, StepRunner>(runner, settings);
  const format = await formatOf(run.definition, settings);
  const own = portsOf(disk, settings, run, format);
  const said = await announcementOf(disk, settings, run);
  const wake = () => kit.wake();
  const away = await awayOf(disk, settings, run, { report, wake, host: () => host });
  const shared = origin.slots?.join(run.run, wake) ?? null;
  const observers = [...recordsOf(disk, run, format), ...(said ? [said.observing] : [])];
  const host = new RunHost(
    { ...ports, ...own, observers, report, ...(away && { away: away.agents }) },
    run.definition,
    {
      slots: settings.config.concurrency ?? availableParallelism(),
      ...(shared && { shared }),
      watch,
    },
  );
  // Of several runs in one process, that process moves the mail.
  const { startMail } = settings;
  const mail = origin.slots === null && startMail ? new ProjectMail(startMail, wake) : null;
  const publish = publishing(disk, hostNote(Date.now()), () => publishedOf(host), runHolder(run.run));
  kit.attach(host, {
    watched: [runControlFolder(run.run), runInbox(run.run)],
    // Messages of its roles are in the trail of the mail.
    trail: noTrail,
    untilIdle: true,
    onChange: () => afterLook(host, mail, publish),
  });
  const release = async () => {
    await mail?.end();
    await said?.close();
    shared?.leave();
    await away?.close(host.state.endedAt !== null);
    await kit.close();
  };
  const lacks = await recordingNote(settings.record ?? null, run.workspace);
  const reported = () =>
    reportRun(settings, { run: run.run, rules: host.rules, history: () => runHistory(disk, run.run) });
  const notes = [...lock.refused, host.cut, lacks, ...weakSecrets([run.definition])];
  return {
    host,
    controller: controllerOf(run, host, kit, { mail, said, away, notes, release, reported }),
    release,
  };
}

/**
 * What the language of a run shows of it. Loads the languages only for a run that has something to
 * show: each process that a run starts copies what is loaded.
 */
export async function formatOf(
  definition: Workflow,
  { hooks }: Pick<RunSettings, 'hooks'>,
): Promise<RunFormat> {
  if (definition.display === undefined && definition.ownWorkspace === null) return {};
  const { runFormatOf } = await import('../../languages/languages.ts');
  return runFormatOf(definition, await languagesWith(hooks));
}

/** Undefined: the run is not of events, or no event requested it. */
async function announcementOf(
  disk: Disk,
  { config, hooks }: RunSettings,
  { run, definition }: RunFolder,
): Promise<Announcement | undefined> {
  const events = definition.byEvents ? await runEventsOf(hooks) : null;
  return events?.announcement(disk, run, config);
}

/** The observer that writes the records of the run's language; none if it has none. */
function recordsOf(disk: Disk, run: RunFolder, { records: format }: RunFormat): Observing[] {
  if (format === undefined) return [];
  const files = new DiskRecords(disk, openRoot, run, format);
  return [(rules, guard) => new Records(files, format, rules, guard)];
}

async function runnerOf(
  disk: Disk,
  settings: RunSettings,
  run: RunFolder,
  { isNew, events }: { readonly isNew: boolean; readonly events: StepRunnerEvents },
): Promise<ProcessStepRunner> {
  const { record } = settings;
  return new ProcessStepRunner(
    {
      project: disk.root,
      mark: `mailroom-run-${run.run}:`,
      isFirst: isNew,
      contain: await stepContainment(disk, settings, run.definition),
      secrets: runSecrets(disk, run.definition),
      ...(record !== undefined && { editsBut: [record, contextFolderOf(disk, openRoot, run)] }),
    },
    events,
  );
}

/** Loaded only for a run with steps on workers of other hosts; null: it has none. */
async function awayOf(
  disk: Disk,
  settings: RunSettings,
  run: RunFolder,
  parts: {
    readonly report: (act: () => void) => void;
    readonly wake: () => void;
    readonly host: () => RunHost;
  },
): Promise<StepsAway | null> {
  if (!hasAwaySteps(run.definition.body)) return null;
  const { config, environment, hooks } = settings;
  const { report, wake, host } = parts;
  const { steps } = otherHosts(hooks, `a step of ${run.definition.name}`);
  const events: AgentEvents = {
    ready: (key, launch) => {
      if (isQueued(launch)) report(() => host().away.launched(key, launch));
    },
    assigned: (key, worker) => report(() => host().away.assigned(key, worker)),
    held: (...note) => report(() => host().held(...note)),
    ended: (key, outcome, exit, changed) => report(() => host().away.ended(key, outcome, exit, changed)),
  };
  return steps({ disk, config, environment }, run, { events, wake });
}

function hasAwaySteps({ steps }: Body): boolean {
  return steps.some(({ on, work }) => {
    const inner = innerOf(work);
    return on !== undefined || (inner !== null && hasAwaySteps(inner));
  });
}

/** Reports a run that has ended. Resolves to why it could not; null: it did, or was not to. */
async function reportRun(
  { environment, hooks }: Pick<Settings, 'environment' | 'hooks'>,
  ended: EndedRun,
): Promise<string | null> {
  const reports = await Promise.all(hooks.flatMap((each) => each.reportRun?.(ended, environment) ?? []));
  return reports.find((problem) => problem !== null) ?? null;
}

/** The components beside the host of a run. */
interface Companions {
  readonly mail: ProjectMail | null;
  readonly said: Announcement | undefined;
  readonly away: StepsAway | null;
  /** Notes for the person at the start; null ones are left out. */
  readonly notes: readonly (string | null)[];
  readonly release: () => Promise<void>;
  readonly reported: () => ReturnType<typeof reportRun>;
}

function controllerOf(
  { run }: RunFolder,
  host: RunHost,
  kit: HostProcess,
  { mail, said, away, notes, release, reported }: Companions,
): RunController {
  let unreported: string | null = null;
  const problems = () => [
    host.problem,
    mail?.problem ?? null,
    ...(said?.problems() ?? []),
    ...(away?.agents.problems() ?? []),
  ];
  return {
    run,
    rules: host.rules,
    slots: () => host.slots,
    notes: notes.filter((note) => note !== null),
    get state() {
      return host.state;
    },
    problems: () => problems().filter((problem) => problem !== null),
    held: () => host.heldSteps,
    latest: (path, most) => host.workers.latest(path, most),
    unsent: () => said?.unsent() ?? null,
    unreported: () => unreported,
    end: (how) => kit.end(how),
    follow: async () => {
      const before = host.state.endedAt;
      try {
        await kit.run();
        await host.finished();
        const { endedAt } = host.state;
        if (endedAt !== null && endedAt !== before) unreported = await reported();
      } finally {
        await release();
      }
    },
  };
}

function afterLook({ wantsMail }: RunHost, mail: ProjectMail | null, publish: () => void): void {
  if (wantsMail) mail?.want();
  publish();
}

/** `host` exists before its first process. */
function eventsOf(report: (act: () => void) => void, host: () => RunHost): StepRunnerEvents {
  return {
    ended: (...note) => report(() => host().ended(...note)),
    held: (...note) => report(() => host().held(...note)),
    unread: (...note) => report(() => host().workers.unread(...note)),
  };
}

function publishedOf({ problem, heldSteps }: RunHost): Published {
  return { problems: problem === null ? [] : [problem], held: heldSteps, slots: null };
}

function portsOf(
  disk: Disk,
  settings: RunSettings,
  run: RunFolder,
  format: RunFormat,
): Omit<RunPorts, keyof HostPorts<RunEvent, StepRunner> | 'observers' | 'report'> {
  const { config, extended, record } = settings;
  const secrets = runSecrets(disk, run.definition);
  const mask = maskOf(secrets);
  const named = async () =>
    (await import('../../project/definition/named-files.ts')).namedFiles(disk, settings);
  const rules = [...linkedRules(disk.root), ...extended.map((path) => join(disk.root, path))];
  const files = new RunFiles({ project: disk, run, open: openRoot, rules, mask });
  const context = contextFolderOf(disk, openRoot, run);
  const own = ownFiles(disk.root, context);
  return {
    files,
    mail: new RunOutbox(disk, run.run),
    variables,
    ...(format.document && { document: format.document }),
    branch: () => headBranch(run.workspace),
    changed: changeFinder(files, context),
    mask,
    git: stepGit(disk.root, config.protected, named),
    hooks: new HookFiles(disk, run),
    notify: (gate) => notifyApprovers(disk.root, config, gate),
    ...(config.limits.budgetAlert !== null && { budgetAlert: config.limits.budgetAlert }),
    ...rollbackPort(disk, run, context, secrets),
    uncommittedPatch: (workspace) =>
      patchFromBase({ workspace, base: 'HEAD' }, secrets, {
        ours: (changed) => own(workspace, changed),
      }),
    ...(record !== undefined && { recorded: recorder(record, secrets) }),
  };
}
