import type { Claim, MailEvent, Sent } from '../../../src/mail/machine/event.ts';
import type { Message } from '../../../src/mail/format/message.ts';
import type { Protocol } from '../../../src/mail/format/protocol.ts';
import type { MailState } from '../../../src/mail/machine/state.ts';
import { Model, type Waiting, type Working } from './model.ts';
import { checkPlaces } from './places.ts';
import type { Budget } from '../../../src/kernel/cost.ts';

/**
 * What always holds, checked from outside: by a model that is built from the events alone, and by looking at every copy
 * of every message. Empty when all is well.
 */
export function checkInvariants(
  state: MailState,
  history: readonly MailEvent[],
  protocol: Protocol,
): string[] {
  const checker = new InvariantChecker(protocol);
  return [...history.flatMap((event) => checker.see(event)), ...checker.compare(state)];
}

/** The same, event by event: `see` each event once, in order; `compare` with the state whenever one likes. */
export class InvariantChecker {
  readonly #protocol: Protocol;
  readonly #model = new Model();
  /** Every copy that was ever sent. */
  readonly #copies = new Map<string, { message: Message; role: string }>();

  constructor(protocol: Protocol) {
    this.#protocol = protocol;
  }

  /** What this event breaks, given all that came before it. */
  see(event: MailEvent): string[] {
    const problems = this.#problems(event);
    for (const message of made(event)) {
      if (this.#model.made.has(message.id) && !('sent' in event))
        problems.push(`${message.id} was made twice`);
      for (const role of message.to) this.#copies.set(`${message.id} ${role}`, { message, role });
    }
    if (event.type === 'escalated') {
      const { request } = this.#model.duty(event.ask);
      this.#copies.set(`${request.id} ${event.to}`, { message: request, role: event.to });
    }
    this.#model.see(event);
    return problems.map((problem) => `${event.type}: ${problem}`);
  }

  #problems(event: MailEvent): string[] {
    if (event.type === 'claimed') return [...this.#claimed(event), ...this.#bounds(event)];
    if (event.type === 'accepted') return this.#sent([event.sent], null);
    if (event.type === 'corrected') {
      const turn = this.#model.turns.get(event.turn);
      return turn && turn.rounds >= turn.claim.corrections
        ? [`${event.turn} is corrected once too often`]
        : [];
    }
    if (event.type !== 'committed') return [];
    const turn = this.#model.turns.get(event.turn);
    if (!turn) return [];
    return [
      ...this.#consumed(event.turn, turn),
      ...this.#sent(event.sent, turn),
      ...this.#debts(turn, event.sent),
    ];
  }

  /* ------------------------------------------------------------ who may be invoked, and when */

  #claimed(claim: Claim): string[] {
    const { role, thread, messages } = claim;
    const waits = this.#model.waits.filter((wait) => wait.role === role);
    const own = messages
      .map((id) => this.#model.replies.get(id))
      .find((wait) => wait && waits.includes(wait));
    const blocking = waits.filter(
      (wait) =>
        wait !== own && (wait.blocks === 'role' || (wait.blocks === 'thread' && wait.thread === thread)),
    );
    const problems: string[] = [];
    if (own && own.duties.some(({ answered }) => !answered))
      problems.push(`${role} is woken before the last reply`);
    if (own?.taken) problems.push(`the replies to ${role} are taken up twice`);
    if (claim.wait === null && blocking.length > 0) problems.push(...this.#nested(claim, blocking));
    if (claim.wait !== null && own && own.id !== claim.wait)
      problems.push(`${role} takes up another wait's reply`);
    if (claim.wait === null && own) problems.push(`${role} takes up a reply without its wait`);
    const same = [...this.#model.turns.values()].some(
      (one) => one.claim.role === role && one.claim.thread === thread,
    );
    if (same) problems.push(`${role} has a turn in ${thread} already`);
    return problems;
  }

  /** While it waits, a role is invoked for one request, from somebody whom it waits for. */
  #nested({ role, messages, nesting, mustAnswer }: Claim, blocking: readonly Waiting[]): string[] {
    const [id = ''] = messages;
    const duty = [...this.#model.duties.values()].find(({ request }) => request.id === id);
    if (messages.length !== 1 || !duty) return [`${role} takes up ${messages.join()} while it waits`];
    const problems: string[] = [];
    if (!this.#awaited(role).has(duty.request.from))
      problems.push(`${role} is invoked for ${duty.request.from}, whom it does not wait for`);
    if (nesting !== blocking.length)
      problems.push(`${role} is nested ${String(blocking.length)} deep, not ${String(nesting)}`);
    if (mustAnswer !== blocking.length >= this.#protocol.limits.nesting)
      problems.push(`${role} must answer, or need not`);
    return problems;
  }

  #awaited(role: string): Set<string> {
    const found = new Set<string>();
    const next = [role];
    for (let name = next.pop(); name !== undefined; name = next.pop())
      for (const wait of this.#model.waits.filter((one) => one.role === name))
        for (const duty of wait.duties.filter((one) => this.#model.isOpen(one)))
          for (const other of [...duty.candidates].filter((one) => !found.has(one))) {
            found.add(other);
            next.push(other);
          }
    return found;
  }

  #bounds({ role, thread }: Claim): string[] {
    const turns = this.#model.turnsIn.get(thread) ?? 0;
    const { turnsPerThread } = this.#protocol.limits;
    return turns >= turnsPerThread ? [`${role} begins turn ${String(turns + 1)} of ${thread}`] : [];
  }

  /* ------------------------------------------------------------ what is sent */

  #consumed(id: string, { claim }: Working): string[] {
    return claim.messages.flatMap((message) => {
      const other = this.#model.consumed.get(`${message} ${claim.role}`);
      return other === undefined ? [] : [`${message} is consumed by ${other} and by ${id}`];
    });
  }

  #sent(all: readonly Sent[], turn: Working | null): string[] {
    return all.flatMap((sent) => {
      const { message } = sent;
      const problems: string[] = [];
      if (this.#model.made.has(message.id)) problems.push(`${message.id} is sent twice`);
      if (message.type === 'step' || message.type === 'step-result') problems.push(...this.#ofRun(sent));
      else if (message.type !== 'notice' && !this.#allowed(sent, turn))
        problems.push(`${message.type} must not go from ${message.from}`);
      const within = sent.opens?.parent ?? message.thread;
      if (turn && (message.from !== turn.claim.role || within !== turn.claim.thread))
        problems.push(`${message.id} is not from its turn`);
      if (turn?.claim.mustAnswer && sent.request)
        problems.push(`${turn.claim.role} asks although it must answer`);
      if (sent.request && sent.request.blocks !== 'none' && message.to.includes(message.from))
        problems.push(`${message.from} waits for itself`);
      return problems;
    });
  }

  /** A step is a run's alone; a result answers a step that somebody was asked for. */
  #ofRun({ message, answers, request }: Sent): string[] {
    const { type, from, to } = message;
    if (type === 'step')
      return from === 'workflow' && request !== null && to.length === 1 ? [] : [`${from} sends a step`];
    const asked = answers && this.#model.duty(answers).request;
    const right = asked?.type === 'step' && to.length === 1 && to[0] === 'workflow';
    return right ? [] : [`${from} sends the result of no step`];
  }

  #allowed(sent: Sent, turn: Working | null): boolean {
    const { type, from, to } = sent.message;
    const { types } = this.#protocol;
    if (!types.has('question') && !types.has('answer') && (type === 'question' || type === 'answer'))
      return type === 'question' ? this.#mayAsk(turn, to) : this.#mayAnswer(sent);
    const known = this.#protocol.types.get(type);
    return (
      known?.from.includes(from) === true && to.every((role) => known.to.includes(role)) && to.length > 0
    );
  }

  /** The built-in question goes to who sent what the turn works on, or to `user`. */
  #mayAsk(turn: Working | null, to: readonly string[]): boolean {
    if (turn === null || to.length === 0) return false;
    const { role: own, messages } = turn.claim;
    const senders = messages.map((id) => this.#copies.get(`${id} ${own}`)?.message.from);
    const asking = [...senders, ...turn.owes.map(({ request }) => request.from)];
    return to.every((role) => role === 'user' || (role !== 'workflow' && asking.includes(role)));
  }

  #mayAnswer({ message: { to }, answers, late }: Sent): boolean {
    const request = answers && this.#model.duty(answers).request;
    return to.length === 1 && (late || (request?.type === 'question' && request.from === to[0]));
  }

  /** A turn ends with what it owes, or with a request of its own. */
  #debts(turn: Working, sent: readonly Sent[]): string[] {
    const answered = new Set(sent.flatMap(({ answers }) => answers?.request ?? []));
    const owed = turn.owes.filter((duty) => this.#model.isOpen(duty) && !answered.has(duty.request.id));
    if (owed.length === 0) return [];
    if (sent.some(({ closes }) => closes)) return [`${turn.claim.role} closes while it owes an answer`];
    return sent.some(({ request }) => request)
      ? []
      : [`${turn.claim.role} ends without the answer that it owes`];
  }

  /* ------------------------------------------------------------ the state */

  /** What the state says otherwise than the events. */
  compare(state: MailState): string[] {
    const mine = this.#model.waits.map((wait) =>
      described(wait.role, wait.thread, wait.blocks, this.#openOf(wait)),
    );
    const theirs = [...state.waits.values()].map((wait) => {
      const open = wait.requests.flatMap((id) =>
        [...(state.mail.get(id)?.request?.asks ?? [])].flatMap(([role, { is }]) =>
          is === 'open' ? [`${id} ${role}`] : [],
        ),
      );
      return described(wait.role, wait.thread, wait.blocks, open);
    });
    const problems = differences('a wait', mine, theirs);
    problems.push(...differences('a turn', [...this.#model.turns.keys()], [...state.turns.keys()]));
    for (const [id, thread] of state.threads)
      if (this.#model.threads.has(id) && this.#model.threads.get(id) !== thread.state)
        problems.push(`thread ${id} is ${thread.state}, not ${this.#model.threads.get(id) ?? ''}`);
    return [...problems, ...checkPlaces(state, this.#copies.values()), ...limits(state, this.#protocol)];
  }

  #openOf(wait: Waiting): string[] {
    return wait.duties
      .filter((duty) => this.#model.isOpen(duty))
      .map(({ request, recipient }) => `${request.id} ${recipient}`);
  }
}

function described(role: string, thread: string, blocks: string, open: readonly string[]): string {
  return `${role} in ${thread} (${blocks}) for [${open.toSorted().join(', ')}]`;
}

function differences(what: string, mine: readonly string[], theirs: readonly string[]): string[] {
  return [
    ...mine.filter((one) => !theirs.includes(one)).map((one) => `${what} is missing: ${one}`),
    ...theirs.filter((one) => !mine.includes(one)).map((one) => `${what} is too many: ${one}`),
  ];
}

/** Every message that an event makes. */
function made(event: MailEvent): Message[] {
  if (event.type === 'accepted') return [event.sent.message];
  if (event.type === 'committed') return event.sent.map(({ message }) => message);
  if (event.type === 'proceeded') return [event.notice];
  return 'notices' in event ? [...event.notices] : [];
}

/** At most so many turns of a role at once, so many attempts, and so much money before a launch. */
function limits(state: MailState, protocol: Protocol): string[] {
  const problems: string[] = [];
  const running = new Map<string, number>();
  for (const { id, role, phase, failures, retries } of state.turns.values()) {
    if (phase.is === 'active' || phase.is === 'returned') running.set(role, (running.get(role) ?? 0) + 1);
    if (failures > retries) problems.push(`${id} of ${role} is tried ${String(failures + 1)} times`);
  }
  for (const [role, count] of running)
    if (count > (protocol.roles.get(role)?.concurrency ?? count))
      problems.push(`${String(count)} turns of ${role} at once`);
  const total = [...running.values()].reduce((sum, count) => sum + count, 0);
  if (total > protocol.concurrency) problems.push(`${String(total)} turns at once`);
  return problems;
}

const units = ['usd', 'tokens'] as const;
type Money = Record<(typeof units)[number], number>;

/**
 * What a launch may not exceed: everything spent and set aside, the launch included, in its thread and in those above
 * it. Call it after a launch.
 */
export function checkMoney(state: MailState, thread: string, protocol: Protocol): string[] {
  const { threadBudget, dayBudget } = protocol.limits;
  const day = new Date(state.now).toISOString().slice(0, 10);
  const today = state.spent.day === day ? state.spent.cost : { usd: 0, tokens: 0 };
  const launched = [...state.turns.values()].filter(({ reserved }) => reserved).map(({ budget }) => budget);
  const problems = units.flatMap((unit) =>
    over(
      dayBudget,
      unit,
      launched.reduce((sum, budget) => sum + (budget?.[unit] ?? 0), today[unit]),
    ),
  );
  // A sub-thread may spend what it has reserved, even where turns without a reservation took more of the rest.
  const checked = new Set(units);
  for (let at = state.threads.get(thread); at; at = state.threads.get(at.parent ?? '')) {
    const used = usedBy(state, at.id);
    const limit = at.parent === null ? threadBudget : at.budget;
    for (const unit of checked) {
      if (limit) problems.push(...over(limit, unit, used[unit]));
      if (at.reserves && at.budget?.[unit] != null) checked.delete(unit);
    }
  }
  return problems;
}

function over(limit: Budget, unit: keyof Money, used: number): string[] {
  const most = limit[unit];
  return most !== null && used > most + 1e-6
    ? [`${String(used)} ${unit} of ${String(most)} are launched`]
    : [];
}

/** Spent and reserved by a thread and by what it opened: one that reserves its budget uses all of that. */
function usedBy(state: MailState, id: string): Money {
  const thread = state.threads.get(id)!;
  const used: Money = { usd: thread.cost.usd, tokens: thread.cost.tokens };
  for (const turn of state.turns.values())
    if (turn.reserved && turn.thread === id) for (const unit of units) used[unit] += turn.budget?.[unit] ?? 0;
  for (const child of state.threads.values()) {
    if (child.parent !== id) continue;
    const own = usedBy(state, child.id);
    for (const unit of units) {
      const kept = child.reserves ? Math.max(own[unit], child.budget?.[unit] ?? 0) : own[unit];
      // What it has spent is in the cost of its parent.
      used[unit] += kept - child.cost[unit];
    }
  }
  return used;
}
