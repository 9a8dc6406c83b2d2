import { askKey, askState, openAsksFor } from '../fold/asks.ts';
import type { Ask } from '../event.ts';
import { isHuman, type Protocol, type Role } from '../../format/protocol.ts';
import type { Mail, MailState, Thread, Turn, Wait } from '../state.ts';
import { RoleScan, type Candidate } from '../rules/scan.ts';
import { isHeld, occupies, Slots, type Hold, type LaunchNeeds } from '../rules/slots.ts';
import { outcomes } from '../rules/outcomes.ts';
import { blocking, openAsks } from '../rules/waiting.ts';
import { failedCopy, failedIn, failedLast } from './failed.ts';
import { landingWhy } from './landing.ts';
import {
  askingWhy,
  backoffWhy,
  heldWhy,
  inboxMissing,
  joinWhy,
  removed,
  rolePaused,
  slotsWhy,
  turnWords,
} from './holds.ts';
import { because, due, noAgents, through, type HeldReasons, type OtherAgents } from '../../../kernel/why.ts';
import { activeWhy, notKnown, type Workers } from './workers.ts';
import { causedBy, direct, named, over, type MailWhy } from './words.ts';
import { nextDay } from '../../../kernel/money.ts';
import { shortId, type MessageId, type RoleName, type ThreadId } from '../../../kernel/ids.ts';
import type { TurnId } from '../../../letters/target.ts';

/** Threads of a role that are looked at for the reason of a role. */
const mostThreads = 50;

/**
 * Why each thing in a state of the mail moves or does not, by the rules that `decide` follows.
 * Pure.
 */
export class MailExplainer {
  readonly #state: MailState;
  readonly #protocol: Protocol;
  readonly #now: number;
  readonly #others: OtherAgents;
  readonly #workers: Workers;
  readonly #machine: HeldReasons;
  readonly #slots: Slots;
  /** Turns whose gates run. */
  readonly #checked: ReadonlySet<TurnId>;
  /** Asks that are being explained: roles may wait for each other. */
  readonly #asks = new Set<string>();

  /** `others`: the agents of runs that take slots of the roles; `held`: what the machine holds. */
  constructor(
    state: MailState,
    protocol: Protocol,
    clock: number,
    others = noAgents,
    workers = notKnown,
    held: HeldReasons = new Map(),
  ) {
    this.#machine = held;
    this.#workers = workers;
    this.#state = state;
    this.#protocol = protocol;
    this.#others = others;
    this.#now = Math.max(clock, state.now);
    const left = { ...protocol, concurrency: Math.max(0, protocol.concurrency - others.agents) };
    this.#slots = new Slots(state, left, this.#now);
    const { checks } = outcomes(state, protocol, this.#slots, this.#now);
    this.#checked = new Set(checks.map(({ turn }) => turn.id));
  }

  role(name: RoleName): MailWhy {
    const turns = [...this.#state.turns.values()].filter((turn) => turn.role === name);
    const turn = turns.find(occupies) ?? turns[0];
    if (turn) return this.turn(turn);
    const role = this.#protocol.roles.get(name);
    if (isHuman(this.#protocol, name)) return this.#person(name);
    const waiting = this.#waitingOf(name);
    if (!role) return waiting.length > 0 ? removed(name) : because('no_mail', `${name} has no mail`);
    const answered = [...(this.#state.roles.get(name)?.answered ?? [])].flatMap(
      (id) => this.#state.waits.get(id) ?? [],
    );
    const whys = [
      ...answered.map((wait) => this.#start(this.#scan(role).replies(wait))),
      ...waiting.map((mail) => this.copy(mail, name)),
    ];
    return (
      direct(whys) ??
      this.#ownWait(name) ??
      failedLast(this.#state, name) ??
      rolePaused(this.#state, name) ??
      because('no_mail', `${name} has no mail`)
    );
  }

  /** The oldest waiting mail of each thread, requests first. */
  #waitingOf(name: RoleName): Mail[] {
    const { requests, queue } = this.#state.roles.get(name) ?? { requests: [], queue: [] };
    const first = new Map<ThreadId, Mail>();
    for (const id of [...requests, ...queue]) {
      const mail = this.#state.mail.get(id);
      if (mail && !first.has(mail.message.thread)) first.set(mail.message.thread, mail);
      if (first.size >= mostThreads) break;
    }
    return [...first.values()];
  }

  #ownWait(name: RoleName): MailWhy | null {
    const waits = [...this.#state.waits.values()].filter((wait) => wait.role === name);
    return waits.map((wait) => this.#wait(wait)).find((why) => why !== null) ?? null;
  }

  /** A person, whose mail waits for no role. */
  #person(name: RoleName): MailWhy {
    if (this.#state.roles.get(name)?.vanished === true) return inboxMissing(name);
    const asked = [...(this.#state.roles.get(name)?.asked ?? [])].flatMap(
      (id) => this.#state.mail.get(id) ?? [],
    );
    const [ask] = asked.flatMap((mail) => openAsksFor(this.#state, mail, name));
    if (ask) return this.#asked(ask, name);
    const unread = [...this.#state.unread.values()].filter(({ role }) => role === name).length;
    if (unread === 0) return because('no_mail', `${name} has no mail`);
    return because(
      'unread',
      `${name} has ${unread === 1 ? 'one unread message' : `${String(unread)} unread messages`}`,
    );
  }

  /** The copies of a message: the first that is not at its end, else the last. */
  message(mail: Mail): MailWhy {
    const whys = [...mail.deliveries.keys()].map((role) => this.copy(mail, role));
    return (
      whys.find(({ code }) => !over.has(code)) ?? whys.at(-1) ?? because('handled', 'it has no recipient')
    );
  }

  /** One recipient's copy. */
  copy(mail: Mail, role: RoleName): MailWhy {
    const { message } = mail;
    const delivery = mail.deliveries.get(role);
    const cause = { record: message.id, at: message.created };
    switch (delivery?.at) {
      case 'inbox':
        return this.#inInbox(mail, role);
      case 'claimed': {
        const turn = this.#state.turns.get(delivery.turn);
        return turn
          ? this.turn(turn)
          : because('running', `turn ${delivery.turn} of ${role} has picked it up`);
      }
      case 'unread': {
        const [ask] = openAsksFor(this.#state, mail, role);
        return ask ? this.#asked(ask, role) : because('unread', `${role} has not read it`, { cause });
      }
      case 'failed':
        return failedCopy(mail, role, 'it') ?? because('failed', `${role} did not handle it`, { cause });
      case 'withdrawn':
        return because(
          'withdrawn',
          `its file was removed from the inbox of ${role} before it was picked up`,
          {
            cause,
            act: { do: 'retry', message: message.id, role },
          },
        );
      case 'read':
      case 'processed':
      case undefined:
        return because('handled', `${role} has handled it`, { cause });
      default:
        return delivery satisfies never;
    }
  }

  #inInbox(mail: Mail, name: RoleName): MailWhy {
    const role = this.#protocol.roles.get(name);
    if (!role) return removed(name);
    const { message } = mail;
    const wait = mail.wait === null ? undefined : this.#state.waits.get(mail.wait);
    if (wait) return this.#reply(wait, role);
    const hold = this.#slots.heldBack(role, message.thread);
    if (hold !== null) return this.#held(hold, role, message.thread);
    const next = this.#scan(role).next(message.thread);
    if (next === 'blocked_by_request') return this.#blocked(role, message.thread);
    if (next === 'join_incomplete') {
      const own = joinWhy(this.#state, this.#protocol, mail, role);
      const inner = own.why.act ? null : direct(own.senders.flatMap((by) => this.#late(by, message.thread)));
      return inner === null ? own.why : through('join_incomplete', own.why.reason, inner);
    }
    if (next === 'turn_open') return this.#held(next, role, message.thread);
    const why = this.#start(next);
    const [head = message.id] = taken(next);
    const first = this.#state.mail.get(head)?.message;
    if (taken(next).includes(message.id) || !first) return why;
    return through('queued', `${named(first)} comes first`, why);
  }

  /** Why a role that others wait for has not written in a thread where it works; empty: unknown. */
  #late(role: RoleName, thread: ThreadId): MailWhy[] {
    const isOwn = (one: Turn | Wait) => one.role === role && one.thread === thread;
    const turn = [...this.#state.turns.values()].find(isOwn);
    if (turn) return [this.turn(turn)];
    return [...this.#state.waits.values()].filter(isOwn).flatMap((wait) => this.#wait(wait) ?? []);
  }

  /** A reply is picked up with all others of its wait. */
  #reply(wait: Wait, role: Role): MailWhy {
    const own = this.#wait(wait);
    if (own === null) return this.#start(this.#scan(role).replies(wait));
    return through('answers_incomplete', `${role.name} picks up all answers together`, own);
  }

  /** Mail that an unanswered request of its own role blocks. */
  #blocked({ name }: Role, thread: ThreadId): MailWhy {
    const waits = blocking(this.#state, name, thread);
    const inner = waits.map((wait) => this.#wait(wait) ?? this.#ending(wait)).find((why) => why !== null);
    return through('blocked_by_request', `a request of ${name} blocks its other mail`, inner ?? null);
  }

  /** A wait whose answers have all arrived, until they are handled. */
  #ending(wait: Wait): MailWhy | null {
    const turn = wait.turn === null ? undefined : this.#state.turns.get(wait.turn);
    if (turn) return this.turn(turn);
    const role = this.#protocol.roles.get(wait.role);
    return role ? this.#start(this.#scan(role).replies(wait)) : null;
  }

  /** What a wait still lacks; null: nothing. */
  #wait(wait: Wait): MailWhy | null {
    const asks = openAsks(this.#state, wait);
    const isPersons = (ask: Ask) => this.#candidates(ask).some((role) => isHuman(this.#protocol, role));
    const ask = asks.find(isPersons) ?? asks[0];
    return ask ? this.#unanswered(ask) : null;
  }

  #candidates(ask: Ask): readonly RoleName[] {
    const current = askState(this.#state, ask);
    return current?.is === 'open' ? current.candidates : [];
  }

  #unanswered(ask: Ask): MailWhy {
    const candidates = this.#candidates(ask);
    const person = candidates.find((role) => isHuman(this.#protocol, role));
    if (person !== undefined) return this.#asked(ask, person);
    const message = this.#state.mail.get(ask.request)?.message;
    const by = candidates[0] ?? ask.recipient;
    const inner = this.#debtor(ask, by);
    const text = message
      ? `${message.from} waits for ${by} to answer ${named(message)}`
      : `${by} has not answered ${shortId(ask.request)}`;
    const until = this.#state.deadlines.get(ask.request) ?? null;
    const cause = message ? { record: ask.request, at: message.created } : null;
    return { ...through('waiting_for_answer', text, inner), cause, until };
  }

  /** A request that a person must answer. */
  #asked({ request }: Ask, person: RoleName): MailWhy {
    const message = this.#state.mail.get(request)?.message;
    const what = message ? `${named(message)} of ${message.from}` : shortId(request);
    return because('waiting_for_user', `${person} has not answered ${what}`, {
      cause: message ? { record: request, at: message.created } : null,
      until: this.#state.deadlines.get(request) ?? null,
      act: { do: 'reply', request, as: person },
    });
  }

  /**
   * Why the role that owes an answer has not given it; null: unknown, or it is explained already.
   */
  #debtor(ask: Ask, role: RoleName): MailWhy | null {
    const key = askKey(ask);
    const mail = this.#state.mail.get(ask.request);
    if (!mail || this.#asks.has(key)) return null;
    this.#asks.add(key);
    try {
      if (mail.deliveries.get(role)?.at !== 'processed') return this.copy(mail, role);
      const owes = (one: { role: RoleName; owes: readonly Ask[] }) =>
        one.role === role && one.owes.some((owed) => askKey(owed) === key);
      const turn = [...this.#state.turns.values()].find(owes);
      if (turn) return this.turn(turn);
      const wait = [...this.#state.waits.values()].find(owes);
      return wait ? (this.#wait(wait) ?? this.#ending(wait)) : null;
    } finally {
      this.#asks.delete(key);
    }
  }

  turn(turn: Turn): MailWhy {
    const { phase, thread } = turn;
    const cause = causedBy(turn);
    const role = this.#protocol.roles.get(turn.role);
    const held = phase.is === 'active' || phase.is === 'returned' ? this.#machine.get(turn.id) : undefined;
    if (held !== undefined) return because('host_problem', held, { cause });
    if (phase.is === 'active') return activeWhy(turn, phase, role, this.#workers, this.#now);
    if (phase.is === 'returned') {
      if (this.#checked.has(turn.id))
        return because('checking', `the gates of ${turnWords(turn)} run`, { cause });
      const verdict = this.#slots.afford(turn);
      return role && isHeld(verdict)
        ? this.#held(verdict, role, thread)
        : due(`${turnWords(turn)} has ended`);
    }
    if (phase.is === 'landing') return this.#landing(turn);
    if (phase.is === 'asking' && phase.answer === null) return askingWhy(turn, phase);
    if (!role) return removed(turn.role);
    if (phase.is === 'failed') return due(`${turnWords(turn)} has failed`);
    const hold = this.#slots.heldBack(role, thread);
    if (hold !== null) return this.#held(hold, role, thread);
    if (phase.is === 'pending' && phase.notBefore > this.#now) return backoffWhy(turn, phase.notBefore);
    return this.#start({ role, thread, holds: turn.holds, budget: turn.budget, turn });
  }

  #landing(turn: Turn): MailWhy {
    const landing = this.#state.landings.get(turn.id);
    const role = this.#protocol.roles.get(turn.role);
    if (!landing) return due(`${turnWords(turn)} has ended`);
    const hold = role ? this.#slots.heldBack(role, turn.thread) : null;
    const paused = hold === 'paused' && role ? this.#held(hold, role, turn.thread) : null;
    return landingWhy(this.#state, this.#protocol, landing, paused);
  }

  thread(thread: Thread): MailWhy {
    const { id, state, reason } = thread;
    const last = thread.messages.flatMap((each) => this.#state.mail.get(each) ?? []).at(-1)?.message;
    const cause = last ? { record: last.id, at: last.created } : null;
    const act = last ? this.#continuing(id) : null;
    if (state === 'failed')
      return because('failed', `the thread failed${reason ? `: ${reason.code}: ${reason.text}` : ''}`, {
        cause,
        act: failedIn(this.#state, thread)?.act ?? act,
      });
    if (state === 'closed') return this.#closed(thread);
    if (state === 'quiet') {
      const failed = failedIn(this.#state, thread);
      if (failed !== null) return through(failed.code, 'no work is left in the thread', failed);
      return because('quiet', 'no work is left in the thread, and no message closed it', { cause, act });
    }
    return direct(this.#inThread(thread)) ?? due('nothing waits in the thread');
  }

  #closed({ messages }: Thread): MailWhy {
    const sent = messages.flatMap((id) => this.#state.mail.get(id)?.message ?? []);
    const by = sent.findLast(({ type }) => this.#protocol.types.get(type)?.closes === true);
    if (!by) return because('closed', 'the thread is closed');
    return because('closed', `${named(by)} closed the thread`, { cause: { record: by.id, at: by.created } });
  }

  /** What is open in a thread: turns, then waiting mail, then requests. */
  #inThread({ id, messages }: Thread): MailWhy[] {
    const turns = [...this.#state.turns.values()].filter((turn) => turn.thread === id);
    const running = turns.find(occupies);
    if (running) return [this.turn(running)];
    const mail = messages.flatMap((each) => this.#state.mail.get(each) ?? []);
    const copies = mail.flatMap((each) =>
      [...each.deliveries].filter(([, { at }]) => at === 'inbox').map(([role]) => this.copy(each, role)),
    );
    const asks = mail.flatMap(({ message, request }) =>
      [...(request?.asks.keys() ?? [])].map((recipient) => ({ request: message.id, recipient })),
    );
    const open = asks.filter((ask) => askState(this.#state, ask)?.is === 'open');
    const waits = [...this.#state.waits.values()].filter((wait) => wait.thread === id);
    return [
      ...turns.map((turn) => this.turn(turn)),
      ...copies,
      ...open.map((ask) => this.#unanswered(ask)),
      // The requests of some are in sub-threads.
      ...waits.flatMap((wait) => this.#wait(wait) ?? this.#ending(wait) ?? []),
    ];
  }

  /** How a person continues a thread: by a message to the role that got its first one. */
  #continuing(thread: ThreadId): MailWhy['act'] {
    const first = this.#state.mail.get(thread)?.message;
    const to = first?.to.find((role) => this.#protocol.roles.has(role) && !isHuman(this.#protocol, role));
    return to === undefined ? null : { do: 'send', to, thread, type: null };
  }

  #scan(role: Role): RoleScan {
    return new RoleScan(this.#state, this.#protocol, this.#slots, role);
  }

  #start(launch: LaunchNeeds): MailWhy {
    const verdict = this.#slots.verdict(launch);
    if (isHeld(verdict)) return this.#hold(verdict, launch);
    return due(`nothing holds ${launch.role.name} back`);
  }

  #held(hold: Hold, role: Role, thread: ThreadId): MailWhy {
    return this.#hold(hold, { role, thread, holds: null, budget: role.budget, turn: null });
  }

  #hold(hold: Hold, launch: LaunchNeeds): MailWhy {
    if (hold === 'concurrency') return slotsWhy(this.#state, this.#protocol, launch.role, this.#others);
    if (hold === 'day_budget')
      return because(hold, this.#slots.dayOver(launch.budget) ?? '', { until: nextDay(this.#now) });
    return heldWhy(this.#state, this.#protocol, hold, launch);
  }
}

function taken({ start }: Candidate): readonly MessageId[] {
  return start.type === 'claimed' ? start.messages : [];
}
