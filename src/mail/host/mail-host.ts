import { earliest } from '../../kernel/times.ts';
import { decide, type Decision } from '../machine/decide.ts';
import { causedBy } from '../machine/explain/words.ts';
import { copyKey } from '../machine/fold/places.ts';
import type { Fact } from '../machine/event.ts';
import type { Protocol } from '../format/protocol.ts';
import { openTurns, withoutSlots } from '../machine/rules/slots.ts';
import type { MailState } from '../machine/state.ts';
import { BudgetAlert } from '../../kernel/spent-budget.ts';
import { notifyDayOver, watchedBudgets } from './notices.ts';
import { Commands } from './commands.ts';
import { expectedNow, inboxText, namesOf, MailboxProjector, type Expected } from './project.ts';
import { failedThreads, idleOf } from './idle.ts';
import { incomingReader, waitingSteps } from './incoming.ts';
import type { ControlReader } from '../../host/control.ts';
import type { IncomingFile } from '../../letters/letters.ts';
import { CatchingUp, Intake, type Looked } from './intake.ts';
import { interruptedAttempts, usedByTurns } from './interrupted.ts';
import { openMailLedger, type MailLedger } from './ledger.ts';
import { listedOnce, type Listing } from './listing.ts';
import type { Host, LookResult } from '../../host/loop.ts';
import { shareParking } from '../../host/parking.ts';
import type { MailOptions, MailPorts } from './ports.ts';
import { MissingFiles } from './missing-files.ts';
import { MissingPrograms, RoleTexts, rolesWithWork } from './held-roles.ts';
import { DiskGuard } from '../../disk/disk-guard.ts';
import { compare } from './reconcile.ts';
import { Turns } from './turns.ts';
import type { RoleName, ThreadId } from '../../kernel/ids.ts';
import type { Failures, Idle } from '../../host/idle.ts';

/**
 * The mail host: accepts files, decides, records, and carries out the decisions. Level-triggered:
 * it may be asked to look at any time and any number of times. Every method is synchronous; an
 * `E_DISK` of the journal is fatal and ends the host.
 */
export class MailHost implements Host {
  readonly #ports: MailPorts;
  readonly #options: MailOptions;
  readonly ledger: MailLedger;
  readonly #expected: Expected;
  readonly #commands: Commands;
  /** Null: the project has no workflow runs. */
  readonly #incoming: ControlReader<IncomingFile> | null;
  readonly #intake: Intake;
  readonly #turns: Turns;
  readonly #projector: MailboxProjector;
  readonly #absences: MissingFiles;
  readonly #texts: RoleTexts;
  readonly #alert: BudgetAlert;
  readonly #programs: MissingPrograms;
  /** The protocol; with zero slots while nothing new may start. */
  #held: Protocol;
  /** Disk errors of the last scan and the looks since. */
  readonly #disk = new DiskGuard();
  readonly #failedThreads = new Set<ThreadId>();
  #refusedFiles = 0;
  /** Whether people's commands could be read. */
  #commandsReadable = true;
  /** What the last look at the mailboxes says of the next one. */
  #looked: Looked = { wake: null, more: false, watch: null };
  readonly #catchingUp: CatchingUp;
  #decision: Decision = { facts: [], processes: [], landings: [], wake: null };

  constructor(ports: MailPorts, options: MailOptions) {
    this.#ports = ports;
    this.#options = options;
    this.#held = options.protocol;
    const used = (fact: Fact, now: number) => usedByTurns(fact, this.state, ports, options, now);
    this.ledger = openMailLedger(ports, used);
    this.#alert = new BudgetAlert(options.protocol.limits.budgetAlert);
    this.#absences = new MissingFiles(() => ports.clock.elapsed?.() ?? ports.clock.now());
    this.#expected = expectedNow(this.ledger.state);
    this.#projector = new MailboxProjector(ports, options.protocol, this.#expected);
    this.#commands = new Commands(this.ledger, options.protocol, ports);
    this.#incoming = ports.runs ? incomingReader(this.ledger, options.protocol, ports.runs) : null;
    this.#catchingUp = new CatchingUp(options.elsewhere);
    this.#texts = new RoleTexts((role) => ports.roleText(role));
    this.#programs = new MissingPrograms(() => ports.missingProviders?.() ?? new Set());
    this.#turns = new Turns(this.ledger, ports, options, this.#texts);
    this.#intake = new Intake(this.ledger, ports, options.protocol, this.#expected, this.#turns.staging);
  }

  get state(): MailState {
    return this.ledger.state;
  }

  get desired(): number {
    // A landing that is blocked is only tried again.
    const landings = this.#decision.landings.filter(({ landing }) => landing.blocked === null);
    return this.#decision.processes.length - this.#turns.waits.size + landings.length;
  }

  get running(): number {
    return this.#turns.running;
  }

  /** Disk errors since the last scan, but the journal's, or what keeps processes from starting. */
  get problem(): string | null {
    return this.#disk.problem ?? this.#turns.waits.problem;
  }

  /** Why processes and complete files wait, in words. */
  get waits(): readonly string[] {
    return [this.#turns.waits.problem ?? [], this.#intake.waits].flat();
  }

  get fresh(): boolean {
    return this.ledger.fresh;
  }

  get cut(): string | null {
    return this.ledger.cut;
  }

  /** Continues where the last host ended. Call it once, before the first look. */
  start(): void {
    const { protocol, protocolHash, version, rebooted, lastRan = null } = this.#options;
    const off = lastRan !== null && { off: Math.max(0, Math.round(this.#ports.clock.now() - lastRan)) };
    const facts: Fact[] = [{ type: 'started', version, protocol: protocolHash, ...off }];
    const { state } = this.ledger;
    const interrupted = interruptedAttempts(state, this.#ports, this.#options, this.ledger.now());
    const ended = interrupted.flatMap(({ turn, attempt }) => {
      const role = state.turns.get(turn)?.role;
      return role === undefined ? [] : [{ turn, attempt, role }];
    });
    facts.push(...interrupted);
    this.ledger.record(facts);
    this.#disk.attempt(() => this.#turns.staging.keepLeft(ended, this.ledger), undefined);
    for (const role of protocol.roles.keys()) {
      if (rebooted === true) this.#disk.attempt(() => this.#projectInbox(role), undefined);
      this.#disk.attempt(() => this.#prepare(role), undefined);
    }
    this.#disk.attempt(
      () => this.#intake.refuseLeft(new Set(ended.map(({ role }) => role)), this.#disk),
      undefined,
    );
    // Must precede the projections: only they still show which refused files are known.
    this.#disk.attempt(() => this.#intake.recordAccepted(), undefined);
    this.flush();
    this.#project();
  }

  /** Creates missing folders, but no inbox that held waiting mail: `compare` must notice it. */
  #prepare(role: RoleName): void {
    const { mailboxes } = this.#ports;
    const isMissed = mailboxes.look(role, 'inbox', 1) === null && namesOf(this.#expected, role).size > 0;
    mailboxes.prepare(isMissed ? [] : [role]);
  }

  /** All of a look at once, with the sync between. */
  look(scan = true): LookResult {
    this.record(scan);
    return this.carryOut();
  }

  /**
   * Looks at commands, mailboxes and the time, decides and records. Without `scan` it skips the
   * mailboxes: enough after a process's report.
   */
  record(scan: boolean): void {
    if (this.ledger.recordSuspension()) this.#catchingUp.again();
    const names = scan ? [...this.#options.protocol.roles.keys()] : [];
    // Only a new scan can clear the errors of a scan.
    if (scan) this.#disk.renew();
    const disk = this.#disk;
    disk.attempt(() => shareParking(this.ledger, this.#ports.parking), undefined);
    const unpaused = disk.attempt(() => this.#commands.take(), null);
    this.#commandsReadable = unpaused !== null;
    disk.attempt(() => this.#incoming?.take(), undefined);
    for (const role of unpaused ?? []) disk.attempt(() => this.#restore(role), undefined);
    const list = listedOnce(this.#ports.mailboxes, this.#expected);
    // Once per listing: the rest of a burst of mail was compared when it was listed.
    const again = this.#compare(
      names.filter((role) => !this.#intake.hasLeft(role, 'inbox')),
      list,
    );
    const looked = this.#intake.look(names, disk, list);
    const more = looked.more || this.#commands.more;
    this.#looked = { ...looked, wake: earliest([looked.wake, again]), more };
    if (scan) this.#texts.look(this.state, this.#options.protocol, disk);
    if (scan) this.#programs.look(this.#options.protocol);
    this.#catchingUp.looked(scan, this.#looked, this.ledger.now());
    // While people's commands cannot be read, running turns continue, and nothing new is decided.
    if (this.#commandsReadable) this.#decide();
    notifyDayOver(this.ledger, this.#options.protocol);
    this.#alert.look(this.state.spent, () => watchedBudgets(this.ledger, this.#options.protocol.limits));
  }

  /** Projects, and starts and stops processes. */
  carryOut(): LookResult {
    const { wake, more, watch } = this.#looked;
    const disk = this.#disk;
    this.flush();
    // Before the projections, so that processes start up meanwhile. An older decision could want a
    // process that has ended since.
    if (this.#commandsReadable) this.#turns.steer(this.#decision);
    this.#project();
    disk.attempt(() => this.#commands.files.release(), undefined);
    this.#showRuns();
    const decided = this.#commandsReadable ? this.#decision.wake : null;
    const settled = wake === null && !more && this.ledger.state.pendingProjections.size === 0;
    return {
      wake: earliest([wake, watch, decided === null ? null : this.ledger.onWall(decided)]),
      more,
      settled: settled && this.problem === null,
      blocked: this.problem !== null && !more,
    };
  }

  /** Makes recorded events durable, then notifies the listeners for messages. */
  flush(): void {
    const events = this.ledger.flush();
    for (const thread of events.flatMap(failedThreads)) this.#failedThreads.add(thread);
    this.#refusedFiles += events.filter(({ type }) => type === 'refused').length;
    const sent = events.flatMap((event) => {
      if (event.type === 'accepted') return [event.sent.message];
      return event.type === 'committed' ? event.sent.map(({ message }) => message) : [];
    });
    if (sent.length > 0) this.#options.onSent?.(sent);
    if (events.length > 0) this.#options.onEvents?.(events, this.state);
  }

  /** Removes the runs' durable requests from their folder, and shows the runs who waits. */
  #showRuns(): void {
    this.#disk.attempt(() => {
      this.#incoming?.release();
      this.#ports.runs?.waits(waitingSteps(this.ledger.state, this.#options.protocol));
    }, undefined);
  }

  /** Projects a vanished inbox with its waiting mail again. */
  #restore(role: RoleName): void {
    if (this.ledger.state.roles.get(role)?.vanished === true) this.#projectInbox(role);
  }

  /** Projects a role's missing waiting mail again. */
  #projectInbox(role: RoleName): void {
    const { mailboxes } = this.#ports;
    const { mail, unread } = this.ledger.state;
    mailboxes.prepare([role]);
    const there = new Set(mailboxes.list(role, 'inbox'));
    for (const [name, id] of namesOf(this.#expected, role)) {
      // A person's unread mail outlives its thread.
      const message = mail.get(id)?.message ?? unread.get(copyKey(id, role))?.message;
      if (message === undefined || there.has(name)) continue;
      const text = inboxText(this.ledger.state, this.#options.protocol, message, role);
      mailboxes.put(role, 'inbox', '', name, text);
    }
  }

  /** When to compare again, in milliseconds since 1970; null: after the next event. */
  #compare(roles: readonly RoleName[], list: Listing): number | null {
    if (roles.length === 0) return null;
    const { roles: pending } = this.#projector.pending(this.ledger.state);
    for (const role of roles)
      if (pending.has(role) || !this.#disk.succeeds(() => this.#compareRole(role, list)))
        this.#absences.last(role, []);
    const { recheckMs } = this.#absences;
    return recheckMs === null ? null : this.#ports.clock.now() + recheckMs;
  }

  #compareRole(role: RoleName, list: Listing): void {
    const { state } = this.ledger;
    const fresh = { newId: () => this.#ports.newId(), now: this.ledger.now() };
    const { protocol } = this.#options;
    const facts = compare(state, protocol, list, this.#expected, role, this.#absences, fresh);
    if (facts.length === 0) return;
    const taken = new Set(
      facts.flatMap((fact) => (fact.type === 'read' || fact.type === 'withdrawn' ? [fact.message] : [])),
    );
    const names = namesOf(this.#expected, role);
    for (const [name, id] of names) if (taken.has(id)) names.delete(name);
    this.ledger.record(facts);
  }

  /** The protocol with the slots that others in this process leave free. */
  #limited(): Protocol {
    const room = this.#options.slots?.allowance() ?? Infinity;
    const held = this.#programs.without(this.#texts.without(this.#absences.without(this.#held)));
    return room < held.concurrency ? { ...held, concurrency: room } : held;
  }

  #decide(): void {
    const protocol = this.#limited();
    this.ledger.recordDecided(() => {
      this.#decision = decide(this.ledger.state, protocol, this.ledger.now(), this.#catchingUp.isOver);
      return this.#decision.facts;
    });
    const { first, away } = openTurns(this.ledger.state, protocol);
    const used = Math.max(this.desired, this.running) - away;
    this.#options.slots?.uses(Math.max(0, used), first && causedBy(first));
  }

  /**
   * Projects the journal's state to the folders, and removes accepted files that are no longer
   * needed.
   */
  #project(): void {
    const { state } = this.ledger;
    this.#projector.project(state, this.#disk);
    const pending = this.#projector.pending(state);
    this.#disk.attempt(() => this.#intake.release(pending.refused), undefined);
    if (pending.roles.size === 0 && state.pendingProjections.size > 0)
      this.ledger.recordLazily({ type: 'projected', through: state.events });
  }

  /** The runner reports to this; call `look` afterwards. */
  get turns(): Turns {
    return this.#turns;
  }

  /** Whether mail waits until a program exists. */
  get waitsForPrograms(): boolean {
    const withWork = rolesWithWork(this.state);
    return [...this.#programs.held].some((role) => withWork.has(role));
  }

  /** What this host moved to `failed`. */
  get failures(): Failures {
    return { threads: this.#failedThreads.size, files: this.#refusedFiles };
  }

  hold(): void {
    this.#held = withoutSlots(this.#options.protocol);
  }

  stop(): void {
    this.#turns.putBack();
    this.flush();
    this.#turns.stopAll();
  }

  stopTrying(): void {
    this.#turns.landings.stopAll();
  }

  stopAll(): void {
    this.#turns.stopAll();
  }

  idle(): Idle {
    if (this.running > this.#turns.waits.tried) return 'busy';
    if (!this.#commandsReadable) return 'stuck';
    if (this.desired > 0) return 'busy';
    const { state } = this.ledger;
    // Projections that the disk refuses will not finish.
    const projected = this.#disk.problem === null ? state : { ...state, pendingProjections: new Map() };
    // Nor will a held role move: its turns wait as if paused.
    const { paused } = state;
    const nobody = { by: '', at: 0 };
    const waiting = this.#turns.waits.keys.flatMap((id) => state.turns.get(id)?.role ?? []);
    const held = [...this.#texts.held, ...this.#programs.held, ...waiting].map(
      (role) => [role, nobody] as const,
    );
    const shown = {
      ...projected,
      paused: { ...paused, roles: new Map([...paused.roles, ...held]) },
    };
    return idleOf(shown, this.#options.protocol, this.ledger.now());
  }
}
