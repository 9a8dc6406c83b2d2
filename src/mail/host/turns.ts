import { turnOf, type Decision, type Process } from '../machine/decide.ts';
import type { Fact } from '../machine/event.ts';
import { metBy } from '../machine/rules/outcomes.ts';
import { fileName } from '../format/message.ts';
import { prompt, standingOrders } from '../machine/prompt.ts';
import { decidedCalls } from '../machine/rules/questions.ts';
import { type Role, providersOf } from '../format/protocol.ts';
import { ordersMark } from '../mailboxes/turn-folders.ts';
import { staysIgnored } from '../../kernel/work.ts';
import { mayChange } from '../../kernel/permissions.ts';
import type { Turn } from '../machine/state.ts';
import { owedSteps } from '../machine/step.ts';
import { formatMessage } from '../format/read-message.ts';
import { failedBy } from './collect.ts';
import { resumedSession } from './interrupted.ts';
import { Landings } from './landings.ts';
import { notifyHeld, notifyOnce } from './notices.ts';
import type { MailLedger } from './ledger.ts';
import type { MailOptions, MailPorts } from './ports.ts';
import { ProcessTable } from '../../host/process-table.ts';
import { heldBecause, HostWaits, unreadBecause } from '../../host/host-waits.ts';
import { isDenied } from '../../disk/disk.ts';
import { isHostFault } from '../../kernel/passing.ts';
import { isContained, orElse } from '../../kernel/contained.ts';
import type { RoleTexts } from './held-roles.ts';
import { Staging } from './staging.ts';
import { TurnResults } from './turn-results.ts';
import { TurnPermissions, type ChangesJudged } from './turn-permissions.ts';
import { placeOf, stepFiles, stepVariables } from './workspaces.ts';
import { messageOf } from '../../kernel/errors.ts';
import { isQueued, type Assigned, type TurnLaunch } from '../../kernel/launched.ts';
import type { Changed } from '../../kernel/edits.ts';
import type { Exit, Invocation, Outcome } from '../../providers/provider.ts';
import type { AgentJob, CheckReport } from '../../host/runner/runner.ts';

/** Starts and stops processes as decided, and records their results. */
export class Turns {
  readonly #ledger: MailLedger;
  readonly #ports: MailPorts;
  readonly #options: MailOptions;
  /** Null: the gates of a turn. */
  readonly #running: ProcessTable<Invocation | null>;
  /** The commits of other roles that running gates take into account. */
  readonly #met = new Map<string, readonly string[]>();
  /** What waits behind the launch barrier until the journal has it, or its worker. */
  readonly #ready = new Set<string>();
  /** Processes whose end is recorded, and durable at the next `steer`. */
  readonly #ended = new Set<string>();
  /** Ends that could not be read yet. */
  readonly #late = new Map<string, { readonly turn: string; readonly conclude: () => void }>();
  readonly #permissions: TurnPermissions;
  readonly #results: TurnResults;
  /** The landings of their work. */
  readonly landings: Landings;
  /** What they write outside of their staging folders. */
  readonly staging: Staging;
  readonly #texts: RoleTexts;
  /** Agents and gates that the machine could not start. */
  readonly waits: HostWaits;

  constructor(ledger: MailLedger, ports: MailPorts, options: MailOptions, texts: RoleTexts) {
    this.#texts = texts;
    this.waits = new HostWaits(() => ports.clock.elapsed?.() ?? ports.clock.now());
    this.#ledger = ledger;
    this.#ports = ports;
    this.#running = new ProcessTable(ports.runner);
    this.#options = options;
    this.#permissions = new TurnPermissions(ports.project, (provider) => ports.verifies(provider));
    this.staging = new Staging(ports, (role) =>
      [...this.#running.values()].flatMap((one) => (one?.role === role ? [one] : [])),
    );
    this.#results = new TurnResults(ledger, ports, options, this.staging);
    this.landings = new Landings(ledger, ports, options.protocol, this.#permissions);
  }

  get running(): number {
    return this.#running.size + this.landings.running;
  }

  /** Starts and stops processes to match what should run. Call it only after a flush. */
  steer({ processes, landings }: Pick<Decision, 'processes' | 'landings'>): void {
    this.landings.steer(landings);
    for (const key of this.#ended) this.#ports.runner.forget(key);
    this.#ended.clear();
    const wanted = new Map(processes.map((process) => [process.key, process]));
    for (const key of this.#ready) if (wanted.has(key)) this.#ports.runner.release(key);
    this.#ready.clear();
    this.waits.keep(new Set(processes.map(({ turn }) => turn.id)));
    this.#running.steer(wanted, (process) => this.#start(process));
    for (const [key, { turn, conclude }] of this.#late)
      if (this.#running.isStopping(key) || this.waits.mayTry(turn)) conclude();
  }

  /** An error fails only that attempt, or those gates; a fault of the machine holds them. */
  #start(process: Process): void {
    const { key, turn } = process;
    const at = { turn: turn.id, attempt: turn.attempt, round: turn.round };
    if (this.#isBeingLeft(turn) || !this.waits.mayTry(turn.id)) return;
    try {
      if (process.kind === 'agent') this.#startAgent(key, turn);
      else this.#startChecks(process);
    } catch (error) {
      if (!isContained(error)) throw error;
      this.#running.delete(key);
      this.#permissions.overlaps.end(key);
      if (isHostFault(error) || isDenied(error)) return this.#hold(turn, error.message);
      const failed = failedBy(error, { usd: 0, tokens: 0 });
      this.#ledger.record([
        process.kind === 'agent'
          ? { type: 'attempt-failed', ...at, session: null, ...failed }
          : { type: 'checked', ...at, problems: [failed.reason.text], conflicts: false, left: null, met: [] },
      ]);
    }
  }

  /** The machine could not start a process: it waits, as no attempt has begun. */
  held(key: string, problem: string): void {
    const isStopping = this.#running.isStopping(key);
    this.#running.delete(key);
    this.#permissions.overlaps.end(key);
    this.#met.delete(key);
    const turn = turnOf(this.#ledger.state, key);
    if (isStopping || turn === undefined) return;
    const { id, attempt, round, phase } = turn;
    if (phase.is === 'active' && phase.launched !== null)
      this.#ledger.record([{ type: 'stopped', turn: id, attempt, round }]);
    this.#hold(turn, problem);
  }

  #hold({ id }: Turn, problem: string): void {
    this.#wait(id, heldBecause(problem));
  }

  #wait(turn: string, reason: string): void {
    const isFirst = this.waits.size === 0;
    this.waits.hold(turn, reason);
    if (isFirst) notifyHeld(this.#ledger, reason);
  }

  /** A process that is being stopped ends first in its role's checkout; its end causes a look. */
  #isBeingLeft(turn: Turn): boolean {
    const { protocol } = this.#options;
    const { workspace, entering } = placeOf(this.#ledger.state, protocol, this.#ports.project, turn);
    return entering !== undefined && this.#permissions.overlaps.isUsed(workspace);
  }

  #role(turn: Turn): Role | undefined {
    return this.#options.protocol.roles.get(turn.role);
  }

  /** The rest of a turn's timeout in milliseconds; null: unlimited. */
  #left(turn: Turn): number | null {
    const timeout = this.#role(turn)?.timeout ?? null;
    const since =
      turn.phase.is === 'active' || turn.phase.is === 'returned' ? turn.phase.since : this.#ledger.now();
    const used = this.#ledger.now() - since - this.waits.heldMs(turn.id);
    return timeout === null ? null : Math.max(1, timeout - Math.max(0, used));
  }

  #startAgent(key: string, turn: Turn): void {
    const role = this.#role(turn);
    if (!role) return;
    const text = this.#texts.of(role.name);
    if (text === null) {
      // The file became unreadable: the turn waits until it is readable, which is not a failure.
      const { id, attempt, round } = turn;
      this.#ledger.record([{ type: 'stopped', turn: id, attempt, round }]);
      return;
    }
    const job = this.#job(key, turn, role, text);
    const { invocation } = job;
    this.#running.set(key, invocation);
    this.#permissions.overlaps.begin(key, invocation.workspace, mayChange(invocation.capabilities));
    this.#ports.runner.start({ ...job, watched: this.#permissions.watched(job.provider, invocation) });
  }

  #job(key: string, turn: Turn, role: Role, roleText: string): AgentJob {
    const { state } = this.#ledger;
    const { protocol } = this.#options;
    const provider = providersOf(role).includes(turn.provider) ? turn.provider : role.provider;
    // A conversation stays on the host that had it.
    const canResume = role.on === undefined && this.#ports.providers.get(provider)?.sessions === true;
    const session = resumedSession(state, turn, role, canResume ? provider : null);
    const resumed = session !== null;
    const keepStaging = turn.round > 0 && resumed;
    const mails = turn.messages.flatMap((id) => state.mail.get(id)?.message ?? []);
    const files = mails.map((message) => ({ name: fileName(message), text: formatMessage(message) }));
    const { folders, project } = this.#ports;
    const standing = standingOrders(protocol, role.name, roleText);
    const orders = ordersMark(standing);
    const parts = { orders: session?.orders === orders ? '' : standing, resumed };
    const at = { turn: turn.id, attempt: turn.attempt, round: turn.round };
    const outbox = folders.outboxOf(turn.id, turn.attempt);
    const text = prompt(state, protocol, turn, { ...parts, outbox });
    const paths = folders.open(at, { prompt: text, messages: files, keepStaging });
    const { workspace, ...place } = placeOf(state, protocol, project, turn);
    return {
      key,
      provider,
      totalMs: this.#left(turn),
      idleMs: role.idleTimeout ?? this.#ports.providers.get(provider)?.idleMs ?? null,
      ...place,
      ...(role.on && stepFiles(owedSteps(state, turn.id))),
      keepsDifference: mayChange(role.capabilities),
      invocation: {
        role: role.name,
        thread: turn.thread,
        ...at,
        prompt: text,
        capabilities: role.capabilities,
        owed: [],
        network: role.network,
        maxSteps: null,
        maxCommandTime: null,
        // Another provider's program would not know the model.
        model: provider === role.provider ? role.model : null,
        variant: null,
        workspace,
        project,
        session,
        orders,
        budget: role.budget,
        paths,
        env: { ...role.env, ...stepVariables(state, turn) },
        tools: role.tools === true ? (this.#ports.tools ?? null) : null,
        mcp: role.mcp === undefined ? null : { own: role.mcp, servers: {} },
        mayConfigure: role.mayConfigure === true,
        asking: role.asks === undefined ? null : decidedCalls(turn),
      },
    };
  }

  #startChecks({ key, turn, checks, leaving, work }: Extract<Process, { kind: 'checks' }>): void {
    const { protocol } = this.#options;
    const { project, runner } = this.#ports;
    const { workspace } = placeOf(this.#ledger.state, protocol, project, turn);
    this.#running.set(key, null);
    this.#met.set(key, metBy({ leaving, work }));
    this.#permissions.overlaps.begin(key, workspace, true);
    runner.check({
      key,
      provider: turn.provider,
      network: this.#role(turn)?.network ?? true,
      checks,
      ...(leaving && { leaving }),
      ...(work && { work }),
      workspace,
      env: this.#role(turn)?.env ?? {},
      tree: this.#ledger.state.threads.get(turn.thread)?.tree ?? null,
      totalMs: this.#left(turn),
      folder: { turn: turn.id, attempt: turn.attempt },
    });
  }

  /** The process exists: it is released at the next look, once the journal has it. */
  ready(key: string, process: TurnLaunch, tree: string | null, entered: string | null = null): void {
    const invocation = this.#running.get(key);
    if (!invocation || this.#running.isStopping(key)) return;
    const { turn, attempt, round } = invocation;
    this.waits.forget(turn);
    this.#ledger.record([{ type: 'launched', turn, attempt, round, process, tree, entered }]);
    this.#ready.add(key);
  }

  /** Recorded once for each start on a worker, which may begin once the journal has it. */
  assigned(key: string, worker: Assigned | null): void {
    const { turn = '', attempt = 0, round = 0 } = this.#running.get(key) ?? {};
    const phase = this.#ledger.state.turns.get(turn)?.phase;
    if (phase?.is !== 'active') return;
    const isNew = phase.worker?.id !== worker?.id;
    if (isNew) this.#ledger.record([{ type: 'assigned', turn, attempt, round, worker }]);
    if (worker !== null) this.#ready.add(key);
  }

  ended(
    key: string,
    outcome: Outcome,
    exit: Exit,
    changed: Changed = new Map(),
    difference: string | null = null,
  ): void {
    const invocation = this.#running.get(key);
    if (!invocation) return;
    const { turn, attempt, round } = invocation;
    // For people only: a disk that refuses it harms no turn.
    if (difference !== null)
      orElse(() => this.#ports.folders.difference(turn, attempt, round, difference), undefined);
    const looked = this.#lookAt(key, invocation, changed);
    this.#conclude(key, turn, () => this.#results.facts(invocation, outcome, exit, looked));
  }

  /** Records an end; a fault of the machine that prevents reading it delays that. */
  #conclude(key: string, turn: string, read: () => Fact[]): void {
    let facts: readonly Fact[] = [];
    try {
      if (!this.#running.isStopping(key)) facts = read();
    } catch (error) {
      if (!isHostFault(error)) throw error;
      this.#late.set(key, { turn, conclude: () => this.#conclude(key, turn, read) });
      return this.unread(key, messageOf(error));
    }
    this.waits.forget(turn);
    this.#late.delete(key);
    this.#running.delete(key);
    this.#ledger.record(facts);
    this.#ended.add(key);
  }

  /** An agent has ended, and the machine prevents reading what it left: its turn waits. */
  unread(key: string, problem: string): void {
    const invocation = this.#running.get(key);
    if (invocation && !this.#running.isStopping(key)) this.#wait(invocation.turn, unreadBecause(problem));
  }

  #lookAt(key: string, { turn, workspace, capabilities }: Invocation, changed: Changed): ChangesJudged {
    const { state } = this.#ledger;
    const messages = (state.turns.get(turn)?.messages ?? []).flatMap(
      (id) => state.mail.get(id)?.message ?? [],
    );
    const worktree = this.#options.protocol.workspace.kind === 'worktree';
    return this.#permissions.end(key, changed, { workspace, capabilities, worktree, messages });
  }

  checked(key: string, report: CheckReport): void {
    const turn = turnOf(this.#ledger.state, key);
    try {
      this.#permissions.overlaps.end(key);
      if (!turn || this.#running.isStopping(key)) return;
      const { id, role, attempt, round } = turn;
      this.waits.forget(id);
      // First: what is checked again after a crash has left out nothing more.
      const notable = report.reports?.filter((text) => !text.startsWith(staysIgnored)) ?? [];
      for (const text of notable)
        notifyOnce(this.#ledger, [id, text], `Not all of the work of ${role} travels`, [
          `Turn ${id}: ${text}.`,
        ]);
      const met = this.#met.get(key) ?? [];
      this.#ledger.record([{ type: 'checked', turn: id, attempt, round, ...report, met }]);
      if (report.reports !== undefined) this.#ports.folders.report(id, attempt, round, report.reports);
    } finally {
      this.#met.delete(key);
      this.#running.delete(key);
    }
  }

  /** Running turns are stopped on purpose: they start again, without a failed attempt. */
  putBack(): void {
    for (const { id, attempt, round, phase } of this.#ledger.state.turns.values())
      if (phase.is === 'active' && !isQueued(phase.launched))
        this.#ledger.record([{ type: 'stopped', turn: id, attempt, round }]);
  }

  /** Kills all processes at once. */
  stopAll(): void {
    this.landings.stopAll();
    this.#running.stopAll();
    for (const { conclude } of this.#late.values()) conclude();
  }
}
