import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { v7 } from 'uuid';
import type { BeginOptions, ResumeOptions, RunController, RunWatcher } from '../cli/run-services.ts';
import type { Config } from '../core/config.ts';
import { MailroomError } from '../core/errors.ts';
import type { Json } from '../core/json.ts';
import type { Protocol } from '../core/mail/protocol.ts';
import type { Provider, Trail } from '../core/ports.ts';
import type { Happening } from '../core/workflow/event.ts';
import type { Workflow } from '../core/workflow/model.ts';
import { changedSteps } from '../core/workflow/resumption.ts';
import { compile } from '../core/workflow/rules.ts';
import type { RunFolder, StepRunnerEvents } from '../core/workflow/ports.ts';
import { happeningOf } from '../engine/runs/commands.ts';
import { Loop } from '../engine/loop.ts';
import type { RunPorts } from '../engine/runs/ports.ts';
import { RunHost } from '../engine/runs/run-host.ts';
import type { SharedSlots } from '../engine/slots.ts';
import { buildEnvironment } from '../process/environment.ts';
import { textMasker } from '../process/mask.ts';
import { salvage } from '../process/run-differences.ts';
import { ProcessStepRunner } from '../process/step-runner.ts';
import { DiskControl } from '../store/control.ts';
import { park, readParked } from '../store/parked.ts';
import type { RealDisk } from '../store/real-disk.ts';
import { DiskCorrespondence } from '../store/runs/correspondence.ts';
import { runInbox } from '../store/runs/incoming.ts';
import { makeContextFolder, takeContext } from '../store/runs/context-holder.ts';
import { openRoot } from '../store/runs/roots.ts';
import {
  createRun,
  replaceDefinition,
  runControlFolder,
  runJournal,
  type StoredRun,
} from '../store/runs/run-folders.ts';
import { DiskRunFiles } from '../store/runs/run-files.ts';
import { watchFolders } from '../store/watch.ts';
import type { Lock } from './lock.ts';
import { stepContainment } from './containment.ts';
import { changesTeller } from './run-changes.ts';
import { RunMail } from './run-mail.ts';
import { takeRun } from './run-locks.ts';
import { timer } from './timer.ts';

/** What runs need of the settings. */
export interface RunSettings {
  readonly config: Config;
  readonly providers: ReadonlyMap<string, Provider>;
  /** Null: there is none, and so no role that could do a step. */
  readonly protocol: Protocol | null;
  /** Names the protocol as it was read. */
  readonly hash: string;
}

/** Who starts a run or goes on with it, and what else its process does. */
export interface Origin {
  readonly by: 'person' | 'up';
  /** The id of the run; null: a new one. */
  readonly run: string | null;
  /** What expressions see as `trigger`. */
  readonly trigger: Json;
  /** What it shares its processes with; null: nothing, and it moves the mail itself where nobody else does. */
  readonly slots: SharedSlots | null;
}

const person: Origin = { by: 'person', run: null, trigger: null, slots: null };

/** Starts a run: its locks, its folder, its first event. Throws `E_LOCKED` when its context folder is in use. */
export async function beginRun(
  disk: RealDisk,
  settings: RunSettings,
  options: BeginOptions,
  origin: Origin = person,
): Promise<RunController> {
  const { definition, workspace, workflow, watch } = options;
  refuseUnsetSecrets(definition);
  const card = {
    run: origin.run ?? v7(),
    workflow: definition.name,
    workspace,
    source: workflow.path,
    startedBy: origin.by,
    startedAt: Date.now(),
  } as const;
  return locked(disk, card.run, workspace, definition, async (lock) => {
    const composed = await compose(disk, settings, createRun(disk, card, definition), { watch, lock, origin });
    composed.host.begin({
      run: card.run,
      workflow: definition.name,
      version: definition.version,
      language: definition.language,
      parameters: options.parameters,
      context: options.context,
      trigger: origin.trigger,
      env: buildEnvironment(),
      budget: options.budget,
      timeout: definition.timeout,
      only: options.only,
    });
    return composed.controller;
  });
}

/** Goes on with a run. Throws `E_LOCKED` when a process does so already. */
export async function resumeRun(
  disk: RealDisk,
  settings: RunSettings,
  stored: Pick<StoredRun, 'run' | 'definition' | 'workspace'>,
  { watch, command, definition }: ResumeOptions,
  origin: Origin = person,
): Promise<RunController> {
  const run = definition === null ? stored : { ...stored, definition };
  refuseUnsetSecrets(run.definition);
  return locked(disk, run.run, run.workspace, run.definition, async (lock) => {
    const composed = await compose(disk, settings, run, { watch, lock, origin });
    const { host } = composed;
    const edited: Happening[] =
      definition === null
        ? []
        : [{ type: 'updated', steps: changedSteps(host.state, compile(stored.definition), host.rules) }];
    host.resume(origin.by, [...edited, ...(command === null ? [] : [happeningOf(command)])]);
    // Not before: what is to run again for the edit must not be forgotten in between.
    if (definition !== null) replaceDefinition(disk, run.run, definition);
    return composed.controller;
  });
}

function refuseUnsetSecrets({ secrets }: Workflow): void {
  const unset = secrets.filter((name) => process.env[name] === undefined);
  if (unset.length === 0) return;
  const names = unset.map((name) => `\`${name}\``).join(', ');
  throw new MailroomError('E_USAGE', `the workflow needs ${names}, and the environment does not have it`);
}

/** Does something that needs the run to itself, and lets go of it if that fails. */
async function locked(
  disk: RealDisk,
  run: string,
  workspace: string,
  definition: Workflow,
  act: (lock: Lock) => Promise<RunController>,
): Promise<RunController> {
  const context = makeContextFolder(openRoot, workspace, definition);
  const lock = await takeRun(disk, run, context);
  try {
    takeContext(disk, openRoot, context, run, definition);
    return await act(lock);
  } catch (error) {
    await lock.release();
    throw error;
  }
}

/** A run has no trail of its own: what its roles say is in that of the mail. */
const noTrail: Trail = {
  record: () => {},
  position: () => Promise.resolve(null),
  settled: () => Promise.resolve(),
  problem: () => null,
};

interface Composed {
  readonly host: RunHost;
  readonly controller: RunController;
}

async function compose(
  disk: RealDisk,
  settings: RunSettings,
  run: RunFolder,
  { watch, lock, origin }: { readonly watch: RunWatcher; readonly lock: Lock; readonly origin: Origin },
): Promise<Composed> {
  const events: { to: StepRunnerEvents | null; told: () => void } = { to: null, told: () => {} };
  const runner = new ProcessStepRunner(
    {
      mark: `mailroom-run-${run.run}:`,
      contain: await stepContainment(disk, settings.config, run.definition),
    },
    { ended: (...told) => events.to?.ended(...told) },
  );
  // Before anything else runs: what an earlier host of the run left.
  await runner.sweep();
  const journal = runJournal(disk, run.run);
  const ports = portsOf(disk, settings, run, () => events.told());
  const shared = origin.slots?.join(() => loop.told());
  const host = new RunHost({ ...ports, journal, runner }, run.definition, {
    slots: settings.config.concurrency ?? availableParallelism(),
    ...(shared && { shared }),
    watch,
  });
  const watched = [runControlFolder(run.run), runInbox(run.run)].map((folder) => join(disk.root, folder));
  const { protocol } = settings;
  // Of several runs in one process, that process moves the mail.
  const alone = origin.slots === null;
  const mail = alone && protocol ? new RunMail(disk, { ...settings, protocol }, () => loop.told()) : null;
  const loop = new Loop(
    host,
    { watch: (onHint) => watchFolders(watched, onHint), timer, now: Date.now, trail: noTrail },
    { untilIdle: true, onChange: () => host.wantsMail && mail?.want() },
  );
  events.to = reporting(host, loop);
  events.told = () => loop.told();
  void lock.lost.then(() =>
    loop.fail(new MailroomError('E_LOCKED', 'the lock of the run was lost, so all its work was stopped')),
  );
  const controller: RunController = {
    run: run.run,
    rules: host.rules,
    notes: [host.cut].filter((note) => note !== null),
    get state() {
      return host.state;
    },
    problems: () => [host.problem, mail?.problem ?? null].filter((problem) => problem !== null),
    end: (how) => loop.end(how),
    follow: async () => {
      try {
        await loop.run();
        host.flush();
        await host.finished();
      } finally {
        await mail?.end();
        shared?.leave();
        journal.close();
        await lock.release();
      }
    },
  };
  return { host, controller };
}

function portsOf(
  disk: RealDisk,
  { providers }: RunSettings,
  run: RunFolder,
  told: () => void,
): Omit<RunPorts, 'journal' | 'runner'> {
  const secrets = Object.values(variables(run.definition.secrets));
  const mask = textMasker(secrets);
  const files = new DiskRunFiles({ project: disk, run, open: openRoot, mask });
  return {
    clock: { now: Date.now, elapsed: () => performance.now() },
    files,
    control: new DiskControl(disk, runControlFolder(run.run)),
    mail: new DiskCorrespondence(disk, run.run),
    providers,
    parking: { list: () => readParked(disk), park: (provider, until) => park(disk, provider, until) },
    project: disk.root,
    variables,
    changed: changesTeller(files, join(run.workspace, run.definition.contextDir)),
    mask,
    salvage: (workspace) => salvage({ workspace, base: 'HEAD' }, secrets),
    told,
  };
}

function variables(names: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = process.env[name];
      return value === undefined || value === '' ? [] : [[name, value]];
    }),
  );
}

/** What the runner reports goes to the host, and the loop looks again. A journal that refuses ends everything. */
function reporting(host: RunHost, loop: Loop): StepRunnerEvents {
  return {
    ended: (...told) => {
      try {
        host.workers.ended(...told);
      } catch (error) {
        loop.fail(error instanceof Error ? error : new Error(String(error)));
      }
      loop.told();
    },
  };
}
