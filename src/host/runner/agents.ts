import { join } from 'node:path';
import { MailroomError, messageOf, type ErrorCode } from '../../kernel/errors.ts';
import { HostFault } from '../../kernel/contained.ts';
import { asHostFault, isHostFault, isPassing, launcherIsLost } from '../../kernel/passing.ts';
import type { Mask } from '../../kernel/mask.ts';
import { exitOf, notStarted } from '../../process/exits.ts';
import { runMessageChecks, type RanCheck, type Work } from './message-checks.ts';
import { runningTime } from '../../process/running-time.ts';
import { maskOf } from '../../process/output/mask.ts';
import { realPlace, repositoryFrom } from '../../process/sandbox/repository-place.ts';
import { inTemporary } from '../../process/temporaries.ts';
import { ourGlobs } from '../../git/folder-changes.ts';
import { readableDifference } from '../../git/run-differences.ts';
import type { NamedFiles } from '../../git/judged-changes.ts';
import { Landings } from '../../git/landing.ts';
import { WorkToCheck } from '../../git/checked-work.ts';
import { enterWork, leaveWork } from '../../git/work.ts';
import { ensureWorktree, workspaceTree } from '../../git/workspace-tree.ts';
import type { Usage } from '../../kernel/cost.ts';
import { reportsOf, type Worked } from '../../kernel/work.ts';
import type { Changed } from '../../kernel/edits.ts';
import type { Exit, Outcome, Provider } from '../../providers/provider.ts';
import { Processes, type ProcessOptions } from './processes.ts';
import { LandingSteps } from './landings.ts';
import type {
  AgentJob,
  CheckJob,
  CheckReport,
  LandingChecks,
  LandingJob,
  ProcessJob,
  RemoteProgram,
  Runner,
  RunnerEvents,
} from './runner.ts';

interface RunnerOptions extends ProcessOptions {
  readonly providers: ReadonlyMap<string, Provider>;
  /** Milliseconds since 1970. */
  now(): number;
  readonly named: NamedFiles;
  /**
   * Receives every invocation with its outcome; for recordings. An error that it throws fails the
   * turn.
   */
  readonly recorded?: (job: AgentJob, outcome: Outcome, exit: Exit) => void;
}

/** Starts the agents of turns, and the gates of their messages, as real processes. */
export class ProcessRunner extends Processes implements Runner {
  readonly #options: RunnerOptions;
  readonly #mask: Mask;
  readonly #events: RunnerEvents;
  readonly #landings: Landings;

  constructor(options: RunnerOptions, events: RunnerEvents) {
    super(options);
    this.#options = options;
    this.#mask = maskOf(options.secrets);
    this.#events = events;
    this.#landings = new Landings(options.project, options.named);
  }

  start(job: AgentJob): void {
    if (this.has(job.key)) return;
    this.#options.checkHost?.();
    void this.#follow(job);
  }

  async #follow(job: AgentJob): Promise<void> {
    const ended = await this.during(job.key, () => this.#agent(job));
    if (!(ended instanceof HostFault)) this.#events.ended(job.key, ...ended);
    else if (this.#events.held) this.#events.held(job.key, ended.message);
    else this.#events.ended(job.key, ...later(ended.message, ended.code));
  }

  check(job: CheckJob): void {
    void this.#followChecks(job);
  }

  async #followChecks(job: CheckJob): Promise<void> {
    const report = await this.during(job.key, () => this.#runChecks(job));
    if (!(report instanceof HostFault)) this.#events.checked(job.key, report);
    else if (this.#events.held) this.#events.held(job.key, report.message);
    else this.#events.checked(job.key, unchecked(report));
  }

  land(job: LandingJob): void {
    void this.#followLanding(job);
  }

  async #followLanding(job: LandingJob): Promise<void> {
    const { key } = job;
    const steps = new LandingSteps({
      project: this.#options.project,
      landings: this.#landings,
      isStopped: () => this.isStopped(key),
      check: (checks, work) => this.#checkedAgain(key, checks, work),
      blocked: (problem) => this.#events.landing(key, { is: 'blocked', problem }),
    });
    this.#events.landing(key, await this.during(key, () => steps.run(job)));
  }

  #checkedAgain(key: string, checks: LandingChecks, work: Work): Promise<string[]> {
    const job = { ...checks, key, tree: null, totalMs: null };
    return inTemporary((temporary) => this.#check(job, work, temporary, 'landing'));
  }

  leave(key: string): void {
    this.stop(key);
  }

  forget(): void {}

  /** Never rejects: an error of the host is an outcome too. */
  async #agent(job: AgentJob): Promise<Ended | HostFault> {
    if (job.program !== undefined) return this.#program(job, job.program);
    const provider = this.#options.providers.get(job.provider);
    if (!provider) return refused(`there is no provider \`${job.provider}\``);
    try {
      return this.#record(job, await this.#run(job, provider));
    } catch (error) {
      return notBegun(error);
    }
  }

  /** A script or a command: the host that wants it reads its exit. */
  async #program(job: AgentJob, program: RemoteProgram): Promise<Ended | HostFault> {
    const { capabilities } = program;
    const { env } = job.invocation;
    const command = { ...program, env, inherit: job.inherit ?? [], writable: [] };
    const given = { ...this.#common(job), kind: 'program', provider: null, capabilities, command } as const;
    try {
      const { result, changed } = await this.run(given, (process) =>
        this.#events.ready(job.key, process, null, null),
      );
      // It starts again, uncounted.
      if (result.error === launcherIsLost) throw new HostFault('E_DISK', launcherIsLost);
      const exit = exitOf(result, this.#mask);
      const outcome = {
        is: 'done',
        text: '',
        session: null,
        usage: nothing,
        model: null,
        denials: [],
      } as const;
      return [outcome, exit, await this.#after(job.key, changed), null];
    } catch (error) {
      return notBegun(error);
    }
  }

  /** What an agent or a program has left, once the machine lets it be read. */
  #after<T>(key: string, act: () => Promise<T>): Promise<T> {
    return this.after(key, act, (...note) => this.#events.unread?.(...note));
  }

  #record(job: AgentJob, ended: Ended): Ended {
    const [outcome, exit] = ended;
    try {
      this.#options.recorded?.(job, outcome, exit);
      return ended;
    } catch (error) {
      return refused(messageOf(error), outcome.usage);
    }
  }

  async #run(job: AgentJob, provider: Provider): Promise<Ended> {
    const { invocation } = job;
    const wanted = (invocation.mcp?.own.length ?? 0) > 0;
    if (wanted && provider.mcp !== true)
      return refused(`\`mcp\` of \`${invocation.role}\` cannot be given: ${provider.mcp}`);
    const placed = await this.#enter(job);
    if (!placed.ok && isPassing(placed.problem)) throw new HostFault('E_DISK', placed.problem);
    if (!placed.ok) return notPlaced(placed);
    const { workspace } = invocation;
    const notes = job.noteTree || (job.keepsDifference === true && repositoryFrom(workspace) !== null);
    const tree = notes ? await workspaceTree(workspace) : null;
    const { result, edits, changed } = await this.run(this.#process(job, provider), (process) =>
      this.#events.ready(job.key, process, job.noteTree ? tree : null, placed.commit),
    );
    try {
      const exit = exitOf(result, this.#mask);
      const outcome = maskOutcome(provider.read(exit, invocation, this.#options.now()), this.#mask);
      // A process that never ran has cost nothing, whatever was reserved for it.
      if (exit.ended === 'spawn-failed') return [{ ...outcome, usage: nothing }, exit, new Map(), null];
      const base = job.keepsDifference === true ? tree : null;
      const { secrets } = this.#options;
      return await this.#after(job.key, async () => {
        const edited = await edits();
        const left = base === null ? null : await differenceSince(workspace, base, secrets);
        return [outcome, edited === null ? exit : { ...exit, edits: edited }, await changed(), left];
      });
    } catch (error) {
      const usage = { usd: null, tokens: null };
      return isHostFault(error) ? later(messageOf(error), 'E_DISK', usage) : refused(messageOf(error), usage);
    }
  }

  /** Makes the checkout that a turn works in; its commit is null where that belongs to no role. */
  async #enter({ worktree, entering, invocation: { workspace } }: AgentJob) {
    const { project } = this.#options;
    if (entering !== undefined) return enterWork(project, workspace, entering);
    const problem = worktree === null ? null : await ensureWorktree(project, workspace, worktree);
    return problem === null
      ? { ok: true as const, commit: null }
      : { ok: false as const, problem, resolving: null };
  }

  #process(job: AgentJob, provider: Provider): ProcessJob {
    const { invocation, inherit = [] } = job;
    const { workspace, capabilities } = invocation;
    // The path that the program finds for its working folder: the folders it was given must match
    // it.
    const command = provider.start({ ...invocation, workspace: realPlace(workspace) });
    return {
      ...this.#common(job),
      kind: 'agent',
      provider: job.provider,
      capabilities,
      command: { ...command, inherit: [...command.inherit, ...inherit] },
    };
  }

  #common({ key, invocation, totalMs, idleMs, watched = [], graceMs = null }: AgentJob) {
    const { paths, workspace, role, network, mayConfigure, tools, owed } = invocation;
    return {
      key,
      owed,
      network,
      mayConfigure,
      workspace,
      folder: paths.folder,
      writable: [paths.outbox, join(this.#options.project, 'agents', role, 'outbox')],
      guarded: tools?.readable ?? [],
      stdout: paths.stdout,
      stderr: paths.stderr,
      totalMs,
      idleMs,
      graceMs,
      watched,
    };
  }

  /** Never rejects either. */
  async #runChecks(job: CheckJob): Promise<CheckReport | HostFault> {
    const { leaving, workspace } = job;
    const { project } = this.#options;
    const began = join(project, '.mailroom', 'turns', job.folder.turn);
    const left = leaving === undefined ? null : await leaveWork(project, workspace, leaving, began);
    if (left?.ok === false && isPassing(left.problem)) return new HostFault('E_DISK', left.problem);
    if (left?.ok === false)
      return { problems: [left.problem], conflicts: left.resolving === 'role', left: null };
    const commit = left?.commit ?? null;
    const found = left === null ? [] : reportsOf(left);
    const reports = found.length === 0 ? {} : { reports: found };
    const work = job.work ? new WorkToCheck(project, workspace, job.work, commit) : null;
    try {
      const problems = await inTemporary((temporary) => this.#check(job, work, temporary));
      if (job.checks.length > 0) await work?.checkout.restore();
      return { problems, conflicts: false, left: commit, ...reports };
    } catch (error) {
      const fault = asHostFault(error);
      if (fault instanceof HostFault) return fault;
      return { ...unchecked(error), left: commit, ...reports };
    }
  }

  /** `as`: what the files with its output begin with. */
  #check(job: CheckJob, work: Work | null, temporary: string, as = 'gate'): Promise<string[]> {
    const { key, folder: of, workspace, provider, network } = job;
    const folder = join(this.#options.project, '.mailroom', 'turns', of.turn, String(of.attempt));
    const deadline = job.totalMs === null ? Infinity : runningTime.now() + job.totalMs;
    const env = { TMPDIR: temporary, ...job.env };
    const run = async (argv: readonly string[], timeout: number, name: string): Promise<RanCheck> => {
      const [stdout, stderr] = [join(folder, `${as}-${name}.stdout`), join(folder, `${as}-${name}.stderr`)];
      const { result } = await this.run({
        key,
        kind: 'check',
        provider,
        // The agent may have written what a gate runs. A gate builds and tests, whatever its role
        // may do.
        capabilities: ['READ', 'RUN_TESTS'],
        owed: [],
        command: { argv, env, inherit: [], stdin: '', files: {}, writable: [] },
        network,
        mayConfigure: false,
        workspace,
        folder,
        writable: [temporary],
        guarded: [],
        stdout,
        stderr,
        totalMs: Math.max(1, Math.min(timeout, deadline - runningTime.now())),
        idleMs: null,
        graceMs: null,
        watched: [],
      });
      return { result, stdoutFile: stdout, stderrFile: stderr };
    };
    return runMessageChecks(job.checks, workspace, job.tree, work, run);
  }
}

/** The arguments of `ended` after the key. */
export type Ended = [Outcome, Exit, Changed, string | null];

/** What a workspace has now and had not in a tree, without mail; null: nothing, or unknown. */
export async function differenceSince(
  workspace: string,
  before: string,
  secrets: readonly string[],
): Promise<string | null> {
  const after = await workspaceTree(workspace);
  if (after === null || after === before) return null;
  return (await readableDifference({ workspace, base: before }, after, ourGlobs, secrets)) || null;
}

const nothing: Usage = { usd: 0, tokens: 0 };

/** A turn that could not start, or could not be followed to its end. */
function refused(text: string, usage = nothing, code: ErrorCode = 'E_PROVIDER'): Ended {
  return [{ is: 'never', reason: { code, text }, usage, session: null }, notStarted(text), new Map(), null];
}

/** The end of a turn whose checkout could not be prepared. */
export function notPlaced({ problem, resolving }: Exclude<Worked, { ok: true }>): Ended {
  if (resolving === 'role') return later(problem, 'E_CONFLICT');
  if (resolving === 'person') return refused(problem, nothing, 'E_CONFLICT');
  return isPassing(problem) ? later(problem, 'E_PROVIDER') : refused(problem, nothing, 'E_WORKSPACE');
}

/** A turn that could not start for this reason. */
function notBegun(error: unknown): Ended | HostFault {
  const fault = asHostFault(error);
  if (fault instanceof HostFault) return fault;
  return refused(messageOf(error), nothing, error instanceof MailroomError ? error.code : undefined);
}

function unchecked(error: unknown): CheckReport {
  return {
    problems: [`the gates could not be checked: ${messageOf(error)}`],
    conflicts: false,
    left: null,
  };
}

/** A turn that starts again. */
function later(text: string, code: ErrorCode, usage = nothing): Ended {
  const rest = { until: null, usage, session: null };
  const outcome = { is: 'later', class: 'RETRYABLE_TRANSIENT', reason: { code, text }, ...rest } as const;
  return [outcome, notStarted(text), new Map(), null];
}

/**
 * An agent's outcome with secrets masked. Its final text may be a message, so common words are not
 * masked in it.
 */
export function maskOutcome(outcome: Outcome, { text, name }: Mask): Outcome {
  if (outcome.is !== 'done')
    return { ...outcome, reason: { ...outcome.reason, text: text(outcome.reason.text) } };
  const { session, model, denials, warnings } = outcome;
  return {
    ...outcome,
    text: name(outcome.text),
    session: session && { ...session, id: name(session.id) },
    model: model && name(model),
    denials: denials.map(name),
    ...(warnings !== undefined && { warnings: warnings.map(text) }),
  };
}
