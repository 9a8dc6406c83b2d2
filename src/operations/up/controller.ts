import { Control } from '../../host/control.ts';
import { TurnFolders } from '../../mail/mailboxes/turn-folders.ts';
import { Mailboxes } from '../../mail/mailboxes/mailboxes.ts';
import { mailMatching } from '../../mail/mailboxes/mail-files.ts';
import { createHash } from 'node:crypto';
import process from 'node:process';
import { v7 } from 'uuid';
import metadata from '../../../package.json' with { type: 'json' };
import type { Controller, ControllerOptions } from '../services.ts';
import { type Config, isAgentProvider } from '../../config/config.ts';
import { MailroomError } from '../../kernel/errors.ts';
import type { Protocol } from '../../mail/format/protocol.ts';
import type { Loop } from '../../host/loop.ts';
import { MailHost } from '../../mail/host/mail-host.ts';
import { SharedSlots, type SlotUser } from '../../host/slots.ts';
import { UpHost, type LoopHints, type OpenWorkflows, type UpWorkflows } from '../../workflow/host/up-host.ts';
import type { HostPorts } from '../../mail/host/ports.ts';
import { noTrail } from '../../mail/trail/none.ts';
import { TrailWriter } from '../../mail/trail/writer.ts';
import { GitRepository } from '../../git/git-repository.ts';
import { bootId, readProcess } from '../../process/proc.ts';
import { ProcessRunner } from '../../host/runner/agents.ts';
import { notifyPerson } from './notify.ts';
import { controlFolder } from '../../host/control.ts';
import {
  lockFile,
  readBoot,
  removeHolder,
  writeBoot,
  writeHolder,
  type HolderNote,
} from '../../host/holder.ts';
import { DiskGuard } from '../../disk/disk-guard.ts';
import { journalFolder } from '../../disk/journal-files.ts';
import { maskOf } from '../../process/output/mask.ts';
import { projectKey } from '../../host/project-key.ts';
import { Journal } from '../../disk/journal.ts';
import { StatusKeeper } from '../project/kept-status.ts';
import { readRoleFile, removeOldTemporaries } from '../project/project-files.ts';
import type { RealDisk } from '../../disk/real-disk.ts';
import { Lookout } from './lookout.ts';
import { agentContainment } from '../../host/containment.ts';
import type { Wired } from '../project/definition.ts';
import { journalWatch, lockWatch } from '../../host/gone.ts';
import { takeLock, type HostLock } from '../../host/lock.ts';
import { recorder, recordingNote } from '../../host/runner/recorder.ts';
import { hostProcess } from '../../host/host-process.ts';
import { projectSecrets } from '../../workflow/host/secrets.ts';
import type { Exit, Outcome } from '../../providers/provider.ts';
import type { AgentJob, RunnerEvents } from '../../host/runner/runner.ts';
import type { Trail } from '../../git/trail.ts';
import { parkingOf } from '../../host/parking.ts';
import type { MailEvent } from '../../mail/machine/event.ts';
import type { MailState } from '../../mail/machine/state.ts';
import { RunMail, incomingFolder } from '../../host/run-mail.ts';

/**
 * Locks the project and starts a host for it, with the workflows that `open` returns. Throws
 * `E_LOCKED` when another process has it.
 */
export async function startController(
  disk: RealDisk,
  definition: Wired,
  options: ControllerOptions,
  open: OpenWorkflows | null = null,
): Promise<Controller> {
  const lock = await takeLock(disk);
  const opened: UpWorkflows[] = [];
  const kept: OpenWorkflows = async (slots, hints) => {
    const workflows = await open!(slots, hints);
    opened.push(workflows);
    return workflows;
  };
  try {
    const startTime = readProcess(process.pid)?.startTime ?? null;
    const note = { since: Date.now(), triggers: options.triggers, startTime };
    writeHolder(disk, note);
    return await compose(disk, definition, options, { lock, note, open: open && kept });
  } catch (error) {
    // An open listener would keep the program running.
    for (const workflows of opened) await workflows.close();
    await release(disk, lock);
    throw error;
  }
}

/**
 * Creates the input folders, and the key of a project that will sign: before an agent runs, since
 * no sandbox can hide a missing file. Returns why it has no key; null: it has one, or needs none.
 */
function prepare(disk: RealDisk, { roles }: Protocol): string | null {
  removeOldTemporaries(disk, Date.now());
  for (const folder of [controlFolder, incomingFolder]) disk.makeFolder(folder);
  const guard = new DiskGuard();
  const signs = [...roles.values()].some(({ kinds = [] }) => kinds.length > 0);
  if (signs) guard.attempt(() => projectKey(disk), null);
  return guard.problem;
}

async function release(disk: RealDisk, lock: HostLock): Promise<void> {
  try {
    removeHolder(disk);
  } finally {
    await lock.release();
  }
}

async function compose(
  disk: RealDisk,
  definition: Wired,
  options: ControllerOptions,
  held: { readonly lock: HostLock; readonly note: HolderNote; readonly open: OpenWorkflows | null },
): Promise<Controller> {
  const { lock, note, open } = held;
  const { config, protocol, hash } = definition;
  const lockGone = lockWatch(disk, [lockFile]);
  const atStart = [...lock.refused, prepare(disk, protocol)];
  const trail = trailOf(disk, config);
  const events: { to: RunnerEvents | null } = { to: null };
  const runner = await runnerOf(disk, definition, options, events);
  // Before anything else runs: cleans up after an earlier controller.
  await runner.sweep();
  const journal = new Journal<MailEvent>(disk, { gone: lockGone });
  const lookout = new Lookout(disk, definition, () => performance.now());
  const trailAt = await trail.position();
  const ports = { ...portsOf(disk, definition, lookout), journal, runner, trail, trailAt };
  const hints: Hints = { wake: () => {}, hinted: () => {}, failed: () => {} };
  const up = open && (await openUp(open, protocol, hints));
  const [boot, bootBefore] = [bootId(), readBoot(disk)];
  const host = new MailHost(ports, {
    protocol,
    protocolHash: hash,
    version: metadata.version,
    rebooted: bootBefore !== null && bootBefore !== boot,
    ...(up && { slots: up.slots, onSent: up.workflows.received }),
  });
  const edited = !host.fresh && host.state.protocol !== hash;
  host.start();
  // Not earlier: lost files must be projected again first.
  if (boot !== null && boot !== bootBefore) writeBoot(disk, boot);
  const problems = () => problemsOf(host, trail, lookout, up?.workflows ?? null);
  const kept = new StatusKeeper(disk, () => performance.now());
  const onChange = publishing(disk, note, problems, () => afterLook(host.state, options, kept));
  const all = new UpHost(host, up?.workflows.triggers ?? [], up?.workflows.runs ?? noRuns);
  const { loop, report } = hostProcess(disk, all, {
    watched: watched(protocol),
    trail,
    gone: journalWatch(disk, journalFolder, lockGone),
    lock,
    lockLost: 'the lock of the project was lost, so all work was stopped',
    untilIdle: options.untilIdle,
    onChange,
  });
  events.to = reporting(host, report);
  hints.wake = () => loop.wake();
  hints.hinted = () => all.hint();
  hints.failed = (error) => loop.fail(error);
  const changed = edited ? 'the protocol has changed since the last start' : null;
  const lacks = await recordingNote(options.record, disk.root);
  const notes = [...atStart, host.cut, trail.problem(), changed, lacks, ...(up?.workflows.notes ?? [])];
  const close = async () => {
    await up?.workflows.close();
    journal.close();
    await release(disk, lock);
  };
  return handleOf(host, loop, { definition, notes, problems, lookout, kept, close });
}

function problemsOf(
  host: MailHost,
  trail: Trail,
  lookout: Lookout,
  workflows: UpWorkflows | null,
): readonly string[] {
  const own = [host.problem, trail.problem()].filter((each) => each !== null);
  return [...own, ...lookout.problems(), ...(workflows?.problems() ?? [])];
}

/** The controller's handle for its caller. `notes`: null ones are left out. */
function handleOf(
  host: MailHost,
  loop: Loop,
  parts: {
    readonly definition: Wired;
    readonly notes: readonly (string | null)[];
    readonly problems: () => readonly string[];
    readonly lookout: Lookout;
    readonly kept: StatusKeeper;
    readonly close: () => Promise<void>;
  },
): Controller {
  return {
    definition: parts.definition,
    get state() {
      return host.state;
    },
    notes: parts.notes.filter((note) => note !== null),
    problems: () => [...parts.problems(), ...parts.lookout.misplaced()],
    end: (how) => loop.end(how),
    run: async () => {
      try {
        await loop.run();
        parts.kept.keep(host.state);
        const { failures } = host;
        const idle = host.problem === null ? host.idle() : 'stuck';
        const waits = host.waitsForPrograms ? parts.lookout.problems().join('; ') : null;
        const problem = host.problem ?? waits;
        return { idle: idle === 'busy' ? 'done' : idle, failures, problem };
      } finally {
        await parts.close();
      }
    },
  };
}

function afterLook(state: MailState, { onChange }: ControllerOptions, kept: StatusKeeper): void {
  onChange(state);
  kept.look(state);
}

/**
 * Writes the problems beside the lock when they change, for `status`; a disk error here stops
 * nothing.
 */
function publishing(
  disk: RealDisk,
  note: HolderNote,
  problems: () => readonly string[],
  then: () => void,
): () => void {
  let published: readonly string[] = [];
  return () => {
    then();
    const now = problems();
    if (now.length === published.length && now.every((each, index) => each === published[index])) return;
    published = now;
    try {
      writeHolder(disk, { ...note, problems: now });
    } catch (error) {
      if (!(error instanceof MailroomError)) throw error;
    }
  };
}

const noRuns = { count: 0, end: () => {} };

type Hints = { -readonly [K in keyof LoopHints]: LoopHints[K] };

/** The work of `up` besides the mail. `hints` are complete before anything happens. */
async function openUp(
  open: OpenWorkflows,
  { concurrency }: Protocol,
  hints: Hints,
): Promise<{ readonly workflows: UpWorkflows; readonly slots: SlotUser }> {
  const shared = new SharedSlots(concurrency);
  const wake = () => hints.wake();
  const workflows = await open(shared, {
    wake,
    hinted: () => {
      hints.hinted();
      wake();
    },
    failed: (error) => hints.failed(error),
  });
  return { workflows, slots: shared.join(wake) };
}

/** The input folders. */
function watched({ roles }: Protocol): string[] {
  const boxes = [...roles.keys()].flatMap((role) => [`agents/${role}/inbox`, `agents/${role}/outbox`]);
  return [controlFolder, incomingFolder, ...boxes];
}

async function runnerOf(
  disk: RealDisk,
  { config, providers, extended }: Wired,
  { record }: ControllerOptions,
  events: { readonly to: RunnerEvents | null },
): Promise<ProcessRunner> {
  const mark = `mailroom-${createHash('sha256').update(disk.root).digest('hex').slice(0, 12)}:`;
  const contain = await agentContainment(disk, config, extended);
  const secrets = projectSecrets(disk);
  const keep = record === null ? null : recorder(record, secrets);
  const recorded = keep && {
    recorded: (job: AgentJob, outcome: Outcome, exit: Exit) => keep(job.invocation, outcome, exit),
    editsBut: record === null ? [] : [record],
  };
  return new ProcessRunner(
    {
      project: disk.root,
      mark,
      providers,
      contain,
      now: Date.now,
      secrets,
      ...recorded,
    },
    {
      ready: (...told) => events.to?.ready(...told),
      ended: (...told) => events.to?.ended(...told),
      gated: (...told) => events.to?.gated(...told),
    },
  );
}

/** The host's ports, from the disk and the settings. */
function portsOf(
  disk: RealDisk,
  { config, providers, tools }: Wired,
  lookout: Lookout,
): Omit<HostPorts, 'journal' | 'runner' | 'trail' | 'trailAt'> {
  return {
    clock: { now: Date.now, elapsed: () => performance.now() },
    mailboxes: new Mailboxes(disk, mailMatching(config.inboxPatterns)),
    control: new Control(disk),
    runs: new RunMail(disk),
    folders: new TurnFolders(disk, maskOf(projectSecrets(disk))),
    providers,
    missingProviders: lookout.missing,
    verifies: (provider) => isAgentProvider(config, provider),
    ...(tools && { tools }),
    newId: v7,
    roleText: (role) => readRoleFile(disk, role)?.text ?? '',
    project: disk.root,
    parking: parkingOf(disk, config),
    notify: (role, message) => notifyPerson(disk.root, config, role, message),
  };
}

function reporting(host: MailHost, report: (act: () => void) => void): RunnerEvents {
  return {
    ready: (...told) => report(() => host.turns.ready(...told)),
    ended: (...told) => report(() => host.turns.ended(...told)),
    gated: (...told) => report(() => host.turns.gated(...told)),
  };
}

function trailOf(disk: RealDisk, config: Config): Trail {
  if (config.trail !== null)
    return new TrailWriter({
      repository: new GitRepository({ project: disk.root, branch: config.trail.branch }),
    });
  return noTrail;
}
