import { join } from 'node:path';
import type { Changed } from '../../kernel/edits.ts';
import type { Worked } from '../../kernel/work.ts';
import { MailroomError, type ErrorCode, type Reason } from '../../kernel/errors.ts';
import type { Process } from '../machine/decide.ts';
import { isHostFault } from '../../kernel/passing.ts';
import { heldBecause, HostWaits } from '../../host/host-waits.ts';
import type { StepPath, ProcessKey } from '../machine/event.ts';
import type { Launch, Prepared } from '../machine/launch.ts';
import { failedResult, readCheck } from '../machine/outcome.ts';
import { isIn } from '../machine/fold/steps.ts';
import { Checkouts, type Begun } from './checkouts.ts';
import { branchProblem, isBranchFixed } from '../machine/branch.ts';
import { keyOf, launchOf } from '../machine/resolve.ts';
import type { Rules } from '../machine/rules.ts';
import { agentText } from '../../host/latest-output.ts';
import { ProcessTable } from '../../host/process-table.ts';
import { codeOf, isUnforeseen, orElse } from '../../kernel/contained.ts';
import { AwaySteps, invocationAway } from './away-steps.ts';
import { commandOf, invocationOf, owedPaths } from './command-line.ts';
import { byKey, keyText, measured, promptOf, withConflict } from './processes.ts';
import type { DeadLetters } from './dead-letters.ts';
import type { RunLedger } from './ledger.ts';
import type { RunPorts } from './ports.ts';
import type { HeldWork } from '../../kernel/why.ts';
import { isDone, StepResults, type Over, type Running } from './step-results.ts';
import { withAlias } from './secrets.ts';
import type { Assigned, Queued } from '../../kernel/launched.ts';
import { isRoleStep, RoleSteps } from './role-steps.ts';
import { StepPermissions, withLooked } from './step-permissions.ts';
import type { Exit, Outcome } from '../../providers/provider.ts';

/** What was found and committed after the end of a worker. */
interface Left {
  readonly changed: readonly string[] | string;
  /** Null: it has no checkout, or failed. */
  readonly worked: Worked | null;
}

/** Host errors caused by the definition or by the worker's files: failures of the step. */
const ofTheStep: readonly ErrorCode[] = ['E_PROVIDER', 'E_STEP', 'E_INTERNAL'];

/** Maximum number of characters from the end of a log for an agent. */
const logCharacters = 8 * 1024;

/** Starts and stops the processes of a run as decided, and records their results. */
export class Workers {
  readonly #ledger: RunLedger;
  readonly #rules: Rules;
  readonly #ports: RunPorts;
  readonly #letters: DeadLetters;
  readonly #roles: RoleSteps;
  readonly #running: ProcessTable<Running>;
  readonly #permissions: StepPermissions;
  readonly #checkouts: Checkouts;
  readonly #away: AwaySteps;
  readonly #results: StepResults;
  /** Processes that the machine could not start. */
  readonly waits: HostWaits;

  constructor(ledger: RunLedger, rules: Rules, ports: RunPorts, letters: DeadLetters) {
    this.#letters = letters;
    this.#permissions = new StepPermissions(ports.project, rules.workflow.contextDir);
    this.#ledger = ledger;
    this.#rules = rules;
    this.#ports = ports;
    this.#checkouts = new Checkouts(ports);
    this.#away = new AwaySteps(ledger, ports);
    this.#results = new StepResults(ledger, ports);
    this.waits = new HostWaits(() => ports.clock.elapsed?.() ?? ports.clock.now());
    this.#running = new ProcessTable({
      stop: (key) => (this.#isAway(key) ? this.#away.stop(key) : ports.runner.stop(key)),
      leave: (key) => (this.#isAway(key) ? this.#away.leave(key) : ports.runner.stop(key)),
    });
    this.#roles = new RoleSteps(ledger, ports, rules.workflow, {
      launchOf: (key) => launchOf(ledger.state, rules, key),
      guard: (launch, act) => this.#guard(launch, act),
      note: (launch, prepared) => letters.note(launch, prepared),
    });
  }

  /** Reads what arrived by mail. */
  take(): void {
    this.#roles.take();
  }

  /** Mail that was put aside since the last call. */
  problems(): string[] {
    return this.#roles.problems();
  }

  /** Whether the run has messages in the mail, wanted or not. Throws `E_DISK`. */
  get hasMail(): boolean {
    return this.#roles.left;
  }

  get running(): number {
    return this.#running.size + this.#checkouts.size;
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
    return this.#running.has(text) || this.#checkouts.has(text) || this.#roles.has(key);
  }

  /**
   * Makes the running processes match the wanted ones, and then the messages in the mail. Call it
   * only after a flush. Throws `E_DISK` for the mail; the next call tries again.
   */
  steer(processes: readonly Process[]): void {
    const own = byKey(processes.filter((process) => !isRoleStep(process)));
    this.#away.flushed();
    this.waits.keep(own);
    this.#checkouts.steer(own);
    this.#running.steer(own, ({ key }) => this.#start(key));
    this.#roles.steer(processes.filter(isRoleStep));
  }

  /** Starts those that do not run yet. */
  start(processes: readonly Process[]): void {
    this.#running.startMissing(byKey(processes), ({ key }) => this.#start(key));
  }

  #start(key: ProcessKey): void {
    const text = keyText(key);
    if (this.#checkouts.has(text) || !this.waits.mayTry(text)) return;
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

  /** Reads earlier processes' logs only now, when needed. */
  #withLogs(launch: Launch): Launch {
    if (!launch.promptInputs.some(({ log }) => log !== null)) return launch;
    const { files, providers } = this.#ports;
    const promptInputs = launch.promptInputs.map((taken) => {
      if (taken.log === null) return taken;
      const { key, provider } = taken.log;
      const said = providers.get(provider ?? '')?.said ?? ((printed: string) => printed);
      return { ...taken, value: files.tail(key, logCharacters, said) };
    });
    return { ...launch, promptInputs };
  }

  #run(resolved: Launch, entered: string | null): void {
    const { files, providers, project, runner } = this.#ports;
    const launch = this.#withLogs(resolved);
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
    this.#running.add(key, { launch, prepared, invocation, entered });
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
    this.#running.add(key, { launch, prepared, invocation, entered });
    this.#permissions.begin(key, launch, prepared.workspace);
    this.#away.start({ key, launch, prepared, invocation, watched: this.#permissions.watches(launch) });
  }

  /** The job of a step is known. Call `look` afterwards. */
  launched(key: string, queued: Queued): void {
    const running = this.#running.get(key);
    if (running !== undefined && !this.#running.isStopping(key))
      this.#away.launched(key, running.launch, queued);
  }

  /** A worker has begun a step, or (null) none has it now. */
  assigned(key: string, worker: Assigned | null): void {
    const running = this.#running.get(key);
    if (running !== undefined) this.#away.assigned(key, running.launch, worker);
  }

  /**
   * Receives the exit of a process from the runner. `reported`: what another host says of it; null:
   * it ran here. Call `look` afterwards.
   */
  ended(key: string, exit: Exit, changed: Changed = new Map(), reported: Outcome | null = null): void {
    const running = this.#running.get(key);
    if (!running) return;
    this.waits.forget(key);
    const { launch, prepared } = running;
    if (launch.on !== undefined) this.#away.over(key);
    const changes = changed.get(prepared.workspace) ?? null;
    const over = {
      ...running,
      exit,
      reported,
      looked: this.#permissions.end(key, launch, prepared, changes),
    };
    const leaves = running.entered !== null && isDone(exit, this.#results.outcome(over));
    if (this.#running.isStopping(key) || !(measured(launch) || leaves)) {
      this.#conclude(over, { changed: [], worked: null });
      this.#running.forget(key);
      return;
    }
    void this.#leave(over);
  }

  /** The machine could not start a process: it waits, as no attempt has begun. */
  held(key: string, problem: string): void {
    const running = this.#running.get(key);
    if (!running) return;
    const { launch, prepared } = running;
    const isStopping = this.#running.isStopping(key);
    this.#permissions.end(key, launch, prepared, null);
    this.#running.forget(key);
    if (!isStopping) this.#hold(key, problem);
  }

  #hold(key: string, problem: string): void {
    this.waits.hold(key, heldBecause(problem));
  }

  /** The key is released only when its changes are measured, for a verdict, and committed. */
  async #leave(over: Over): Promise<void> {
    const { launch, prepared, entered } = over;
    const left: Left = {
      changed: measured(launch) ? await this.#ports.changed(launch, prepared.workspace) : [],
      worked:
        launch.checkout === undefined || entered === null
          ? null
          : await this.#ports.git.leave(launch, launch.checkout, entered),
    };
    this.#ports.report(() => {
      this.#conclude(over, left);
      this.#running.forget(keyText(launch.key));
    });
  }

  #conclude(over: Over, { changed, worked }: Left): void {
    const { launch, invocation, exit, looked } = over;
    if (this.#running.isStopping(keyText(launch.key))) return this.#hideValues(launch.key);
    this.#guard(launch, () => {
      const outcome = this.#results.outcome(over);
      if (outcome !== null && invocation !== null) this.#ports.recorded?.(invocation, outcome, exit);
      if (launch.check === null) {
        const result = this.#results.withCommit(
          launch,
          withLooked(this.#results.work(over, outcome), looked),
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
    });
  }

  /**
   * Masks files left by workers of an earlier host. Call it after the sweep; roles may still work.
   */
  hideLeft(): void {
    const { active, steps } = this.#ledger.state;
    const posted = [...active].flatMap((path) => {
      const run = steps.get(path);
      return isIn(run, 'running') && run.phase.posted ? (keyOf(run) ?? []) : [];
    });
    orElse(() => this.#ports.files.hideAllValues(posted), undefined);
  }

  /** Values of a stopped process are never read, so a disk error here fails nothing. */
  #hideValues(key: ProcessKey): void {
    orElse(() => this.#ports.files.hideValues(key), undefined);
  }

  /**
   * A fault of the machine holds a process. Another problem of the host ends the run: a path out of
   * its root, a disk error, a missing workspace.
   */
  #guard(launch: Launch, act: () => void): void {
    try {
      act();
    } catch (error) {
      const known = error instanceof MailroomError && error.code !== 'E_INTERNAL';
      if (!known && !isUnforeseen(error)) throw error;
      const text = keyText(launch.key);
      if (isHostFault(error) && !this.#running.has(text)) return this.#hold(text, error.message);
      const reason: Reason = { code: codeOf(error), text: error.message };
      const result = failedResult(ofTheStep.includes(reason.code) ? 'NON_RETRYABLE' : 'FATAL', reason);
      const { key, check } = launch;
      if (check === null) this.#ledger.record([{ type: 'ended', key, result }]);
      else
        this.#ledger.record([{ type: 'checked', key, result, verdict: { is: 'none', reason, final: true } }]);
    }
  }

  /** Removes what earlier hosts have left in the queue of workers, and no step needs. */
  clean(): void {
    this.#away.clean();
  }

  /**
   * Records that running processes are stopped on purpose; they start again, uncounted. Those on
   * workers continue.
   */
  putBack(): void {
    const launches = [...this.#running.values()]
      .map(({ launch }) => launch)
      .filter((launch) => !this.#away.isLaunched(launch));
    for (const { key } of [...this.#checkouts.launches, ...launches])
      this.#ledger.record([{ type: 'put-back', key }]);
  }

  /** Stops everything at once. */
  stopAll(): void {
    this.#checkouts.stopAll();
    this.#running.stopAll();
  }
}
