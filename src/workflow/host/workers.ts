import { join } from 'node:path';
import type { Changed } from '../../kernel/edits.ts';
import { MailroomError, type ErrorCode, type Reason } from '../../kernel/errors.ts';
import type { Process } from '../machine/decide.ts';
import { isHostFault } from '../../kernel/passing.ts';
import { heldBecause, HostWaits, onceRepaired, unreadBecause } from '../../host/host-waits.ts';
import type { StepPath, ProcessKey } from '../machine/event.ts';
import type { Launch, Prepared } from '../machine/launch.ts';
import { failedResult, readCheck } from '../machine/outcome.ts';
import { Checkouts, type Begun } from './checkouts.ts';
import { branchProblem, isBranchFixed } from '../machine/branch.ts';
import { launchOf } from '../machine/resolve.ts';
import type { Rules } from '../machine/rules.ts';
import { agentText } from '../../host/latest-output.ts';
import { ProcessTable } from '../../host/process-table.ts';
import { codeOf, isUnforeseen } from '../../kernel/contained.ts';
import { AwaySteps, invocationAway } from './away-steps.ts';
import { commandOf, invocationOf, owedPaths } from './command-line.ts';
import { byKey, keyText, measured, promptOf, withConflict, withLogs } from './processes.ts';
import type { DeadLetters } from './dead-letters.ts';
import type { RunLedger } from './ledger.ts';
import type { RunPorts } from './ports.ts';
import type { HeldWork } from '../../kernel/why.ts';
import { isDone, nothingLeft, StepResults, type Left, type Over, type Running } from './step-results.ts';
import { withAlias } from './secrets.ts';
import type { Assigned, Queued } from '../../kernel/launched.ts';
import { isRoleStep, RoleSteps } from './role-steps.ts';
import { StepPermissions, withLooked } from './step-permissions.ts';
import type { Exit, Outcome } from '../../providers/provider.ts';

/** Host errors caused by the definition or by the worker's files: failures of the step. */
const ofTheStep: readonly ErrorCode[] = ['E_PROVIDER', 'E_STEP', 'E_INTERNAL'];

/** Starts and stops the processes of a run as decided, and records their results. */
export class Workers {
  readonly #ledger: RunLedger;
  readonly #rules: Rules;
  readonly #ports: RunPorts;
  readonly #letters: DeadLetters;
  readonly roles: RoleSteps;
  readonly #running: ProcessTable<Running>;
  readonly #permissions: StepPermissions;
  readonly #checkouts: Checkouts;
  readonly away: AwaySteps;
  readonly results: StepResults;
  /** Ends that could not be read yet. */
  readonly #late = new Map<string, () => void>();
  /** What waits for the machine. */
  readonly waits: HostWaits;

  constructor(ledger: RunLedger, rules: Rules, ports: RunPorts, letters: DeadLetters) {
    this.#letters = letters;
    this.#permissions = new StepPermissions(ports.project, rules.workflow.contextDir);
    this.#ledger = ledger;
    this.#rules = rules;
    this.#ports = ports;
    this.#checkouts = new Checkouts(ports);
    this.away = new AwaySteps(ledger, ports);
    this.results = new StepResults(ledger, ports);
    this.waits = new HostWaits(() => ports.clock.elapsed?.() ?? ports.clock.now());
    this.#running = new ProcessTable({
      stop: (key) => (this.#isAway(key) ? this.away.stop(key) : ports.runner.stop(key)),
      leave: (key) => (this.#isAway(key) ? this.away.leave(key) : ports.runner.stop(key)),
    });
    this.roles = new RoleSteps(ledger, ports, rules.workflow, {
      launchOf: (key) => launchOf(ledger.state, rules, key),
      guard: (launch, act) => {
        const isOver = this.#guard(launch, act);
        if (isOver) this.waits.forget(keyText(launch.key));
        return isOver;
      },
      note: (launch, prepared) => letters.note(launch, prepared),
    });
  }

  /** Whether the run has messages in the mail, wanted or not. Throws `E_DISK`. */
  get hasMail(): boolean {
    return this.roles.left;
  }

  get running(): number {
    return this.#running.size + this.#checkouts.busy.size;
  }

  /** The steps that the machine could not start. */
  get heldSteps(): HeldWork[] {
    return this.waits.held.map((one) => ({ ...one, work: one.work.slice(0, one.work.lastIndexOf('@')) }));
  }

  /** The number of agents that run on this host. */
  get agents(): number {
    const isHere = ({ invocation, launch }: Running) => invocation !== null && launch.on === undefined;
    return [...this.#running.values()].filter(isHere).length;
  }

  #isAway(key: string): boolean {
    return this.#running.get(key)?.launch.on !== undefined;
  }

  /** The last lines that the running process of a step has printed, the newest last. */
  latest(path: StepPath, most: number): readonly string[] {
    const running = [...this.#running.values()].find(({ launch }) => launch.key.path === path);
    if (running === undefined) return [];
    const { key, work } = running.launch;
    const { files, providers } = this.#ports;
    const said = work.kind === 'agent' ? agentText(providers.get(work.provider)) : null;
    return files.latest(key, most, said);
  }

  has(key: ProcessKey): boolean {
    const text = keyText(key);
    return this.#running.has(text) || this.#checkouts.busy.has(text) || this.roles.has(key);
  }

  /**
   * Makes the running processes match the wanted ones, and then the messages in the mail. Call it
   * only after a flush. Throws `E_DISK` for the mail; the next call tries again.
   */
  steer(processes: readonly Process[]): void {
    const own = byKey(processes.filter((process) => !isRoleStep(process)));
    this.away.flushed();
    this.waits.keep(byKey(processes));
    this.#checkouts.steer(own);
    this.#running.steer(own, ({ key }) => this.#start(key));
    for (const [key, conclude] of this.#late)
      if (this.#running.isStopping(key) || this.waits.mayTry(key)) conclude();
    this.roles.steer(processes.filter(isRoleStep));
  }

  /** Starts those that do not run yet. */
  start(processes: readonly Process[]): void {
    this.#running.startMissing(byKey(processes), ({ key }) => this.#start(key));
  }

  #start(key: ProcessKey): void {
    const text = keyText(key);
    if (this.#checkouts.busy.has(text) || !this.waits.mayTry(text)) return;
    const launch = launchOf(this.#ledger.state, this.#rules, key);
    this.#guard(launch, () => {
      this.#refuseBranch();
      const isInGit = launch.check === null && (launch.checkout !== undefined || launch.work.kind === 'land');
      if (!isInGit) return this.#run(launch, null);
      this.#checkouts.begin(text, launch, (begun) => this.#guard(launch, () => this.#follow(launch, begun)));
    });
  }

  #follow(launch: Launch, begun: Begun): void {
    if (begun.is === 'held') return this.#hold(keyText(launch.key), begun.problem);
    if (begun.is === 'over') this.#ledger.record([{ type: 'ended', key: launch.key, result: begun.result }]);
    else this.#run(withConflict(launch, begun.conflict), begun.commit);
  }

  /** No process starts on a branch that the workflow must not work on. */
  #refuseBranch(): void {
    const { branch } = this.#rules.workflow;
    if (branch === undefined || !isBranchFixed(branch, this.#ledger.state)) return;
    const problem = branchProblem(branch, this.#ports.branch());
    if (problem !== null) throw new MailroomError(problem.code, problem.text);
  }

  #run(resolved: Launch, entered: string | null): void {
    const { files, providers, project, runner } = this.#ports;
    const launch = withLogs(resolved, this.#ports);
    const prepared = files.prepare(launch);
    const { work, on } = launch;
    const prompt = promptOf(launch, prepared);
    if (prompt !== null) files.note(launch.key, 'prompt.md', prompt);
    const key = keyText(launch.key);
    this.#letters.note(launch, prepared);
    if (on !== undefined) return this.#send(key, launch, prepared, { prompt, entered });
    const given = this.#ports.variables(launch.secrets);
    const agent = work.kind === 'agent' ? work.provider : null;
    const context = { project, secrets: withAlias(agent, given, (names) => this.#ports.variables(names)) };
    const invocation = prompt === null ? null : invocationOf(launch, prepared, prompt, context);
    const command = commandOf(launch, prepared, invocation, providers, context);
    if (typeof command === 'string') throw new MailroomError('E_PROVIDER', command);
    const { workspace, folder, stdout, stderr } = prepared;
    this.#running.set(key, { launch, prepared, invocation, entered });
    this.#permissions.begin(key, launch, workspace);
    runner.start({
      key,
      kind: work.kind === 'agent' ? 'agent' : 'program',
      provider: work.kind === 'agent' ? work.provider : null,
      capabilities: 'capabilities' in work ? work.capabilities : null,
      owed: owedPaths(launch, prepared),
      command,
      network: launch.network,
      mayConfigure: invocation?.mayConfigure ?? false,
      workspace,
      folder,
      writable: [folder],
      guarded: Object.keys(command.files).map((name) => join(folder, name)),
      stdout,
      stderr,
      totalMs: launch.timeout,
      idleMs: launch.stall?.after ?? null,
      graceMs: launch.grace,
      watched: this.#permissions.watches(launch) ? [workspace] : [],
    });
  }

  /** Sends a step to the workers of other hosts, whose secrets are their own. */
  #send(
    key: string,
    launch: Launch,
    prepared: Prepared,
    { prompt, entered }: { readonly prompt: string | null; readonly entered: string | null },
  ): void {
    const invocation = prompt === null ? null : invocationAway(this.#ports.project, launch, prepared, prompt);
    this.#running.set(key, { launch, prepared, invocation, entered });
    this.#permissions.begin(key, launch, prepared.workspace);
    this.away.start({ key, launch, prepared, invocation, watched: this.#permissions.watches(launch) });
  }

  /** The job of a step is known. Call `look` afterwards. */
  launched(key: string, queued: Queued): void {
    const running = this.#running.get(key);
    if (running !== undefined && !this.#running.isStopping(key))
      this.away.launched(key, running.launch, queued);
  }

  /** A worker has begun a step, or (null) none has it now. */
  assigned(key: string, worker: Assigned | null): void {
    const running = this.#running.get(key);
    if (running !== undefined) this.away.assigned(key, running.launch, worker);
  }

  /**
   * Receives the exit of a process from the runner. `reported`: what another host says of it; null:
   * it ran here. Call `look` afterwards.
   */
  ended(key: string, exit: Exit, changed: Changed = new Map(), reported: Outcome | null = null): void {
    const running = this.#running.get(key);
    if (!running) return;
    const { launch, prepared } = running;
    if (launch.on !== undefined) this.away.over(key);
    const changes = changed.get(prepared.workspace) ?? null;
    const over = {
      ...running,
      exit,
      reported,
      looked: this.#permissions.end(key, launch, prepared, changes),
    };
    const leaves = running.entered !== null && isDone(exit, this.results.outcome(over));
    if (this.#running.isStopping(key) || !(measured(launch) || leaves))
      return this.#conclude(over, nothingLeft);
    void this.#leave(over);
  }

  /** The machine could not start a process: it waits, as no attempt has begun. */
  held(key: string, problem: string): void {
    const running = this.#running.get(key);
    if (!running) return;
    const { launch, prepared } = running;
    const isStopping = this.#running.isStopping(key);
    this.#permissions.end(key, launch, prepared, null);
    this.#running.delete(key);
    if (!isStopping) this.#hold(key, problem);
  }

  /** A process has ended, and the machine prevents reading what it left: its step waits. */
  unread(key: string, problem: string): void {
    if (this.#running.has(key)) this.waits.hold(key, unreadBecause(problem));
  }

  #hold(key: string, problem: string): void {
    this.waits.hold(key, heldBecause(problem));
  }

  /** The key is released only when its changes are measured, for a verdict, and committed. */
  async #leave(over: Over): Promise<void> {
    const key = keyText(over.launch.key);
    const unread = (problem: string) => this.#ports.report(() => this.unread(key, problem));
    const isStopped = () => this.#running.isStopping(key);
    try {
      const left = await onceRepaired(() => this.results.left(over), { unread, isStopped });
      this.#ports.report(() => this.#conclude(over, left));
    } catch (error) {
      this.#ports.report(() => {
        if (!isStopped()) throw error;
        this.#conclude(over, nothingLeft);
      });
    }
  }

  /** Records an end; a fault of the machine that prevents reading it delays that. */
  #conclude(over: Over, left: Left): void {
    const { key } = over.launch;
    const text = keyText(key);
    this.#late.delete(text);
    if (this.#running.isStopping(text)) this.results.hideValues(key);
    else if (
      !this.#guard(
        over.launch,
        () => this.#record(over, left),
        (problem) => this.unread(text, problem),
      )
    ) {
      this.#late.set(text, () => this.#conclude(over, left));
      return;
    }
    this.waits.forget(text);
    this.#running.delete(text);
  }

  #record(over: Over, { changed, worked }: Left): void {
    const { launch, invocation, exit, looked } = over;
    const outcome = this.results.outcome(over);
    if (outcome !== null && invocation !== null) this.#ports.recorded?.(invocation, outcome, exit);
    if (launch.check === null) {
      const result = this.results.withCommit(
        launch,
        withLooked(this.results.work(over, outcome), looked),
        worked,
      );
      this.#ledger.record([{ type: 'ended', key: launch.key, result }]);
      return;
    }
    const collected = this.#ports.files.collect(launch, false);
    const { result: read, verdict } = readCheck(launch, { exit, outcome, collected, changed });
    const result = withLooked(read, looked);
    if (collected.values !== null) this.#ports.files.hideValues(launch.key);
    this.#ledger.record([{ type: 'checked', key: launch.key, result, verdict }]);
  }

  /**
   * A fault of the machine holds a process, and `held` receives it. Another problem of the host
   * ends the run: a path out of its root, a disk error, a missing workspace. False: it is held.
   */
  #guard(
    launch: Launch,
    act: () => void,
    held = (problem: string) => this.#notBegun(launch, problem),
  ): boolean {
    try {
      act();
    } catch (error) {
      const known = error instanceof MailroomError && error.code !== 'E_INTERNAL';
      if (!known && !isUnforeseen(error)) throw error;
      if (isHostFault(error)) {
        held(error.message);
        return false;
      }
      const reason: Reason = { code: codeOf(error), text: error.message };
      const result = failedResult(ofTheStep.includes(reason.code) ? 'NON_RETRYABLE' : 'FATAL', reason);
      const { key, check } = launch;
      if (check === null) this.#ledger.record([{ type: 'ended', key, result }]);
      else
        this.#ledger.record([{ type: 'checked', key, result, verdict: { is: 'none', reason, final: true } }]);
    }
    return true;
  }

  #notBegun({ key }: Launch, problem: string): void {
    this.#running.delete(keyText(key));
    this.#hold(keyText(key), problem);
  }

  /**
   * Records that running processes are stopped on purpose; they start again, uncounted. Those on
   * workers continue.
   */
  putBack(): void {
    const launches = [...this.#running.values()]
      .map(({ launch }) => launch)
      .filter((launch) => !this.away.isLaunched(launch));
    for (const { key } of [...this.#checkouts.busy.values(), ...launches])
      this.#ledger.record([{ type: 'put-back', key }]);
  }

  /** Stops everything at once. */
  stopAll(): void {
    this.#checkouts.busy.stopAll();
    this.#running.stopAll();
    for (const conclude of this.#late.values()) conclude();
  }
}
