import { apply } from '../../../src/mail/machine/apply.ts';
import { decide, type Decision } from '../../../src/mail/machine/decide.ts';
import {
  stamp,
  type Command,
  type Fact,
  type MailEvent,
  type Staged,
  type TurnResult,
} from '../../../src/mail/machine/event.ts';
import type { Protocol } from '../../../src/mail/format/protocol.ts';
import { metBy } from '../../../src/mail/machine/rules/outcomes.ts';
import { askedFact } from '../../../src/mail/machine/rules/questions.ts';
import { admit } from '../../../src/mail/machine/rules/admit.ts';
import { sentStep } from '../../../src/mail/machine/step.ts';
import { refusal } from '../../../src/mail/machine/rules/commands.ts';
import { emptyState, type Delivery, type MailState, type Turn } from '../../../src/mail/machine/state.ts';
import type { RuleChanges } from '../../../src/kernel/work.ts';
import { parseDuration } from '../../../src/kernel/duration.ts';
import { decode, encode } from '../../../src/disk/codec.ts';
import { unexplained } from './explained.ts';
import { checkMoney, InvariantChecker } from './invariants.ts';
import { checkAlive } from './liveness.ts';
import { actText, askedCommand, protocolOf, staged, written } from './texts.ts';
import type { Usage } from '../../../src/kernel/cost.ts';
import type { Reason } from '../../../src/kernel/errors.ts';

export interface Ending {
  /** The thread of the turn, where its role has several turns. */
  readonly in?: string;
  /** The final text. */
  readonly text?: string;
  /** A message that the final text is, as staged or in one line. */
  readonly finalText?: Staged | string;
  readonly usage?: Usage;
  readonly violations?: readonly string[];
  readonly session?: TurnResult['session'];
}

export interface Failure {
  readonly in?: string;
  readonly class?: 'RETRYABLE_RATE_LIMIT' | 'NON_RETRYABLE' | 'FATAL';
  readonly until?: number;
  readonly usage?: Usage;
  readonly reason?: Reason;
}

type LandingFact =
  | { readonly type: 'landing-checked'; readonly onto: string; readonly result: string }
  | {
      readonly type: 'landing-asked';
      readonly onto: string;
      readonly rules: RuleChanges | null;
      readonly undone?: boolean;
    }
  | { readonly type: 'landing-blocked'; readonly problem: string }
  | {
      readonly type: 'landing-refused';
      readonly problems: readonly string[];
      readonly conflicts?: boolean;
      readonly meets?: string;
    }
  | { readonly type: 'landing-missed' | 'landed' };

export type Bend = (facts: readonly Fact[], state: MailState) => readonly Fact[];

export interface WorldOptions {
  readonly snapshots?: boolean;
  readonly watched?: boolean;
  readonly bend?: Bend;
}

/** More rounds of deciding than any test needs. */
const mostRounds = 500;
const start = Date.UTC(2026, 0, 1, 12);
const free: Usage = { usd: 0, tokens: 0 };

/**
 * The mail machine with a virtual clock and nothing around it: people drop messages, turns end as the test says, and what
 * always holds is checked after every event. Messages are named by their type: `task`, `task2`, …; a thread is named by
 * its first message.
 */
export class World {
  protocol: Protocol;
  readonly history: MailEvent[] = [];
  state: MailState = emptyState();
  now = start;
  decision: Decision = { facts: [], processes: [], landings: [], wake: null };
  /** The state is written and read again after every event, as in a snapshot. */
  readonly #snapshots: boolean;
  /** False: nothing is checked, for tests with very many events. */
  readonly #watched: boolean;
  /** What is recorded instead of what was decided: for tests that bend the rules. */
  readonly #bend: Bend;
  readonly #checker: InvariantChecker;
  readonly #names = new Map<string, number>();
  #acts: string[] = [];

  constructor(protocol: string | Protocol, options: WorldOptions = {}) {
    this.protocol = typeof protocol === 'string' ? protocolOf(protocol) : protocol;
    this.#snapshots = options.snapshots ?? false;
    this.#watched = options.watched ?? true;
    this.#bend = options.bend ?? ((facts) => facts);
    this.#checker = new InvariantChecker(this.protocol);
  }

  /* ------------------------------------------------------------ what happens */

  /** A person writes a message: `user → architect: task`. Returns its name, or the reasons why it was refused. */
  drop(line: string): string {
    const { from, draft } = written(line);
    const id = this.#name(draft.type ?? '');
    const addressed = admit(
      this.state,
      this.protocol,
      { role: from ?? 'user', box: 'outbox', id, created: this.now },
      draft,
    );
    if ('problems' in addressed) return addressed.problems.join('; ');
    this.record({ type: 'accepted', sent: addressed.sent });
    this.settle();
    return id;
  }

  /** A run of a workflow puts a step into the mail. Returns its name. */
  step(role: string, timeout: number | null = null): string {
    const id = this.#name('step');
    const letter = { id, run: 'run', role, subject: id, body: `do ${id}`, fields: {}, timeout, work: null };
    this.record({ type: 'accepted', sent: sentStep(this.protocol, letter, this.now) });
    this.settle();
    return id;
  }

  /** What runs have heard of their steps since the last time one asked, by step: the text, or why it failed. */
  heard(): Record<string, string> {
    const answers = [...this.state.pendingProjections.values()].flatMap((one) =>
      one.kind === 'answer' ? [one.answer] : [],
    );
    this.record({ type: 'projected', through: this.state.events });
    const words = answers.map(({ id, outcome, text }): [string, string] => [
      id,
      outcome.is === 'done'
        ? text
        : `${outcome.class} ${outcome.reason.code}${outcome.timedOut ? ' (time)' : ''}`,
    ]);
    return Object.fromEntries(words);
  }

  /** The running turn of a role ends, and hands over these messages. */
  turn(role: string, messages: readonly (string | Staged)[] = [], ending: Ending = {}): void {
    const { usage = free, violations = [], session = null } = ending;
    const stagedFrom = (line: string | Staged) => staged(line, (type) => this.#name(type), this.now);
    const files = messages.map(stagedFrom);
    const finalText = ending.finalText === undefined ? null : stagedFrom(ending.finalText);
    const text = ending.text ?? finalText?.draft?.body ?? '';
    const owesStep = this.running(role, ending.in).owes.some(
      ({ request }) => this.state.mail.get(request)?.message.type === 'step',
    );
    const stepResult = owesStep ? { id: this.#name('step-result'), created: this.now } : null;
    const rest = { usage, violations, session, model: null, exit: 0, durationMs: 1, stepResult, reports: [] };
    const result: TurnResult = { text, staged: files, finalText, ...rest };
    this.record({ type: 'returned', ...this.#key(role, ending.in), result });
    this.settle();
  }

  /** The agent of a role ends because a person must first allow these commands. */
  asks(role: string, commands: readonly string[], ending: Ending = {}): void {
    const { usage = free, session = { id: 's', usd: 0, tokens: 0 }, in: thread } = ending;
    const rest = { violations: [], reports: [], model: null, exit: 0, durationMs: 1, stepResult: null };
    const result: TurnResult = { text: '', staged: [], finalText: null, usage, session, ...rest };
    const calls = commands.map(askedCommand);
    const key = this.#key(role, thread);
    const fact = askedFact(this.state, this.protocol, key, { result, calls, now: this.now });
    if (fact === null) throw new Error(`${role} asks nobody`);
    this.record(fact);
    this.settle();
  }

  /** The running turn of a role fails. */
  fail(role: string, failure: Failure = {}): void {
    const { class: errorClass = 'RETRYABLE_TRANSIENT', until = null, usage = free } = failure;
    const { reason = { code: 'E_TURN', text: 'it broke' } } = failure;
    const key = this.#key(role, failure.in);
    this.record({ type: 'attempt-failed', ...key, class: errorClass, reason, until, usage, session: null });
    this.settle();
  }

  /** The agent of a role starts, with this commit in its checkout. */
  enter(role: string, entered: string, thread?: string): void {
    const process = { pid: 1, startTime: '1', mark: 'm' };
    this.record({ type: 'launched', ...this.#key(role, thread), process, tree: null, entered });
    this.settle();
  }

  /** The gates of a turn have run, after it left a commit. `since`: the commits that it met when they began. */
  checks(role: string, problems: readonly string[] = [], left: string | null = null, since?: string[]): void {
    this.#checked(role, { problems, conflicts: false, left }, since);
  }

  /** The work of a turn conflicts with further work, which lies in its checkout now. */
  conflicts(role: string): void {
    this.#checked(role, { problems: ['it conflicts'], conflicts: true, left: null });
  }

  #checked(
    role: string,
    report: Pick<Extract<Fact, { type: 'checked' }>, 'problems' | 'conflicts' | 'left'>,
    since?: string[],
  ): void {
    const turn = [...this.state.turns.values()].find(
      (one) => one.role === role && one.phase.is === 'returned',
    );
    if (!turn) throw new Error(`no gate of ${role} runs`);
    const check = this.decision.processes.find((one) => one.kind === 'checks' && one.turn.id === turn.id);
    const met = since ?? (check?.kind === 'checks' ? metBy(check) : []);
    const { id, attempt, round } = turn;
    this.record({ type: 'checked', turn: id, attempt, round, ...report, met });
    this.settle();
  }

  /** A step of the landing of a turn's work comes to something. */
  landing(turn: string, fact: LandingFact): void {
    const landing = this.state.landings.get(turn);
    if (!landing) throw new Error(`no work of ${turn} lands`);
    const { attempt, round } = landing;
    this.record({ ...fact, turn, attempt, round });
    this.settle();
  }

  /** Time goes by. */
  tick(duration: string): void {
    this.now += parseDuration(duration) ?? 0;
    this.settle();
  }

  /** A person tells the controller something; the reason when it is refused. */
  command(command: Command, by = 'ada'): Reason | null {
    const refused = refusal(this.state, this.protocol, command, by);
    this.record({ type: 'controlled', id: 'c', by, command, refusal: refused });
    this.settle();
    return refused;
  }

  /** The controller ends, and starts again with another protocol. */
  edit(text: string): void {
    this.protocol = protocolOf(text);
    this.record({ type: 'started', version: '1', protocol: text });
    this.settle();
  }

  /** Anything else, as it comes in the journal. */
  record(fact: Fact): void {
    const event = stamp(fact, this.now, () => this.#name('notice'));
    this.#acts.push(...actText(this.state, event));
    const problems = this.#watched ? this.#checker.see(event) : [];
    this.history.push(event);
    this.state = apply(this.state, event);
    if (this.#snapshots) this.state = decode(JSON.parse(JSON.stringify(encode(this.state)))) as MailState;
    if (!this.#watched) return;
    problems.push(...this.#checker.compare(this.state));
    const thread =
      event.type === 'claimed'
        ? event.thread
        : 'turn' in event
          ? this.state.turns.get(event.turn)?.thread
          : null;
    if (thread != null && ['claimed', 'resumed', 'corrected', 'continued'].includes(event.type))
      problems.push(...checkMoney(this.state, thread, this.protocol));
    if (problems.length > 0) throw new Error(`after ${JSON.stringify(event)}:\n${problems.join('\n')}`);
  }

  #unexplained(): string[] {
    return unexplained(this.state, this.protocol, this.now);
  }

  /** Decides until there is nothing more to decide. */
  settle(): void {
    for (let round = 0; round < mostRounds; round += 1) {
      this.decision = decide(this.state, this.protocol, this.now);
      const facts = this.#bend(this.decision.facts, this.state);
      if (facts.length === 0) {
        const stuck = this.#watched ? checkAlive(this.state, this.protocol) : [];
        if (stuck.length > 0) throw new Error(stuck.join('\n'));
        // What a test keeps from being recorded stays due.
        const silent = this.#watched && this.decision.facts.length === 0 ? this.#unexplained() : [];
        if (silent.length > 0) throw new Error(silent.join('\n'));
        return;
      }
      for (const fact of facts) this.record(fact);
    }
    throw new Error('deciding does not come to an end');
  }

  #name(type: string): string {
    const count = (this.#names.get(type) ?? 0) + 1;
    this.#names.set(type, count);
    return count === 1 ? type : `${type}${String(count)}`;
  }

  #key(role: string, thread: string | undefined): { turn: string; attempt: number; round: number } {
    const { id, attempt, round } = this.running(role, thread);
    return { turn: id, attempt, round };
  }

  /* ------------------------------------------------------------ what one sees */

  /** What happened since the last time one asked. */
  acts(): string[] {
    return this.#acts.splice(0);
  }

  /** The only running turn of a role. */
  running(role: string, thread?: string): Turn {
    const turns = [...this.state.turns.values()].filter(
      (turn) =>
        turn.role === role && turn.phase.is === 'active' && (thread === undefined || turn.thread === thread),
    );
    const [turn] = turns;
    if (!turn || turns.length > 1) throw new Error(`${String(turns.length)} turns of ${role} run`);
    return turn;
  }

  /** Who runs, as `role in thread`, in the order of their turns. */
  processes(): string[] {
    return this.decision.processes.map(
      ({ kind, turn }) => `${turn.role} in ${turn.thread}${kind === 'checks' ? ' (checks)' : ''}`,
    );
  }

  /** What is done for landings now, as `turn: step`. */
  landings(): string[] {
    return this.decision.landings.map(({ landing, do: what }) => `${landing.turn}: ${what}`);
  }

  /** Where a role's copy of a message is. */
  at(message: string, role: string): Delivery['at'] | undefined {
    return this.state.mail.get(message)?.deliveries.get(role)?.at;
  }

  /** Subjects of the notices that `user` has not read. */
  notices(): string[] {
    return [...this.state.unread.values()]
      .filter(({ message }) => message.type === 'notice')
      .map(({ message }) => message.subject);
  }

  thread(id: string): string | undefined {
    return this.state.threads.get(id)?.state;
  }
}

/** Where a person is asked whether the work of `left`, turn `t1`, may land. */
export function landingAsked(): World {
  const world = new World(`
workspace: { worktree: role }
roles: { left: { capabilities: [READ, EDIT] } }
messages:
  task: { from: user, to: left }
  done: { from: left, to: user, closes: true, lands: main }
`);
  world.drop('user → left: task');
  world.enter('left', 'base');
  world.turn('left', ['left → user: done']);
  world.checks('left', [], 'work-of-left');
  world.landing('t1', { type: 'landing-asked', onto: 'base', rules: null });
  return world;
}
