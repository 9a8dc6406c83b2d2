import { MailroomError } from '../../kernel/errors.ts';
import { decide, type Decision } from '../machine/decide.ts';
import { copyKey } from '../machine/fold/places.ts';
import type { Fact, MailEvent, Sent } from '../machine/event.ts';
import type { Protocol } from '../format/protocol.ts';
import type { MailState } from '../machine/state.ts';
import { formatMessage } from '../format/read-message.ts';
import { Commands } from './commands.ts';
import { expectedNow, namesOf, type Expected } from './project.ts';
import { idleOf } from './idle.ts';
import { incomingReader } from './incoming.ts';
import type { ControlReader } from '../../host/control.ts';
import type { IncomingFile } from '../../letters/letters.ts';
import { Intake } from './intake.ts';
import { openMailLedger, type MailLedger, type TrailFeed } from './ledger.ts';
import { listedOnce, type Listing } from './listing.ts';
import type { Host, Look } from '../../host/loop.ts';
import { shareParking } from '../../host/parking.ts';
import type { HostOptions, HostPorts } from './ports.ts';
import { MissingFiles } from './missing-files.ts';
import { DiskGuard } from '../../disk/disk-guard.ts';
import { MailboxProjector } from './projector.ts';
import { compare } from './reconcile.ts';
import { RoleTexts } from './role-texts.ts';
import { waitingSteps } from './step-waits.ts';
import { tellSender } from './telling.ts';
import { Turns } from './turns.ts';
import type { RoleName } from '../../kernel/ids.ts';
import type { Idle } from '../../host/idle.ts';

const failing: ReadonlySet<MailEvent['type']> = new Set([
  'refused',
  'abandoned',
  'failed-back',
  'thread-failed',
]);

/** More rounds of deciding than any state can need: past it, deciding goes in circles. */
const mostRounds = 100_000;

/**
 * The mail host: takes in what came, decides, records, and makes it so. Level-triggered: it may be told to look at any
 * time, as often as one likes. Every method is synchronous; an `E_DISK` of the journal is fatal and ends the host.
 */
export class MailHost implements Host {
  readonly #ports: HostPorts;
  readonly #options: HostOptions;
  readonly #ledger: MailLedger;
  readonly #trail: TrailFeed;
  readonly #expected: Expected;
  readonly #commands: Commands;
  /** Null: no runs of workflows are there. */
  readonly #incoming: ControlReader<IncomingFile> | null;
  readonly #intake: Intake;
  readonly #turns: Turns;
  readonly #projector: MailboxProjector;
  readonly #absences: MissingFiles;
  readonly #texts: RoleTexts;
  /** The protocol, or while nothing new may start one without room for anything. */
  #held: Protocol;
  /** Of the last scan and the looks since. */
  readonly #disk = new DiskGuard();
  #failures = 0;
  /** Whether the commands of people could be read. */
  #commandsReadable = true;
  #decision: Decision = { facts: [], processes: [], wake: null };

  constructor(ports: HostPorts, options: HostOptions) {
    this.#ports = ports;
    this.#options = options;
    this.#held = options.protocol;
    ({ ledger: this.#ledger, trail: this.#trail } = openMailLedger(ports));
    this.#absences = new MissingFiles(() => ports.clock.elapsed?.() ?? ports.clock.now());
    this.#expected = expectedNow(this.#ledger.state);
    this.#projector = new MailboxProjector(ports, options.protocol, this.#expected);
    this.#commands = new Commands(this.#ledger, options.protocol, ports);
    this.#incoming = ports.runs ? incomingReader(this.#ledger, options.protocol, ports.runs) : null;
    this.#texts = new RoleTexts((role) => ports.roleText(role));
    this.#turns = new Turns(this.#ledger, ports, options, this.#texts);
    this.#intake = new Intake(this.#ledger, ports, options.protocol, this.#expected, (file) =>
      this.#turns.stage(file),
    );
  }

  get state(): MailState {
    return this.#ledger.state;
  }

  get desired(): number {
    return this.#decision.processes.length;
  }

  get running(): number {
    return this.#turns.running;
  }

  /** What the disk refused at the last scan or since, apart from the journal; null: all is well. */
  get problem(): string | null {
    return this.#disk.problem;
  }

  get fresh(): boolean {
    return this.#ledger.fresh;
  }

  get cut(): string | null {
    return this.#ledger.cut;
  }

  /** Goes on where the last host ended. Call it once, after the orphans were ended and before the first look. */
  start(): void {
    const { protocol, protocolHash, version, rebooted } = this.#options;
    const facts: Fact[] = [{ type: 'started', version, protocol: protocolHash }];
    const ended = new Set<RoleName>();
    for (const { id, role, attempt, round, phase } of this.#ledger.state.turns.values()) {
      if (phase.is !== 'active' || phase.launched === null) continue;
      ended.add(role);
      facts.push({
        type: 'attempt-failed',
        turn: id,
        attempt,
        round,
        class: 'RETRYABLE_TRANSIENT',
        reason: { code: 'E_TURN', text: 'the controller ended while the turn ran' },
        until: null,
        usage: { usd: null, tokens: null },
        session: null,
      });
    }
    this.#ledger.record(facts);
    for (const role of protocol.roles.keys()) {
      if (rebooted === true) this.#disk.attempt(() => this.#redraw(role), undefined);
      this.#disk.attempt(() => this.#prepare(role), undefined);
    }
    this.#disk.attempt(() => this.#intake.refuseLeft(ended, this.#disk), undefined);
    // Before the projections are written and forgotten: of refused files nothing else says that they are known.
    this.#disk.attempt(() => this.#intake.recordAccepted(), undefined);
    this.#flush();
    this.#draw();
  }

  /** Makes missing folders; where one held waiting mail it is left missing, so that `compare` can tell. */
  #prepare(role: RoleName): void {
    const { mailboxes } = this.#ports;
    const isMissed = mailboxes.list(role, 'inbox') === null && namesOf(this.#expected, role).size > 0;
    mailboxes.prepare(isMissed ? [] : [role]);
  }

  /**
   * Looks at commands, mailboxes and the time; decides, records, projects, and starts and stops processes. Without `scan` it
   * leaves the mailboxes alone: enough when only a process had something to tell.
   */
  look(scan = true): Look {
    const names = scan ? [...this.#options.protocol.roles.keys()] : [];
    // What a scan could not read is no better known after a look without one.
    if (scan) this.#disk.renew();
    const disk = this.#disk;
    disk.attempt(() => shareParking(this.#ledger, this.#ports.parking), undefined);
    const unpaused = disk.attempt(() => this.#commands.take(), null);
    this.#commandsReadable = unpaused !== null;
    disk.attempt(() => this.#incoming?.take(), undefined);
    for (const role of unpaused ?? []) disk.attempt(() => this.#restore(role), undefined);
    const boxes = listedOnce(this.#ports.mailboxes);
    // Once for each listing: what a burst of mail left for this look was compared when it was found.
    const again = this.#intake.goesOn ? null : this.#compare(names, boxes);
    const looked = this.#intake.look(names, disk, boxes);
    const wake = earliest([looked.wake, again]);
    if (scan) this.#texts.look(this.state, this.#options.protocol, disk);
    // While nobody knows what people want, what runs goes on, and nothing new is decided.
    if (this.#commandsReadable) this.#decide();
    this.#flush();
    // First of all: while a process comes up, the folders are projected. An older decision may want what has ended since.
    if (this.#commandsReadable) this.#turns.steer(this.#decision.processes);
    this.#draw();
    disk.attempt(() => this.#commands.release(), undefined);
    this.#showRuns();
    const decided = this.#commandsReadable ? this.#decision.wake : null;
    const settled = wake === null && !looked.more && this.#ledger.state.pendingProjections.size === 0;
    return {
      wake: earliest([wake, decided === null ? null : this.#ledger.onWall(decided)]),
      more: looked.more,
      settled: settled && this.problem === null,
      blocked: this.problem !== null && !looked.more,
    };
  }

  /** Makes what was recorded durable; who wants to know of messages hears of them now. */
  #flush(): void {
    const events = this.#ledger.flush();
    this.#failures += events.filter(({ type }) => failing.has(type)).length;
    const sent = events.flatMap((event) => {
      if (event.type === 'accepted') return [event.sent.message];
      return event.type === 'committed' ? event.sent.map(({ message }) => message) : [];
    });
    if (sent.length > 0) this.#options.onSent?.(sent);
  }

  /** What is in the journal now may go from where the runs had put it, and they see who waits. */
  #showRuns(): void {
    this.#disk.attempt(() => {
      this.#incoming?.release();
      this.#ports.runs?.waits(waitingSteps(this.#ledger.state, this.#options.protocol));
    }, undefined);
  }

  /** Draws an inbox again that vanished with waiting mail in it. */
  #restore(role: RoleName): void {
    if (this.#ledger.state.roles.get(role)?.vanished === true) this.#redraw(role);
  }

  /** Draws the waiting mail of a role that is not there. */
  #redraw(role: RoleName): void {
    const { mailboxes } = this.#ports;
    const { mail, unread } = this.#ledger.state;
    mailboxes.prepare([role]);
    const there = new Set(mailboxes.list(role, 'inbox'));
    for (const [name, id] of namesOf(this.#expected, role)) {
      // What people have not read outlives its thread.
      const message = mail.get(id)?.message ?? unread.get(copyKey(id, role))?.message;
      if (message && !there.has(name)) mailboxes.put(role, 'inbox', '', name, formatMessage(message));
    }
  }

  /** When to compare again, in milliseconds since 1970; null: when something happens. */
  #compare(roles: readonly RoleName[], boxes: Listing): number | null {
    if (roles.length === 0) return null;
    const { roles: pending } = this.#projector.pending(this.#ledger.state);
    for (const role of roles)
      if (pending.has(role) || !this.#disk.succeeds(() => this.#compareRole(role, boxes)))
        this.#absences.last(role, []);
    const { again } = this.#absences;
    return again === null ? null : this.#ports.clock.now() + again;
  }

  #compareRole(role: RoleName, boxes: Listing): void {
    const telling = (state: MailState, id: string, to: RoleName): Sent =>
      tellSender(state, id, to, this.#ports.newId(), this.#ledger.now());
    const { state } = this.#ledger;
    const { protocol } = this.#options;
    const facts = compare(state, protocol, boxes, this.#expected, role, this.#absences, telling);
    if (facts.length === 0) return;
    const taken = new Set(
      facts.flatMap((fact) => (fact.type === 'read' || fact.type === 'withdrawn' ? [fact.message] : [])),
    );
    const names = namesOf(this.#expected, role);
    for (const [name, id] of names) if (taken.has(id)) names.delete(name);
    this.#ledger.record(facts);
  }

  /** The protocol with as much room as others in this process leave. */
  #limited(): Protocol {
    const room = this.#options.slots?.allowance() ?? Infinity;
    const held = this.#texts.without(this.#absences.without(this.#held));
    return room < held.concurrency ? { ...held, concurrency: room } : held;
  }

  #decide(): void {
    const protocol = this.#limited();
    for (let round = 0; round < mostRounds; round += 1) {
      this.#decision = decide(this.#ledger.state, protocol, this.#ledger.now());
      if (this.#decision.facts.length === 0) {
        this.#options.slots?.uses(Math.max(this.desired, this.running));
        return;
      }
      this.#ledger.record(this.#decision.facts);
    }
    throw new MailroomError('E_INTERNAL', 'deciding does not come to an end');
  }

  /** Makes the folders show what the journal says, and lets go of what was taken in for that. */
  #draw(): void {
    const { state } = this.#ledger;
    this.#projector.project(state, this.#disk);
    const pending = this.#projector.pending(state);
    this.#disk.attempt(() => this.#intake.release(pending.refused), undefined);
    if (pending.roles.size === 0 && state.pendingProjections.size > 0)
      this.#ledger.recordLazily({ type: 'projected', through: state.events });
  }

  /** What the runner reports goes here; look afterwards. */
  get turns(): Turns {
    return this.#turns;
  }

  /** Whether the journal has grown so long that it wants a snapshot. */
  get snapshotDue(): boolean {
    return this.#ledger.snapshotDue;
  }

  /** Takes a snapshot if the trail has everything: `trailAt` is where it ends, null where there is none. */
  snapshot(trailAt: number | null): void {
    if (trailAt === null || trailAt >= this.#trail.last) this.#ledger.snapshot();
  }

  /** How many events of this host moved something to `failed`. */
  get failures(): number {
    return this.#failures;
  }

  hold(): void {
    this.#held = { ...this.#options.protocol, concurrency: 0 };
  }

  stop(): void {
    this.#turns.putBack();
    this.#flush();
    this.#turns.stopAll();
  }

  stopAll(): void {
    this.#turns.stopAll();
  }

  flush(): void {
    this.#flush();
  }

  idle(): Idle {
    if (this.running > 0) return 'busy';
    if (!this.#commandsReadable) return 'stuck';
    if (this.desired > 0) return 'busy';
    const { state } = this.#ledger;
    // What the disk refuses moves nothing.
    const projected = this.problem === null ? state : { ...state, pendingProjections: new Map() };
    // Nor does a role that is held: its turns wait as if somebody had paused it.
    const { paused } = state;
    const shown = {
      ...projected,
      paused: { ...paused, roles: new Set([...paused.roles, ...this.#texts.held]) },
    };
    return idleOf(shown, this.#options.protocol, this.#ledger.now());
  }
}

function earliest(instants: readonly (number | null)[]): number | null {
  const known = instants.filter((instant) => instant !== null);
  return known.length > 0 ? Math.min(...known) : null;
}
