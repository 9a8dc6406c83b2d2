import { TurnFolders } from '../mailboxes/turn-folders.ts';
import { Mailboxes } from '../mailboxes/mailboxes.ts';
import { mailMatching } from '../mailboxes/mail-files.ts';
import { createHash } from 'node:crypto';
import process from 'node:process';
import { v7 } from 'uuid';
import metadata from '../../../package.json' with { type: 'json' };
import type { Controller, ControllerOptions } from './contract.ts';
import { type Config, isAgentProvider } from '../../config/config.ts';
import type { Protocol } from '../format/protocol.ts';
import { MailHost } from '../host/mail-host.ts';
import { mailUser, SharedSlots } from '../../host/slots.ts';
import { UpWork, type OpenWorkflows, type UpWorkflows } from '../../workflow/host/up-work.ts';
import type { MailOptions, MailPorts } from '../host/ports.ts';
import { queuedJobs } from '../host/workspaces.ts';
import type { Turns } from '../host/turns.ts';
import type { HostPorts } from '../../host/ports.ts';
import { projectHome } from '../../disk/journal-files.ts';
import { noTrail } from '../trail/none.ts';
import { TrailWriter } from '../trail/writer.ts';
import { GitRepository } from '../../git/git-repository.ts';
import { bootId, readProcess } from '../../process/proc.ts';
import { ProcessRunner } from '../../host/runner/agents.ts';
import { turnsOutput } from './output.ts';
import { notifyPerson } from './notify.ts';
import { controlFolder } from '../../host/control.ts';
import {
  lastRan,
  lockFile,
  notingTime,
  publishing,
  readBoot,
  removeHolder,
  writeBoot,
  writeHolder,
} from '../../host/holder.ts';
import type { HolderNote } from '../../host/holder.ts';
import { DiskGuard } from '../../disk/disk-guard.ts';
import { maskOf } from '../../process/output/mask.ts';
import { zombieNote } from '../../process/sandbox/first-process.ts';
import { checkTemporaries } from '../../process/temporaries.ts';
import { projectKey } from '../../host/project-key.ts';
import { StatusKeeper } from './kept-status.ts';
import type { ConfirmedRoleTexts } from '../../project/definition/role-texts.ts';
import { removeOldTemporaries } from '../../project/definition/project-files.ts';
import type { Disk } from '../../disk/disk.ts';
import { Lookout } from './lookout.ts';
import { problemsOf, publishedOf } from './published.ts';
import { ObeyedRules } from './obeyed-rules.ts';
import { agentContainment } from '../../host/containment.ts';
import type { Wired } from '../../project/definition/definition.ts';
import { takeLock } from '../../host/lock.ts';
import { recorder, recordingNote } from '../../host/runner/recorder.ts';
import { HostProcess } from '../../host/host-process.ts';
import { projectSecrets } from '../../workflow/host/secrets.ts';
import type { Exit, Outcome } from '../../providers/provider.ts';
import { otherHosts, type OtherHosts, type TurnsAway } from '../../project/definition/hooks.ts';
import type { AgentJob, Runner, RunnerEvents } from '../../host/runner/runner.ts';
import type { Trail } from '../../git/trail.ts';
import type { MailEvent } from '../machine/event.ts';
import { RunMail, incomingFolder } from '../../host/run-mail.ts';
import { followersOf } from './followers.ts';

/**
 * Locks the project and starts a host for it, with the workflows that `open` returns. `texts`:
 * the descriptions of roles that it obeys until others are confirmed; null: starting confirms those
 * on disk. Throws `E_LOCKED` when another process has it.
 */
export async function startController(
  disk: Disk,
  definition: Wired,
  options: ControllerOptions,
  open: OpenWorkflows | null = null,
  texts: ConfirmedRoleTexts | null = null,
): Promise<Controller> {
  const ran = lastRan(disk);
  const lock = await takeLock(disk);
  const kit = new HostProcess(disk, {
    home: projectHome,
    lock,
    lockFiles: [lockFile],
    lockLost: 'the lock of the project was lost, so all work was stopped',
  });
  const opened: Opened[] = [];
  const kept: OpenWorkflows = async (slots, hints) => {
    const workflows = await open!(slots, hints);
    opened.push(workflows);
    return workflows;
  };
  const close = async () => {
    // An open listener would keep the program running.
    for (const each of opened) await each.close();
    try {
      removeHolder(disk);
    } finally {
      await kit.close();
    }
  };
  try {
    const startTime = readProcess(process.pid)?.startTime ?? null;
    const note = { since: Date.now(), triggers: options.triggers, startTime };
    writeHolder(disk, note);
    const notes = [...lock.refused, prepare(disk, definition.protocol)];
    return await compose(disk, definition, options, {
      kit,
      note,
      ran,
      notes,
      open: open && kept,
      texts,
      opened,
      close,
    });
  } catch (error) {
    await close();
    throw error;
  }
}

/**
 * Creates the input folders, and the key of a project that will sign: before an agent runs, since
 * no sandbox can hide a missing file. Returns why it has no key; null: it has one, or needs none.
 */
function prepare(disk: Disk, { roles }: Protocol): string | null {
  removeOldTemporaries(disk, Date.now());
  for (const folder of [controlFolder, incomingFolder]) disk.makeFolder(folder);
  const guard = new DiskGuard();
  const signs = [...roles.values()].some(({ kinds = [] }) => kinds.length > 0);
  if (signs) guard.attempt(() => projectKey(disk), null);
  return guard.problem;
}

interface Opened {
  close(): Promise<void>;
}

interface Held {
  readonly kit: HostProcess;
  readonly note: HolderNote;
  /** When a controller ran last; null: not known. */
  readonly ran: number | null;
  /** Notes for the person at the start; null ones are left out. */
  readonly notes: readonly (string | null)[];
  readonly open: OpenWorkflows | null;
  /** As for `startController`. */
  readonly texts: ConfirmedRoleTexts | null;
  /** What `close` closes besides. */
  readonly opened: Opened[];
  /** Closes and releases everything. */
  readonly close: () => Promise<void>;
}

const clock = () => performance.now();

async function compose(disk: Disk, definition: Wired, options: ControllerOptions, held: Held) {
  const { kit, note, ran, notes: atStart, open, texts, opened, close } = held;
  const { config, protocol } = definition;
  const { trail, noted } = trailOf(disk, config);
  const events = reporting(() => host.turns, kit);
  const local = await runnerOf(disk, definition, options, events);
  const remote = await remoteOf(disk, definition, { local, events, kit, note }, opened);
  const ports = await kit.open<MailEvent, Runner>(remote ?? local, definition);
  const lookout = new Lookout(disk, definition, clock);
  const up = open && (await openUp(open, protocol, kit));
  const rules = await ObeyedRules.open(disk, definition, { texts, clock, wake: () => kit.wake() });
  const boot = bootOf(disk);
  const own = portsOf(disk, definition, lookout, rules);
  const followers = await followersOf(definition);
  const onChange = () => options.onChange(host.state, followers.fresh());
  const host = new MailHost(
    { ...ports, ...own, trail, trailAt: await trail.position() },
    {
      protocol,
      protocolHash: definition.hash(),
      version: metadata.version,
      rebooted: boot.isNew,
      lastRan: ran,
      ...up?.options,
      onEvents: followers.take,
    },
  );
  followers.start(host);
  remote?.clean(queuedJobs(host.state));
  // Not earlier: lost files must be projected again first.
  boot.note();
  const others = () => [...followers.problems(), ...(remote?.problems() ?? [])];
  const problems = () => [...problemsOf(host, trail, lookout, up?.workflows ?? null), ...others()];
  const publish = publishing(disk, note, () => publishedOf(host, problems(), up?.shared.taken ?? null));
  const kept = new StatusKeeper(disk, clock);
  const looked = [onChange, () => kept.look(host.state), publish, notingTime(disk)];
  const beside = up?.workflows ?? nothingElse;
  kit.attach(host, {
    watched: watched(protocol),
    trail,
    beside: new UpWork(beside),
    untilIdle: options.untilIdle,
    onChange: () => looked.forEach((each) => each()),
  });
  const lacks = [await recordingNote(options.record, disk.root), await zombieNote()];
  return handleOf(host, kit, {
    definition,
    notes: [...atStart, host.cut, noted(), rules.note, ...lacks, ...(up?.workflows.notes ?? [])],
    problems,
    folders: own.folders,
    beside,
    lookout,
    rules,
    onChange,
    kept,
    close: () => followers.flush().then(close),
  });
}

/** The boot of the machine, and whether the last host of the project ran in another one. */
function bootOf(disk: Disk) {
  const [boot, before] = [bootId(), readBoot(disk)];
  const note = (): void => {
    if (boot !== null && boot !== before) writeBoot(disk, boot);
  };
  return { isNew: before !== null && before !== boot, note };
}

/** The controller's handle for its caller. `notes`: null ones are left out. */
function handleOf(
  host: MailHost,
  kit: HostProcess,
  parts: {
    readonly definition: Wired;
    readonly notes: readonly (string | null)[];
    readonly problems: () => readonly string[];
    readonly folders: TurnFolders;
    readonly beside: Pick<UpWorkflows, 'runs'> & Partial<Pick<UpWorkflows, 'recoveries'>>;
    readonly lookout: Lookout;
    readonly rules: ObeyedRules;
    readonly onChange: () => void;
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
    held: () => host.turns.waits.held,
    problems: () => [...parts.problems(), ...parts.lookout.notices(), ...parts.rules.notices()],
    recoveries: () => parts.beside.recoveries?.() ?? [],
    runs: () => parts.beside.runs.count,
    latest: (most) => {
      const { folders, definition, beside } = parts;
      return [...turnsOutput(host.state, folders, definition.providers, most), ...beside.runs.latest(most)];
    },
    end: (how) => kit.end(how),
    run: async () => {
      try {
        await kit.run();
        await parts.rules.settled();
        parts.onChange();
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

/** The work of a controller of the mail alone. */
const nothingElse = {
  triggers: [],
  runs: { count: 0, latest: () => [], end: () => {} },
  isTalking: () => false,
};

/** The work of `up` besides the mail. */
async function openUp(
  open: OpenWorkflows,
  { concurrency }: Protocol,
  kit: HostProcess,
): Promise<{
  readonly workflows: UpWorkflows;
  readonly shared: SharedSlots;
  readonly options: Pick<MailOptions, 'slots' | 'onSent' | 'elsewhere'>;
}> {
  const shared = new SharedSlots(concurrency);
  const wake = () => kit.wake();
  const workflows = await open(shared, { wake, failed: (error) => kit.fail(error) });
  const { received: onSent, elsewhere } = workflows;
  const options = { slots: shared.join(mailUser, wake), onSent, ...(elsewhere && { elsewhere }) };
  return { workflows, shared, options };
}

/** The input folders. */
function watched({ roles }: Protocol): string[] {
  const boxes = [...roles.keys()].flatMap((role) => [`agents/${role}/inbox`, `agents/${role}/outbox`]);
  return [controlFolder, incomingFolder, ...boxes];
}

async function runnerOf(
  disk: Disk,
  definition: Wired,
  { record }: ControllerOptions,
  events: RunnerEvents,
): Promise<ProcessRunner> {
  const secrets = projectSecrets(disk);
  const keep = record === null ? null : recorder(record, secrets);
  const recorded = keep && {
    recorded: (job: AgentJob, outcome: Outcome, exit: Exit) => keep(job.invocation, outcome, exit),
    editsBut: record === null ? [] : [record],
  };
  return new ProcessRunner(
    {
      project: disk.root,
      mark: `mailroom-${createHash('sha256').update(disk.root).digest('hex').slice(0, 12)}:`,
      providers: definition.providers,
      contain: await agentContainment(disk, definition.config, definition.extended),
      checkHost: checkTemporaries,
      now: Date.now,
      named: async () =>
        (await import('../../project/definition/named-files.ts')).namedFiles(disk, definition),
      secrets,
      ...recorded,
    },
    events,
  );
}

type TurnParts = Parameters<OtherHosts['turns']>[1];

/** Null, and nothing of it loaded, in a project without roles on workers. */
async function remoteOf(
  disk: Disk,
  definition: Wired,
  { kit, note, ...parts }: Pick<TurnParts, 'local' | 'events'> & Pick<Held, 'kit' | 'note'>,
  opened: Opened[],
): Promise<TurnsAway | null> {
  const { config, environment, protocol, hooks } = definition;
  const away = [...protocol.roles.values()].find(({ on }) => on !== undefined);
  if (away === undefined) return null;
  const { turns } = otherHosts(hooks, `the role ${away.name}`);
  const wake = () => kit.wake();
  const remote = await turns({ disk, config, environment, protocol }, { ...parts, since: note.since, wake });
  opened.push(remote);
  return remote;
}

/** The host's ports, from the disk and the settings. */
function portsOf(
  disk: Disk,
  { config, tools }: Wired,
  lookout: Lookout,
  rules: ObeyedRules,
): Omit<MailPorts, keyof HostPorts<MailEvent, Runner> | 'trail' | 'trailAt'> {
  return {
    mailboxes: new Mailboxes(disk, mailMatching(config.inboxPatterns)),
    runs: new RunMail(disk),
    folders: new TurnFolders(disk, maskOf(projectSecrets(disk))),
    missingProviders: lookout.missing,
    verifies: (provider) => isAgentProvider(config, provider),
    tools,
    newId: v7,
    roleText: (role) => rules.texts.of(role),
    notify: (role, message) => notifyPerson(disk.root, config, role, message),
  };
}

/** `turns`: of the host, which exists before its first process. */
function reporting(turns: () => Turns, kit: HostProcess): RunnerEvents {
  return {
    ready: (...note) => kit.report(() => turns().ready(...note)),
    assigned: (...note) => kit.report(() => turns().assigned(...note)),
    ended: (...note) => kit.report(() => turns().ended(...note)),
    checked: (...note) => kit.report(() => turns().checked(...note)),
    held: (...note) => kit.report(() => turns().held(...note)),
    unread: (...note) => kit.report(() => turns().unread(...note)),
    landing: (...note) => kit.report(() => turns().landings.reported(...note)),
  };
}

/** `noted`: what people should know of the trail, once its position was read; null: nothing. */
function trailOf(disk: Disk, config: Config): { readonly trail: Trail; readonly noted: () => string | null } {
  if (config.trail === null) return { trail: noTrail, noted: () => null };
  const repository = new GitRepository({ project: disk.root, branch: config.trail.branch });
  const trail = new TrailWriter({ repository });
  return { trail, noted: () => trail.problem() ?? repository.note };
}
