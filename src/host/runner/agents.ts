import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { MailroomError, messageOf, type ErrorCode } from '../../kernel/errors.ts';
import { isPassing } from '../../kernel/passing.ts';
import type { Mask } from '../../kernel/mask.ts';
import { watchEdits, type EditWatch } from '../../git/edits.ts';
import { buildEnvironment } from '../../process/sandbox/environment.ts';
import { exitOf, notStarted } from '../../process/supervision/exits.ts';
import { withProgramHome } from '../../process/sandbox/program-home.ts';
import { completed } from '../../process/sandbox/reading.ts';
import { watchFolder, type FolderWatch } from '../../git/folder-changes.ts';
import { runMessageChecks } from './message-checks.ts';
import { removeDeadPlaces } from '../../process/sandbox/held-places.ts';
import { maskOf } from '../../process/output/mask.ts';
import { agentReach, refuseShunned } from '../../process/sandbox/agent-settings.ts';
import { realPlace } from '../../process/sandbox/repository-place.ts';
import { openPlaces } from '../../process/sandbox/sandbox-places.ts';
import { supervise } from '../../process/supervision/supervise.ts';
import { sweepMarked } from '../../process/supervision/sweep.ts';
import type { Containment, ProcessResult, AccessRequest, Supervised } from '../../process/types.ts';
import { inTemporary, removeDeadTemporaries } from '../../process/temporaries.ts';
import { ensureWorktree, workspaceTree } from '../../git/workspace-tree.ts';
import type { Usage } from '../../kernel/cost.ts';
import type { Changed } from '../../kernel/edits.ts';
import type { CommandLine, Exit, Outcome, Provider } from '../../providers/provider.ts';
import type { AgentJob, GateJob, Runner, RunnerEvents } from './runner.ts';

export interface RunnerOptions {
  /** Masked in all that is written. */
  readonly secrets: readonly string[];
  readonly project: string;
  /** Begins the mark of every process of this project. */
  readonly mark: string;
  readonly providers: ReadonlyMap<string, Provider>;
  /** How a process of this reach is contained. */
  contain(reach: AccessRequest): Containment;
  /** Milliseconds since 1970. */
  now(): number;
  /** Called with everything that was started and read back; for recordings. What it throws fails the turn. */
  readonly recorded?: (job: AgentJob, outcome: Outcome, exit: Exit) => void;
  /** Folders, absolute, where nobody wants to know of edits; missing: nobody wants to know of any. */
  readonly editsBut?: readonly string[];
}

/** Kept of each output of an agent: 32 MB. */
const outputBytes = 32 * 1024 * 1024;

/** Starts agents and gates as real processes. */
export class ProcessRunner implements Runner {
  readonly #options: RunnerOptions;
  readonly #mask: Mask;
  readonly #events: RunnerEvents;
  readonly #running = new Map<string, Supervised | null>();
  readonly #stopped = new Set<string>();

  constructor(options: RunnerOptions, events: RunnerEvents) {
    this.#options = options;
    this.#mask = maskOf(options.secrets);
    this.#events = events;
  }

  start(job: AgentJob): void {
    this.#running.set(job.key, null);
    void this.#follow(job);
  }

  async #follow(job: AgentJob): Promise<void> {
    const [outcome, exit, changed] = await this.#agent(job);
    this.#forget(job.key);
    this.#events.ended(job.key, outcome, exit, changed);
  }

  check(job: GateJob): void {
    this.#running.set(job.key, null);
    void this.#followGates(job);
  }

  async #followGates(job: GateJob): Promise<void> {
    const problems = await this.#gates(job);
    this.#forget(job.key);
    this.#events.gated(job.key, problems);
  }

  release(key: string): void {
    this.#running.get(key)?.release();
  }

  stop(key: string): void {
    this.#stopped.add(key);
    this.#running.get(key)?.stop();
  }

  async sweep(): Promise<void> {
    await sweepMarked(this.#options.mark);
    removeDeadTemporaries();
    removeDeadPlaces(this.#options.project);
  }

  tree(workspace: string): Promise<string | null> {
    return workspaceTree(workspace);
  }

  #forget(key: string): void {
    this.#running.delete(key);
    this.#stopped.delete(key);
  }

  /** Never rejects: what goes wrong on our side is an outcome too. */
  async #agent(job: AgentJob): Promise<Ended> {
    const provider = this.#options.providers.get(job.provider);
    if (!provider) return refused(`there is no provider \`${job.provider}\``);
    try {
      const ended = await inTemporary((temporary) => this.#run(job, provider, temporary));
      return this.#record(job, ended);
    } catch (error) {
      return refusedFor(error);
    }
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

  async #run(job: AgentJob, provider: Provider, temporary: string): Promise<Ended> {
    const { invocation } = job;
    const wanted = (invocation.mcp?.own.length ?? 0) > 0;
    if (wanted && provider.mcp !== true)
      return refused(`\`mcp\` of \`${invocation.role}\` cannot be given: ${provider.mcp}`);
    const problem =
      job.worktree === null
        ? null
        : await ensureWorktree(this.#options.project, invocation.workspace, job.worktree);
    if (problem !== null) return refused(problem);
    const tree = job.noteTree ? await workspaceTree(invocation.workspace) : null;
    const watches = await this.#watch(job.watched ?? []);
    const watch = await this.#watchEdits(invocation.workspace);
    // Where the program finds itself: what it was told of its folder must name the same one.
    const workspace = realPlace(invocation.workspace);
    const command = completed(provider.start({ ...invocation, workspace }));
    writeFiles(invocation.paths.folder, command.files);
    const supervised = this.#supervise(job, command, temporary);
    const launched = await supervised.ready;
    if (launched) this.#events.ready(job.key, launched, tree);
    const result = await supervised.exited;
    try {
      const exit = exitOf(result, this.#mask);
      const outcome = maskOutcome(provider.read(exit, invocation, this.#options.now()), this.#mask);
      // What never ran has cost nothing, whatever was reserved for it.
      if (exit.ended === 'spawn-failed') return [{ ...outcome, usage: nothing }, exit, new Map()];
      const edits = watch === null ? {} : { edits: await watch.edits() };
      return [outcome, { ...exit, ...edits }, await changesIn(watches)];
    } catch (error) {
      return refused(messageOf(error), { usd: null, tokens: null });
    }
  }

  async #watch(folders: readonly string[]): Promise<Map<string, FolderWatch>> {
    const watches = new Map<string, FolderWatch>();
    for (const folder of folders) watches.set(folder, await watchFolder(folder, this.#options.project));
    return watches;
  }

  async #watchEdits(workspace: string): Promise<EditWatch | null> {
    const { editsBut, project } = this.#options;
    return editsBut === undefined ? null : watchEdits(workspace, project, editsBut);
  }

  #supervise(
    { key, provider, invocation, totalMs, idleMs }: AgentJob,
    command: CommandLine,
    temporary: string,
  ): Supervised {
    const { paths, workspace, capabilities, role } = invocation;
    const { argv } = command;
    const given = buildEnvironment({ inherit: command.inherit, set: { TMPDIR: temporary, ...command.env } });
    const env = withProgramHome(command, given, { cwd: workspace, temporary });
    const outbox = join(this.#options.project, 'agents', role, 'outbox');
    const containment = this.#options.contain({
      provider,
      argv,
      env,
      workspace,
      capabilities,
      network: invocation.network,
      writable: [paths.outbox, outbox, temporary, ...command.writable],
      owed: [],
      guarded: invocation.tools?.readable ?? [],
      agent: agentReach(command, invocation.mayConfigure === true),
    });
    if (containment.kind !== 'bubblewrap') refuseShunned(provider, command, { workspace, env });
    const { project } = this.#options;
    const places = openPlaces(containment, { project, kept: command.writable, owed: [] });
    const supervised = supervise({
      argv,
      cwd: workspace,
      env,
      stdin: command.stdin,
      ...(command.overspent && { overspent: command.overspent }),
      mark: `${this.#options.mark}${key}`,
      containment,
      launchBarrier: true,
      limits: { totalMs, idleMs, outputBytes },
      keeps: { head: outputBytes, tail: 0, raw: true },
      secrets: this.#options.secrets,
      stdoutFile: paths.stdout,
      stderrFile: paths.stderr,
    });
    void supervised.exited.then(() => places.close());
    this.#running.set(key, supervised);
    if (this.#stopped.has(key)) supervised.stop();
    return supervised;
  }

  /** Never rejects either. */
  async #gates(job: GateJob): Promise<string[]> {
    try {
      return await inTemporary((temporary) => this.#check(job, temporary));
    } catch (error) {
      return [`the gates could not be checked: ${messageOf(error)}`];
    }
  }

  #check(job: GateJob, temporary: string): Promise<string[]> {
    const { key, folder, workspace } = job;
    const home = join(this.#options.project, '.mailroom', 'turns', folder.turn, String(folder.attempt));
    const deadline = job.totalMs === null ? Infinity : performance.now() + job.totalMs;
    const env = buildEnvironment({ set: { TMPDIR: temporary, ...job.env } });
    const run = (argv: readonly string[], timeout: number, name: string): Promise<ProcessResult> => {
      // What a gate runs was perhaps written by the agent. It builds and tests, whatever its role may do.
      const containment = this.#options.contain({
        provider: job.provider,
        argv,
        env,
        workspace,
        capabilities: ['READ', 'RUN_TESTS'],
        network: job.network,
        writable: [temporary],
        owed: [],
        guarded: [],
      });
      const places = openPlaces(containment, { project: this.#options.project, kept: [], owed: [] });
      const supervised = supervise({
        argv,
        cwd: workspace,
        env,
        stdin: '',
        mark: `${this.#options.mark}${key}`,
        containment,
        launchBarrier: false,
        limits: {
          totalMs: Math.max(1, Math.min(timeout, deadline - performance.now())),
          idleMs: null,
          outputBytes,
        },
        secrets: this.#options.secrets,
        stdoutFile: join(home, `${name}.stdout`),
        stderrFile: join(home, `${name}.stderr`),
      });
      void supervised.exited.then(() => places.close());
      this.#running.set(key, supervised);
      if (this.#stopped.has(key)) supervised.stop();
      return supervised.exited;
    };
    return runMessageChecks(job.gates, workspace, job.tree, run);
  }
}

type Ended = [Outcome, Exit, Changed];

async function changesIn(watches: ReadonlyMap<string, FolderWatch>): Promise<Changed> {
  const changed = new Map<string, readonly string[] | string>();
  for (const [folder, watch] of watches) {
    const paths = await watch.changes();
    if (paths !== null) changed.set(folder, paths);
  }
  return changed;
}

function writeFiles(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    const path = join(folder, name);
    mkdirSync(join(path, '..'), { recursive: true });
    writeFileSync(path, text);
  }
}

const nothing: Usage = { usd: 0, tokens: 0 };

/** A turn that we could not start, or not follow to its end. */
function refused(text: string, usage = nothing, code: ErrorCode = 'E_PROVIDER'): Ended {
  return [{ is: 'never', reason: { code, text }, usage }, notStarted(text), new Map()];
}

function refusedFor(error: unknown): Ended {
  const text = messageOf(error);
  if (error instanceof MailroomError || !isPassing(text))
    return refused(text, nothing, error instanceof MailroomError ? error.code : undefined);
  const outcome = { is: 'later', class: 'RETRYABLE_TRANSIENT', until: null, usage: nothing } as const;
  return [{ ...outcome, reason: { code: 'E_PROVIDER', text } }, notStarted(text), new Map()];
}

/** What an agent came back with, fit to be written. Its final text may be a message: no common word is taken out of it. */
export function maskOutcome(outcome: Outcome, { text, name }: Mask): Outcome {
  if (outcome.is !== 'done')
    return { ...outcome, reason: { ...outcome.reason, text: text(outcome.reason.text) } };
  const { session, model, denials } = outcome;
  return {
    ...outcome,
    text: name(outcome.text),
    session: session && { ...session, id: name(session.id) },
    model: model && name(model),
    denials: denials.map(name),
  };
}
