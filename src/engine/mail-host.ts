import { MailroomError } from '../core/errors.ts';
import { decide, type Decision } from '../core/mail/decide.ts';
import { copyKey } from '../core/mail/fold/places.ts';
import type { Fact, Sent } from '../core/mail/event.ts';
import type { RoleName } from '../core/mail/message.ts';
import type { Protocol } from '../core/mail/protocol.ts';
import type { MailState } from '../core/mail/state.ts';
import { formatMessage } from '../spec/message.ts';
import { Commands } from './commands.ts';
import { draw, expectedNow, namesOf, type Expected } from './draw.ts';
import { idleOf, type Idle } from './idle.ts';
import { takeIncoming } from './incoming.ts';
import { Intake } from './intake.ts';
import { Ledger } from './ledger.ts';
import { listedOnce, type Listing } from './listing.ts';
import type { Host, Look } from './loop.ts';
import { shareParking } from './parking.ts';
import type { HostOptions, HostPorts } from './ports.ts';
import { Absences } from './absences.ts';
import { compare } from './reconcile.ts';
import { waitingSteps } from './step-waits.ts';
import { tellSender } from './telling.ts';
import { Turns } from './turns.ts';

/** More rounds of deciding than any state can need: past it, deciding goes in circles. */
const mostRounds = 100_000;

/**
 * The mail host: takes in what came, decides, records, and makes it so. Level-triggered: it may be told to look at any
 * time, as often as one likes. Every method is synchronous; an `E_DISK` of the journal is fatal and ends the host.
 */
export class MailHost implements Host {
  readonly #ports: HostPorts;
  readonly #options: HostOptions;
  readonly #ledger: Ledger;
  readonly #expected: Expected;
  readonly #commands: Commands;
  readonly #intake: Intake;
  readonly #turns: Turns;
  /** The protocol, or while nothing new may start one without room for anything. */
  readonly #absences: Absences;
  #held: Protocol;
  #problem: string | null = null;
  #decision: Decision = { facts: [], processes: [], wake: null };

  constructor(ports: HostPorts, options: HostOptions) {
    this.#ports = ports;
    this.#options = options;
    this.#held = options.protocol;
    this.#ledger = new Ledger(ports);
    this.#absences = new Absences(() => ports.clock.elapsed?.() ?? ports.clock.now());
    this.#expected = expectedNow(this.#ledger.state);
    this.#commands = new Commands(this.#ledger, options.protocol, ports);
    this.#turns = new Turns(this.#ledger, ports, options);
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

  /** What the disk refused at the last look, apart from the journal; null: all is well. */
  get problem(): string | null {
    return this.#problem;
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
      });
    }
    this.#ledger.record(facts);
    this.#guard(() => {
      if (rebooted === true) this.#redraw([...protocol.roles.keys()]);
      this.#prepare([...protocol.roles.keys()]);
    });
    this.#intake.refuseLeft(ended);
    // Before the pictures are drawn and forgotten: of refused files nothing else says that they are known.
    this.#intake.recordAccepted();
    this.#flush();
    this.#draw();
  }

  /** Makes missing folders; where one held waiting mail it is left missing, so that `compare` can tell. */
  #prepare(roles: readonly RoleName[]): void {
    const missing = (role: RoleName) => this.#ports.mailboxes.list(role, 'inbox') === null;
    this.#ports.mailboxes.prepare(
      roles.filter((role) => !missing(role) || namesOf(this.#expected, role).size === 0),
    );
  }

  /**
   * Looks at commands, mailboxes and the time; decides, records, draws, and starts and stops processes. Without `scan` it
   * leaves the mailboxes alone: enough when only a process had something to tell.
   */
  look(scan = true): Look {
    const names = scan ? [...this.#options.protocol.roles.keys()] : [];
    this.#problem = null;
    this.#guard(() => shareParking(this.#ledger, this.#ports.parking));
    let unpaused: readonly RoleName[] = [];
    const heard = this.#guard(() => (unpaused = this.#commands.take()));
    const incoming = this.#takeIncoming();
    let wake: number | null = null;
    let more = false;
    this.#guard(() => {
      for (const role of unpaused) this.#restore(role);
      const boxes = listedOnce(this.#ports.mailboxes);
      // Once for each listing: what a burst of mail left for this look was compared when it was found.
      const again = this.#intake.goesOn ? null : this.#compare(names, boxes);
      const looked = this.#intake.look(names, boxes);
      wake = earliest([looked.wake, again]);
      more = looked.more;
    });
    // While nobody knows what people want, what runs goes on, and nothing new is decided.
    if (heard) this.#decide();
    this.#flush();
    // First of all: while a process comes up, the folders are drawn.
    this.#turns.steer(this.#decision.processes);
    this.#draw();
    this.#guard(() => this.#commands.release());
    this.#showRuns(incoming);
    const decided = this.#decision.wake;
    return {
      wake: earliest([wake, decided === null ? null : this.#ledger.onWall(decided)]),
      more,
      settled: wake === null && !more && this.#problem === null && this.#ledger.state.undrawn.size === 0,
    };
  }

  /** Makes what was recorded durable; who wants to know of messages hears of them now. */
  #flush(): void {
    const sent = this.#ledger.flush().flatMap((event) => {
      if (event.type === 'accepted') return [event.sent.message];
      return event.type === 'committed' ? event.sent.map(({ message }) => message) : [];
    });
    if (sent.length > 0) this.#options.onSent?.(sent);
  }

  #takeIncoming(): string[] {
    const { runs } = this.#ports;
    const { protocol } = this.#options;
    let names: string[] = [];
    if (runs)
      this.#guard(() => (names = takeIncoming(this.#ledger, protocol, runs, () => this.#ports.newId())));
    return names;
  }

  /** What is in the journal now may go from where the runs had put it, and they see who waits. */
  #showRuns(taken: readonly string[]): void {
    const { runs } = this.#ports;
    if (!runs) return;
    this.#guard(() => {
      for (const name of taken) runs.remove(name);
      runs.waits(waitingSteps(this.#ledger.state, this.#options.protocol));
    });
  }

  /** Draws an inbox again that vanished with waiting mail in it. */
  #restore(role: RoleName): void {
    if (this.#ledger.state.roles.get(role)?.vanished === true) this.#redraw([role]);
  }

  /** Draws the waiting mail of these roles that is not there. */
  #redraw(roles: readonly RoleName[]): void {
    const { mailboxes } = this.#ports;
    const { mail, unread } = this.#ledger.state;
    mailboxes.prepare(roles);
    for (const role of roles) {
      const there = new Set(mailboxes.list(role, 'inbox'));
      for (const [name, id] of namesOf(this.#expected, role)) {
        // What people have not read outlives its thread.
        const message = mail.get(id)?.message ?? unread.get(copyKey(id, role))?.message;
        if (message && !there.has(name)) mailboxes.put(role, 'inbox', '', name, formatMessage(message));
      }
    }
  }

  /** When to compare again, in milliseconds since 1970; null: when something happens. */
  #compare(roles: readonly RoleName[], boxes: Listing): number | null {
    const { protocol } = this.#options;
    if (roles.length === 0 || this.#ledger.state.undrawn.size > 0) return null;
    const telling = (state: MailState, id: string, to: RoleName): Sent =>
      tellSender(state, id, to, this.#ports.newId(), this.#ledger.now());
    for (const role of roles) {
      const facts = compare(
        this.#ledger.state,
        protocol,
        boxes,
        this.#expected,
        role,
        this.#absences,
        telling,
      );
      if (facts.length === 0) continue;
      const names = namesOf(this.#expected, role);
      for (const fact of facts)
        if (fact.type === 'read' || fact.type === 'withdrawn')
          for (const [name, id] of names) if (id === fact.message) names.delete(name);
      this.#ledger.record(facts);
    }
    const { again } = this.#absences;
    return again === null ? null : this.#ports.clock.now() + again;
  }

  /** The protocol with as much room as others in this process leave. */
  #limited(): Protocol {
    const room = this.#options.slots?.allowance() ?? Infinity;
    const held = this.#absences.without(this.#held);
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

  /** Makes the folders show what the journal says. What cannot be drawn now is drawn at a later look. */
  #draw(): void {
    const { undrawn } = this.#ledger.state;
    const shown = this.#guard(() => {
      for (const picture of undrawn.values()) {
        if (picture.kind === 'answer') this.#ports.runs?.answer(picture.answer);
        if (picture.kind === 'answer' || !this.#options.protocol.roles.has(picture.role)) continue;
        draw(this.#ports.mailboxes, this.#expected, picture);
        if (picture.kind === 'copy' && picture.delivery.at === 'unread')
          this.#ports.notify(picture.role, picture.message);
      }
      this.#intake.release();
    });
    if (shown && undrawn.size > 0) this.#ledger.drawn();
  }

  /** Folders that cannot be read or written are told of and tried again; only the journal is worth stopping for. */
  #guard(act: () => void): boolean {
    try {
      act();
      return true;
    } catch (error) {
      if (!(error instanceof MailroomError) || error.code !== 'E_DISK') throw error;
      this.#problem = error.message;
      return false;
    }
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
    this.#ledger.snapshot(trailAt);
  }

  /** How many events of this host moved something to `failed`. */
  get failures(): number {
    return this.#ledger.failures;
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
    const { protocol } = this.#options;
    if (this.desired > 0 || this.running > 0) return 'busy';
    return idleOf(this.#ledger.state, protocol, this.#ledger.now());
  }
}

function earliest(instants: readonly (number | null)[]): number | null {
  const known = instants.filter((instant) => instant !== null);
  return known.length > 0 ? Math.min(...known) : null;
}
