import type { Ask, Claim, MailEvent, Sent } from '../../../src/mail/machine/event.ts';
import type { Message } from '../../../src/mail/format/message.ts';
import type { Target } from '../../../src/letters/target.ts';

/** What is known of one duty to answer. */
export interface Duty {
  readonly request: Message;
  readonly recipient: string;
  candidates: Set<string>;
  escalated: boolean;
  answered: boolean;
  /** Who answered; null: nobody yet, or a notice. */
  by: string | null;
}

export interface Waiting {
  /** `w1`, `w2`, … in the order in which they begin. */
  readonly id: string;
  readonly role: string;
  readonly thread: string;
  readonly blocks: 'role' | 'thread' | 'none';
  readonly duties: readonly Duty[];
  owes: readonly Duty[];
  taken: boolean;
}

export interface Working {
  readonly claim: Claim;
  readonly wait: Waiting | null;
  owes: Duty[];
  phase: 'active' | 'asking' | 'returned' | 'failed' | 'pending';
  rounds: number;
}

export type ThreadIs = 'open' | 'quiet' | 'closed' | 'failed';

const phaseAfter = {
  returned: 'returned',
  'attempt-failed': 'failed',
  stopped: 'pending',
  asked: 'asking',
  unanswered: 'asking',
  continued: 'active',
  corrected: 'active',
  requeued: 'pending',
  conflicted: 'pending',
  resumed: 'active',
} as const;

/**
 * What the events alone say about who asked whom, who waits and who works: written from the description of the control
 * loop, without the fold, the indices or the rules of the machine. `rules` hears of every event before it counts.
 */
export class Model {
  readonly threads = new Map<string, ThreadIs>();
  /** The thread that opened each sub-thread. */
  readonly parents = new Map<string, string>();
  readonly duties = new Map<string, Duty>();
  waits: Waiting[] = [];
  readonly turns = new Map<string, Working>();
  readonly made = new Set<string>();
  readonly people = new Set<string>();
  readonly consumed = new Map<string, string>();
  readonly turnsIn = new Map<string, number>();
  /** The wait that a reply belongs to. */
  readonly replies = new Map<string, Waiting>();
  #claims = 0;
  #lastWait = 0;

  see(event: MailEvent): void {
    switch (event.type) {
      case 'accepted':
        return this.#accept(event.sent);
      case 'claimed':
        return this.#claim(event);
      case 'returned':
      case 'attempt-failed':
      case 'stopped':
      case 'asked':
      case 'unanswered':
      case 'continued':
      case 'corrected':
      case 'requeued':
      case 'conflicted':
      case 'resumed':
        return this.#work(event.turn, event.type);
      case 'committed':
        return this.#commit(event.turn, event.sent);
      case 'abandoned':
        return this.#abandon(event.turn);
      case 'escalated':
        return this.#escalate(event.ask, event.to, this.#isPersonal(this.duty(event.ask)));
      case 'proceeded':
        this.#answer(this.duty(event.ask), event.person, event.notice.id, null);
        return;
      case 'failed-back':
        this.duty(event.ask).candidates.clear();
        return;
      case 'thread-failed':
        return this.#end(event.thread, 'failed');
      case 'quieted':
        this.threads.set(event.thread, 'quiet');
        return;
      case 'withdrawn':
        for (const duty of this.#dutiesOf(event.message, event.recipient))
          duty.candidates.delete(event.recipient);
        return;
      case 'controlled':
        if (event.refusal === null) this.#control(event.command);
        return;
      case 'landing-refused':
      case 'checked': {
        const turn = this.turns.get(event.turn);
        // The correction that follows is no fault of the turn.
        if (turn && event.conflicts === true) turn.rounds -= 1;
        return;
      }
      default:
    }
  }

  #work(id: string, type: keyof typeof phaseAfter): void {
    const turn = this.turns.get(id);
    if (!turn) return;
    turn.phase = phaseAfter[type];
    if (type === 'corrected') turn.rounds += 1;
    if (type === 'resumed') turn.rounds = 0;
  }

  duty(ask: Ask): Duty {
    const known = this.duties.get(`${ask.request} ${ask.recipient}`);
    if (!known) throw new Error(`nobody was ever asked ${ask.request} ${ask.recipient}`);
    return known;
  }

  isOpen(duty: Duty): boolean {
    const thread = this.threads.get(duty.request.thread);
    return (
      !duty.answered &&
      this.duties.get(`${duty.request.id} ${duty.recipient}`) === duty &&
      (thread === 'open' || this.#isAwaited(duty))
    );
  }

  /** Whether a thread waits for the answer of its sub-thread, which may have ended without one. */
  #isAwaited(duty: Duty): boolean {
    return this.waits.some(({ thread, duties }) => thread !== duty.request.thread && duties.includes(duty));
  }

  /** Duties of a request that a role may do. */
  #dutiesOf(request: string, role: string): Duty[] {
    return [...this.duties.values()].filter(
      (duty) => duty.request.id === request && (duty.recipient === role || duty.candidates.has(role)),
    );
  }

  #accept(sent: Sent): void {
    const { type, from } = sent.message;
    const thread = sent.opens?.parent ?? sent.message.thread;
    if (this.made.has(sent.message.id)) return;
    if (!sent.late && (type !== 'notice' || !this.threads.has(thread))) this.threads.set(thread, 'open');
    this.#send([sent], from, []);
  }

  #send(all: readonly Sent[], role: string, owes: readonly Duty[]): void {
    const asking: { duties: Duty[]; blocks: Waiting['blocks'] }[] = [];
    for (const sent of all) {
      const { message, request, answers, people } = sent;
      this.made.add(message.id);
      for (const person of people) this.people.add(person);
      if (sent.opens) {
        this.parents.set(message.id, sent.opens.parent);
        this.threads.set(message.id, this.threads.get(sent.opens.parent) === 'open' ? 'open' : 'closed');
      }
      const open = this.threads.get(message.thread) === 'open';
      if (answers && open) {
        const person = people.includes(this.duty(answers).request.from);
        for (const duty of this.#dutiesOf(answers.request, message.from))
          if (this.isOpen(duty)) this.#answer(duty, person, message.id, message.from);
      }
      if (request && open) asking.push({ duties: this.#ask(message), blocks: request.blocks });
    }
    const ways = asking.map(({ blocks }) => blocks);
    const blocks = ways.includes('role') ? 'role' : ways.includes('thread') ? 'thread' : 'none';
    const thread = all[0]?.opens?.parent ?? all[0]?.message.thread ?? '';
    const duties = asking.flatMap((one) => one.duties);
    if (duties.length > 0)
      this.waits.push({
        id: `w${String((this.#lastWait += 1))}`,
        role,
        thread,
        blocks,
        duties,
        owes: owes.filter((one) => this.isOpen(one)),
        taken: false,
      });
    for (const { closes, message } of all) if (closes) this.#end(message.thread, 'closed');
  }

  #ask(request: Message): Duty[] {
    return request.to.map((recipient) => {
      const candidates = new Set([recipient]);
      const duty = { request, recipient, candidates, escalated: false, answered: false, by: null };
      this.duties.set(`${request.id} ${recipient}`, duty);
      return duty;
    });
  }

  #answer(duty: Duty, person: boolean, reply: string | null, by: string | null): void {
    duty.answered = true;
    duty.by = by;
    const wait = this.waits.find(({ duties }) => duties.includes(duty));
    if (wait && reply !== null) this.replies.set(reply, wait);
    if (wait && person && wait.duties.every(({ answered }) => answered)) this.#drop(wait);
  }

  /** True when who asked is a person, who has no turns. */
  #isPersonal({ request }: Duty): boolean {
    return this.people.has(request.from);
  }

  #drop(wait: Waiting | null): void {
    this.waits = this.waits.filter((one) => one !== wait);
  }

  #claim(claim: Claim & { readonly type: 'claimed' }): void {
    this.#claims += 1;
    const owed = claim.messages
      .flatMap((id) => this.#dutiesOf(id, claim.role))
      .filter((one) => this.isOpen(one));
    const wait = this.waits.find(({ id }) => id === claim.wait) ?? null;
    if (wait) wait.taken = true;
    const carried = (wait?.owes ?? []).filter((one) => this.isOpen(one));
    this.turns.set(`t${String(this.#claims)}`, {
      claim,
      wait,
      owes: [...carried, ...owed],
      phase: 'active',
      rounds: 0,
    });
    this.turnsIn.set(claim.thread, (this.turnsIn.get(claim.thread) ?? 0) + 1);
    this.threads.set(claim.thread, 'open');
  }

  #commit(id: string, sent: readonly Sent[]): void {
    const turn = this.turns.get(id);
    if (!turn) return;
    for (const message of turn.claim.messages) this.consumed.set(`${message} ${turn.claim.role}`, id);
    this.#drop(turn.wait);
    this.turns.delete(id);
    this.#send(sent, turn.claim.role, turn.owes);
  }

  #abandon(id: string): void {
    const turn = this.turns.get(id);
    if (!turn) return;
    if (turn.wait) this.#cutOff(turn.wait, turn.owes);
    this.#drop(turn.wait);
    for (const duty of turn.owes) duty.candidates.delete(turn.claim.role);
    this.turns.delete(id);
  }

  #escalate(ask: Ask, to: string, person: boolean): void {
    const duty = this.duty(ask);
    duty.candidates.add(to);
    duty.escalated = true;
    this.#handed.add(`${ask.request} ${ask.recipient} ${to}`);
    const own = this.duties.get(`${ask.request} ${to}`);
    if (own?.by === to) return this.#answer(duty, person, null, to);
    const owes = (one: { owes: readonly Duty[] }) => one.owes.some(({ request }) => request === duty.request);
    const turn = [...this.turns.values()].find(
      ({ claim, owes: owed }) =>
        claim.role === to && (owes({ owes: owed }) || claim.messages.includes(ask.request)),
    );
    const wait = this.waits.find((one) => one.role === to && owes(one));
    if (turn) turn.owes.push(duty);
    else if (wait) wait.owes = [...wait.owes, duty];
  }

  #control(command: Extract<MailEvent, { type: 'controlled' }>['command']): void {
    if (command.verb === 'pause' && command.now)
      for (const turn of this.turns.values())
        if (turn.phase === 'active' && isMeant(command.target, turn.claim)) turn.phase = 'pending';
    if (command.verb === 'cancel' && command.target.kind === 'thread')
      this.#end(command.target.thread, 'failed');
    if (command.verb === 'cancel' && command.target.kind === 'turn') this.#abandon(command.target.turn);
    if (command.verb !== 'retry') return;
    const { message, role } = command;
    this.made.add(message.id);
    for (const wait of this.#cut)
      if (
        wait.duties.some(({ request }) => request.id === message.id) ||
        (wait.role === role && this.replies.get(message.id) === wait)
      )
        this.#reopen(wait);
    this.threads.set(message.thread, 'open');
    const of = (all: Map<string, Duty>) => [...all].filter(([, duty]) => duty.request.id === message.id);
    const known = [...of(this.duties), ...of(this.#ended)];
    const own = known.some(([, duty]) => duty.recipient === role);
    for (const [key, duty] of known) {
      if (duty.answered || (own && duty.recipient !== role)) continue;
      const open = this.duties.get(key) === duty;
      if (!open) this.#askAgain(duty, role);
      else if (own || this.#handed.has(`${key} ${role}`)) duty.candidates.add(role);
    }
  }

  readonly #handed = new Set<string>();
  readonly #ended = new Map<string, Duty>();
  /** Waits that a failure has ended. */
  readonly #cut = new Set<Waiting>();

  #cutOff(wait: Waiting, owes: readonly Duty[]): void {
    if (!this.waits.includes(wait) && !this.#cut.has(wait)) return;
    wait.owes = owes;
    wait.taken = false;
    this.#cut.add(wait);
  }

  /** Whoever has to do with a wait that opens again waits again, too. */
  #reopen(wait: Waiting): void {
    if (!this.#cut.delete(wait)) return;
    this.threads.set(wait.thread, 'open');
    this.waits.push(wait);
    for (const duty of wait.duties) {
      if (duty.answered) continue;
      this.threads.set(duty.request.thread, 'open');
      this.#askAgain(duty, duty.recipient);
      for (const one of this.#cut) if (one.owes.includes(duty)) this.#reopen(one);
    }
    for (const duty of wait.owes) {
      for (const one of this.#cut) if (one.duties.includes(duty)) this.#reopen(one);
      if (!duty.answered) this.#askAgain(duty, wait.role);
    }
  }

  #askAgain(duty: Duty, role: string): void {
    const key = `${duty.request.id} ${duty.recipient}`;
    this.duties.set(key, duty);
    this.#ended.delete(key);
    duty.candidates.add(role);
    for (const one of this.#handed)
      if (one.startsWith(`${key} `)) duty.candidates.add(one.slice(key.length + 1));
  }

  #end(thread: string, how: 'closed' | 'failed'): void {
    this.threads.set(thread, how);
    if (how === 'failed')
      for (const wait of this.waits.filter((one) => one.thread === thread)) {
        const turn = [...this.turns.values()].find((one) => one.wait === wait);
        this.#cutOff(wait, turn?.owes ?? wait.owes);
      }
    this.waits = this.waits.filter((wait) => wait.thread !== thread);
    for (const [key, duty] of this.duties)
      if (duty.request.thread !== thread || duty.answered) continue;
      else if (this.#isAwaited(duty)) duty.candidates.clear();
      else {
        this.#ended.set(key, duty);
        this.duties.delete(key);
      }
    for (const [id, { claim, phase }] of this.turns)
      if (claim.thread === thread && (how === 'failed' || phase === 'pending' || phase === 'asking'))
        this.turns.delete(id);
    for (const [child, parent] of this.parents) {
      const is = parent === thread ? this.threads.get(child) : null;
      if (is === 'open' || is === 'quiet') this.#end(child, is === 'open' ? 'failed' : 'closed');
    }
  }
}

function isMeant(target: Target, { role, thread }: Claim): boolean {
  if (target.kind === 'role') return target.role === role;
  if (target.kind === 'thread') return target.thread === thread;
  return target.kind === 'all';
}
