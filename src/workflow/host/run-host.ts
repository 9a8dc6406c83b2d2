import type { Changed } from '../../kernel/edits.ts';
import { MailroomError } from '../../kernel/errors.ts';
import { earliest } from '../../kernel/times.ts';
import { decide, type Decision } from '../machine/decide.ts';
import { noSlots, type Slots } from '../machine/decide/context.ts';
import type { Fact, RunStart, Happening, RunEvent } from '../machine/event.ts';
import { isIn } from '../machine/fold/steps.ts';
import { compile, type BodyRule, type Rules } from '../machine/rules.ts';
import type { Workflow } from '../model.ts';
import type { RunState } from '../machine/state.ts';
import { settledBy } from '../machine/view.ts';
import { DiskGuard } from '../../disk/disk-guard.ts';
import type { Host, LookResult } from '../../host/loop.ts';
import { shareParking } from '../../host/parking.ts';
import type { SlotUser } from '../../host/slots.ts';
import { RunCommands } from './commands.ts';
import { DeadLetters } from './dead-letters.ts';
import { openRunLedger, type RunLedger } from './ledger.ts';
import { RunNotices } from './notices.ts';
import { Hooks } from './hooks.ts';
import type { Hook } from '../automation.ts';
import { RunProjector } from './projector.ts';
import { recordedEvent } from './recorded-event.ts';
import type { RunPorts, RunObserver } from './ports.ts';
import { Rollback } from './rollback.ts';
import { isRoleStep } from './role-steps.ts';
import { isAgent, needsNoSync } from './processes.ts';
import { Workers } from './workers.ts';
import type { Exit, Outcome } from '../../providers/provider.ts';
import type { Assigned, Queued } from '../../kernel/launched.ts';
import type { HeldWork } from '../../kernel/why.ts';
import type { Idle } from '../../host/idle.ts';

export interface RunHostOptions {
  /** The machine's limit of concurrent agents of the run. */
  readonly slots: number;
  /** The shared slots; absent: nothing else runs in this process. */
  readonly shared?: SlotUser;
  /** Called with events that have become durable. */
  watch(events: readonly RunEvent[], state: RunState): void;
}

/**
 * The host of one run. Level-triggered like the mail host: it may be woken at any time. Every
 * method is synchronous; an `E_DISK` of the journal is fatal and ends the host.
 */
export class RunHost implements Host {
  readonly #ports: RunPorts;
  readonly #options: RunHostOptions;
  readonly #rules: Rules;
  readonly ledger: RunLedger;
  readonly #disk = new DiskGuard();
  readonly #commands: RunCommands;
  readonly #workers: Workers;
  readonly #projector: RunProjector;
  readonly #observers: readonly RunObserver[];
  readonly #letters: DeadLetters;
  readonly #hooks: Hooks;
  readonly #notices: RunNotices;
  readonly #rollback: Rollback;
  /** Whether any step can wait for a provider. */
  readonly #parks: boolean;
  /** Hooks that start once that is durable. */
  readonly #taken: Hook[] = [];
  #decision: Decision = { facts: [], processes: [], looks: [], wake: null };
  /** Starts nothing new. */
  #held = false;
  /** Whether the control folder could be read at the last scan. */
  #commandsReadable = true;
  /** The last problem that was reported. */
  #reportedProblem: string | null = null;

  constructor(ports: RunPorts, workflow: Workflow, options: RunHostOptions) {
    this.#ports = ports;
    this.#options = options;
    this.#rules = compile(workflow);
    this.#parks = [...this.#rules.bodies.values()].some(usesProviders);
    const fit = (event: Fact | Happening) => recordedEvent(event, this.state, this.#rules, ports);
    this.ledger = openRunLedger(ports.journal, ports.clock, fit);
    const report = (problem: string) => this.#disk.report(problem);
    this.#commands = new RunCommands(this.ledger, this.#rules, ports.control, report);
    this.#letters = new DeadLetters(ports, this.#disk);
    this.#workers = new Workers(this.ledger, this.#rules, ports, this.#letters);
    this.#projector = new RunProjector(ports, this.#rules, this.#disk);
    this.#observers = (ports.observers ?? []).map((observing) => observing(this.#rules, this.#disk));
    this.#hooks = new Hooks(this.ledger, this.#rules, ports);
    this.#notices = new RunNotices(this.ledger, this.#rules, ports);
    this.#rollback = new Rollback(this.ledger, this.#rules, ports);
  }

  get state(): RunState {
    return this.ledger.state;
  }

  get rules(): Rules {
    return this.#rules;
  }

  /** Receives the exit of a process from the runner; call `look` afterwards. */
  ended(key: string, exit: Exit, changed?: Changed): void {
    if (!this.#hooks.ended(key, exit)) this.#workers.ended(key, exit, changed);
  }

  /** The machine could not start a process; call `look` afterwards. */
  held(key: string, problem: string): void {
    if (!this.#hooks.held(key, problem)) this.#workers.held(key, problem);
  }

  /** Receives what another host says of a step's process; call `look` afterwards. */
  get away() {
    const workers = this.#workers;
    return {
      launched: (key: string, queued: Queued) => workers.launched(key, queued),
      assigned: (key: string, worker: Assigned | null) => workers.assigned(key, worker),
      ended: (key: string, outcome: Outcome, exit: Exit, changed?: Changed) =>
        workers.ended(key, exit, changed, outcome),
    };
  }

  get workers(): Workers {
    return this.#workers;
  }

  get cut(): string | null {
    return this.ledger.cut;
  }

  /** Processes that should be running now, without those of roles. */
  get desired(): number {
    return this.#decision.processes.filter((process) => !isRoleStep(process)).length;
  }

  /** Whether a role must do a step of the run now. */
  get wantsMail(): boolean {
    return this.#decision.processes.some(isRoleStep);
  }

  get running(): number {
    return this.#workers.running + this.#hooks.running;
  }

  /**
   * Disk errors of the last look, apart from the journal, and what keeps processes from starting;
   * null: none.
   */
  get problem(): string | null {
    return this.#disk.problem ?? this.#workers.waits.problem ?? this.#hooks.waits.problem;
  }

  /** The steps that wait until this machine can do what they need. */
  get heldSteps(): readonly HeldWork[] {
    return this.#workers.heldSteps;
  }

  /** `wishes`: what was asked of it while it waited to begin. */
  begin(given: RunStart, wishes: readonly Happening[] = []): void {
    this.ledger.record([{ type: 'began', given }, ...wishes]);
    this.#flush();
  }

  /**
   * Continues a run, with a person's requests; processes that ran when its last host ended start
   * again.
   */
  resume(by: 'person' | 'up', wishes: readonly Happening[] = []): void {
    const wanted = new Set(wishes.flatMap((wish) => ('command' in wish ? (wish.command ?? []) : [])));
    if (this.state.endedAt !== null) this.#disk.succeeds(() => this.#commands.refuseLate(wanted));
    this.#workers.results.hideLeft();
    this.ledger.record([{ type: 'resumed', by }, ...wishes]);
    this.#hooks.resume();
    this.#workers.away.clean();
    this.#flush();
    // The last host may have died between the journal and the folders.
    this.#projector.projectAll(this.ledger.state);
  }

  /**
   * On the next look does what remains of an ended run, without starting steps. False: nothing
   * remains, and all is projected.
   */
  finish(): boolean {
    this.#workers.results.hideLeft();
    this.#rollback.retry();
    this.#hooks.resume();
    this.#projector.projectAll(this.ledger.state);
    this.flush();
    return this.idle() === 'busy';
  }

  /** All of a look at once, with the sync between. */
  look(scan = true): LookResult {
    this.record(scan);
    return this.carryOut();
  }

  record(scan: boolean): void {
    this.ledger.recordSuspension();
    if (scan) this.#disk.renew();
    if (this.#parks) this.#disk.succeeds(() => shareParking(this.ledger, this.#ports.parking));
    if (scan) this.#commandsReadable = this.#disk.succeeds(() => this.#commands.files.take());
    this.#disk.succeeds(() => this.#workers.roles.take());
    for (const problem of this.#workers.roles.problems()) this.#disk.report(problem);
    // While commands are unreadable, running processes continue and nothing new is decided.
    if (this.#commandsReadable) this.#decide();
    this.#reportSlots();
    this.#rollback.take();
    if (!this.#held) this.#taken.push(...this.#hooks.take());
    const written = this.ledger.write();
    if (!this.#commandsReadable) return;
    this.#workers.start(this.#decision.processes.filter(needsNoSync(written)));
  }

  /** Reports its agents to the others in this process. */
  #reportSlots(): void {
    const agents = this.#decision.processes.filter(isAgent);
    const { given, steps } = this.state;
    const step = steps.get(agents[0]?.key.path ?? '');
    const first = isIn(step, 'running', 'checking') && given !== null ? step : null;
    this.#options.shared?.uses(
      Math.max(agents.length, this.#workers.agents),
      first && { record: `${given?.run ?? ''}/${first.path}`, at: first.phase.since },
    );
  }

  carryOut(): LookResult {
    const wanted = this.#decision.processes;
    const events = this.#commit();
    if (this.running === 0) this.#rollback.start();
    for (const hook of this.#taken.splice(0)) this.#hooks.start(hook);
    this.#hooks.startHeld();
    this.#disk.succeeds(() => this.#notices.ofBudgets());
    this.#notices.ofGates();
    this.#disk.succeeds(() => this.#commands.files.release());
    // An older decision may want processes that have ended since.
    if (this.#commandsReadable) this.#disk.succeeds(() => this.#workers.steer(wanted));
    this.#draw(events);
    this.#reportProblem();
    const more = this.ledger.dirty;
    return { wake: this.#wake, more, settled: !more, blocked: false };
  }

  #reportProblem(): void {
    if (this.problem !== this.#reportedProblem) this.#options.watch([], this.ledger.state);
    this.#reportedProblem = this.problem;
  }

  /** A host that is held starts nothing, and so has nothing that it would not run. */
  get slots(): Slots {
    if (this.#held) return noSlots;
    const { slots, shared } = this.#options;
    return { agents: shared ? shared.allowance() : slots, processes: Infinity };
  }

  #decide(): void {
    this.ledger.recordDecided(() => {
      this.#decision = decide(this.ledger.state, this.#rules, this.ledger.now(), this.slots);
      const { facts, looks } = this.#decision;
      if (facts.some(({ type }) => type === 'closed')) {
        // An ended run has no host: its messages are withdrawn first. Null: they cannot be listed.
        const left = this.#disk.attempt(() => this.#workers.hasMail, null);
        if (left !== false) {
          const wake = left === null ? null : this.ledger.now();
          this.#decision = { facts: [], processes: [], looks: [], wake };
          return [];
        }
      }
      return facts.length > 0 ? facts : looks.map((look) => this.#lookFor(look));
    });
  }

  /** Answers a question about files, for a step that waits for it. */
  #lookFor({ path, asks, file }: Decision['looks'][number]): Happening {
    const looked = { type: 'looked', path, asks, file } as const;
    const { files } = this.#ports;
    try {
      return {
        ...looked,
        answer: asks === 'glob' ? files.matching(file) : files.streams.exists(file),
        problem: null,
      };
    } catch (error) {
      if (!(error instanceof MailroomError)) throw error;
      return { ...looked, answer: false, problem: { code: error.code, text: error.message } };
    }
  }

  #flush(): void {
    this.#draw(this.#commit());
  }

  /** Makes recorded events durable, with the files that the next steps rely on. */
  #commit(): readonly RunEvent[] {
    const events = this.ledger.flush();
    if (events.length === 0) {
      this.#observe(events);
      return events;
    }
    const settled = events.flatMap(settledBy);
    for (const path of settled) this.#projector.handOut(this.ledger.state, path);
    for (const path of settled) this.#letters.settled(this.ledger.state, path);
    this.#observe(events);
    this.#options.watch(events, this.ledger.state);
    return events;
  }

  #observe(events: readonly RunEvent[]): void {
    const now = this.#ports.clock.now();
    for (const each of this.#observers) each.observe(this.ledger.state, events, now);
  }

  /** Durable events may be shown; no step waits for it. */
  #draw(events: readonly RunEvent[]): void {
    this.#projector.project(this.ledger.state, events);
  }

  /** When to look again, by the wall clock, for the machine or a projection. Null: never. */
  get #wake(): number | null {
    const { wake } = this.#decision;
    const now = this.#ports.clock.now();
    const shows = [this.#projector.due, ...this.#observers.map((each) => each.due(now))];
    return earliest([wake === null ? null : this.ledger.onWall(wake), ...shows]);
  }

  /** Starts nothing new; running processes continue. */
  hold(): void {
    this.#held = true;
  }

  /** Stops on purpose: running processes are put back, uncounted, and ended. Do not look again. */
  stop(): void {
    this.#workers.putBack();
    // What is shown now stays until the processes have ended, which may take seconds.
    this.flush();
    this.stopAll();
  }

  stopAll(): void {
    this.#hooks.stop();
    this.#workers.stopAll();
  }

  flush(): void {
    this.#flush();
    this.#projector.finish(this.ledger.state);
    const now = this.#ports.clock.now();
    for (const each of this.#observers) each.finish(this.ledger.state, now);
  }

  /**
   * Waits for what is written in the background, and shows all that is left; what the disk refuses
   * now stays refused.
   */
  async finished(): Promise<void> {
    await Promise.all([this.#letters.finished(), this.#rollback.finished()]);
    this.flush();
    this.#reportProblem();
  }

  idle(): Idle {
    const isThrough = this.running === 0 && this.#hooks.left === 0 && !this.#rollback.isOpen;
    const over = this.state.endedAt !== null && isThrough;
    return over ? 'done' : 'busy';
  }
}

function usesProviders({ steps }: BodyRule): boolean {
  return [...steps.values()].some(
    ({ provider, checkProvider }) => provider !== null || checkProvider !== null,
  );
}
