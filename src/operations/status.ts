import { askKey, askState } from '../mail/machine/fold/asks.ts';
import { dayOf } from '../mail/machine/money.ts';
import type { Ask } from '../mail/machine/event.ts';
import { isHuman, type Protocol } from '../mail/format/protocol.ts';
import { freeProvider } from '../mail/machine/rules/fallback.ts';
import { Waiting } from '../mail/machine/rules/waiting.ts';
import {
  nothing,
  type Cost,
  type MailState,
  type Thread,
  type ThreadState,
  type Turn,
} from '../mail/machine/state.ts';
import type { Holder } from './project/project.ts';
import type { RunStatusDocument, TriggerStatus } from './runs/run-status.ts';
import { iso, isoOrNull } from './times.ts';
import type { MessageId, RoleName, ThreadId, TypeName } from '../kernel/ids.ts';
import type { Reason } from '../kernel/errors.ts';
import type { TurnId } from '../letters/target.ts';

/** What is going on, workflows included. */
export interface StatusDocument extends MailStatus {
  /** Runs that are not over, newest first. */
  readonly runs: readonly RunStatusDocument[];
  readonly triggers: readonly TriggerStatus[];
}

/** What is going on in the mail. Instants are ISO 8601 in UTC, money is in dollars. */
export interface MailStatus {
  readonly schema: 1;
  /** Who holds the project; null: no controller runs. */
  readonly controller: (Omit<Holder, 'since' | 'problems'> & { readonly since: string }) | null;
  /** True when the protocol was edited since the controller read it. */
  readonly protocol_changed: boolean;
  readonly paused: {
    readonly all: boolean;
    readonly roles: readonly RoleName[];
    readonly threads: readonly ThreadId[];
  };
  /** Providers that are not used before an instant. */
  readonly parked: readonly { readonly provider: string; readonly until: string }[];
  readonly roles: readonly RoleStatus[];
  readonly threads: readonly ThreadStatus[];
  /** Turns that are not over. */
  readonly turns: readonly TurnStatus[];
  readonly cost: { readonly today: Cost };
  /** Messages in outboxes that wait for a controller. */
  readonly recorded: number;
  /** What is wrong, in words. */
  readonly problems: readonly string[];
}

/** The first of these that holds is a role's state. */
export type RoleActivity = 'paused' | 'parked' | 'running' | 'waiting' | 'idle';

export interface RoleStatus {
  readonly name: RoleName;
  readonly state: RoleActivity;
  /** How many of its turns run. */
  readonly running: number;
  /** How many messages wait in its inbox. */
  readonly inbox: number;
  /** Whom it waits for, and the requests that they have not answered; null: for nobody. */
  readonly waiting_for: {
    readonly roles: readonly RoleName[];
    readonly messages: readonly MessageId[];
    readonly since: string;
  } | null;
  /** Each wait by itself: all requests that one turn sent. */
  readonly waits: readonly WaitStatus[];
  /** The requests that it took up, or as a person received, and has not answered. */
  readonly owes: readonly DebtStatus[];
  readonly turns: number;
  readonly cost: Cost;
}

export interface WaitStatus {
  readonly thread: ThreadId;
  readonly blocks: 'role' | 'thread' | 'none';
  readonly roles: readonly RoleName[];
  readonly messages: readonly MessageId[];
  /** The types of these messages. */
  readonly types: readonly TypeName[];
  readonly since: string;
  readonly deadline: string | null;
}

export interface DebtStatus {
  readonly message: MessageId;
  readonly type: TypeName;
  readonly to: RoleName;
  readonly subject: string;
}

export interface ThreadStatus {
  readonly id: ThreadId;
  readonly subject: string;
  readonly state: ThreadState;
  readonly reason: Reason | null;
  readonly opened: string;
  readonly messages: number;
  readonly turns: number;
  readonly cost: Cost;
  /** The folder of its git worktree, relative to the project; null: it has none. */
  readonly worktree: string | null;
}

export interface TurnStatus {
  readonly id: TurnId;
  readonly role: RoleName;
  readonly thread: ThreadId;
  /** `pending`: it waits for its next attempt; `checking`: its agent is done, its gates run. */
  readonly state: 'running' | 'checking' | 'pending' | 'failed';
  /** Who runs it. */
  readonly provider: string;
  /** The provider that it stands in for, which is at its limit; null: it is the role's own. */
  readonly instead_of: string | null;
  readonly attempt: number;
  readonly round: number;
  readonly messages: readonly MessageId[];
  readonly since: string;
  /** When a pending turn starts again; null: as soon as there is room. */
  readonly again: string | null;
  /** What its agent last said of how far it is, in one line; null: nothing. */
  readonly progress: string | null;
  readonly cost: Cost;
}

/** What the status is made of besides the state. */
export interface StatusParts {
  readonly holder: Holder | null;
  /** Null: it cannot be read, and the roles are those that the state knows. */
  readonly protocol: Protocol | null;
  /** Names the protocol that lies on disk. */
  readonly hash: string | null;
  /** Files in inboxes that nobody has taken in yet, by role. */
  readonly dropped: ReadonlyMap<RoleName, number>;
  /** Files in outboxes that nobody has taken in yet. */
  readonly recorded: number;
  readonly problems: readonly string[];
  readonly now: number;
}

function controllerStatus({ pid, host, since, triggers }: Holder): NonNullable<MailStatus['controller']> {
  return { pid, host, since: iso(since), triggers };
}

export function statusOf(state: MailState, parts: StatusParts): MailStatus {
  const { holder, protocol, hash, now } = parts;
  const names = new Set([...(protocol?.roles.keys() ?? []), ...state.roles.keys()]);
  const roles = new Roles(state, parts);
  const vanished = [...state.roles].filter(([, role]) => role.vanished).map(([name]) => name);
  const gone = (name: RoleName) => `E_MAIL_VANISHED: the inbox of ${name} is gone, with mail in it`;
  return {
    schema: 1,
    controller: holder && controllerStatus(holder),
    protocol_changed: holder !== null && hash !== null && state.protocol !== '' && hash !== state.protocol,
    paused: {
      all: state.paused.all,
      roles: [...state.paused.roles],
      threads: [...state.paused.threads],
    },
    parked: [...state.parked]
      .filter(([, until]) => until > now)
      .map(([provider, until]) => ({ provider, until: iso(until) })),
    roles: [...names].map((name) => roles.status(name)),
    threads: [...state.threads.values()].map(threadStatus),
    turns: [...state.turns.values()].map((turn) => turnStatus(turn, parts.protocol)),
    cost: { today: state.spent.day === dayOf(now) ? state.spent.cost : nothing },
    recorded: parts.recorded,
    problems: [...parts.problems, ...vanished.map(gone)],
  };
}

export function threadStatus(thread: Thread): ThreadStatus {
  const { id, subject, state, reason, opened, count, turns, cost } = thread;
  return { id, subject, state, reason, opened: iso(opened), messages: count, turns, cost, worktree: null };
}

const phases = { active: 'running', returned: 'checking', pending: 'pending', failed: 'failed' } as const;

export function turnStatus(
  { id, role, thread, phase, attempt, round, messages, ...turn }: Turn,
  protocol: Protocol | null = null,
): TurnStatus {
  const own = protocol?.roles.get(role)?.provider;
  const since = phase.is === 'active' || phase.is === 'returned' ? phase.since : turn.claimedAt;
  const again = phase.is === 'pending' && phase.notBefore > 0 ? phase.notBefore : null;
  return {
    id,
    role,
    thread,
    state: phases[phase.is],
    provider: turn.provider,
    instead_of: own === undefined || own === turn.provider ? null : own,
    attempt,
    round,
    messages,
    since: iso(since),
    again: isoOrNull(again),
    progress: null,
    cost: turn.cost,
  };
}

/** Looks at the roles of one state; what concerns all of them is looked up once. */
class Roles {
  readonly #state: MailState;
  readonly #parts: StatusParts;
  readonly #waiting: Waiting;
  readonly #inboxes = new Map<RoleName, number>();
  readonly #debts = new Map<RoleName, Map<string, Ask>>();

  constructor(state: MailState, parts: StatusParts) {
    this.#state = state;
    this.#parts = parts;
    this.#waiting = new Waiting(state);
    this.#countMail();
    this.#collectDebts();
  }

  status(name: RoleName): RoleStatus {
    const known = this.#state.roles.get(name);
    const running = this.#running(name);
    const waits = this.#waits(name);
    return {
      name,
      state: this.#activity(name, running, waits),
      running,
      inbox: (this.#inboxes.get(name) ?? 0) + (this.#parts.dropped.get(name) ?? 0),
      waiting_for: together(waits),
      waits,
      owes: [...(this.#debts.get(name)?.values() ?? [])].flatMap((ask) => this.#debt(ask)),
      turns: known?.turns ?? 0,
      cost: known?.cost ?? nothing,
    };
  }

  #activity(name: RoleName, running: number, waits: readonly WaitStatus[]): RoleActivity {
    const { paused, roles } = this.#state;
    if (paused.all || paused.roles.has(name)) return 'paused';
    const role = this.#parts.protocol?.roles.get(name);
    const limited = role !== undefined && freeProvider(this.#state, role, this.#parts.now) === null;
    if (limited || roles.get(name)?.vanished === true) return 'parked';
    if (running > 0) return 'running';
    return waits.some(({ blocks }) => blocks !== 'none') ? 'waiting' : 'idle';
  }

  #running(name: RoleName): number {
    return [...this.#state.turns.values()].filter(
      ({ role, phase }) => role === name && (phase.is === 'active' || phase.is === 'returned'),
    ).length;
  }

  #waits(name: RoleName): WaitStatus[] {
    return this.#waiting.of(name).flatMap((wait): WaitStatus[] => {
      const open = this.#waiting.openAsks(wait);
      if (open.length === 0) return [];
      const messages = [...new Set(open.map(({ request }) => request))];
      const deadlines = messages.flatMap((id) => this.#state.deadlines.get(id) ?? []);
      const deadline = deadlines.length > 0 ? Math.min(...deadlines) : null;
      const roles = [...new Set(open.flatMap((ask) => this.#candidates(ask)))];
      const types = [...new Set(messages.flatMap((id) => this.#state.mail.get(id)?.message.type ?? []))];
      const { thread, blocks, since } = wait;
      return [{ thread, blocks, roles, messages, types, since: iso(since), deadline: isoOrNull(deadline) }];
    });
  }

  #candidates(ask: Ask): readonly RoleName[] {
    const current = askState(this.#state, ask);
    return current?.is === 'open' ? current.candidates : [];
  }

  #countMail(): void {
    const count = (role: RoleName) => this.#inboxes.set(role, (this.#inboxes.get(role) ?? 0) + 1);
    for (const { deliveries } of this.#state.mail.values())
      for (const [role, { at }] of deliveries) if (at === 'inbox') count(role);
    for (const { role } of this.#state.unread.values()) count(role);
  }

  #collectDebts(): void {
    const { turns, waits, mail } = this.#state;
    const owe = (role: RoleName, ask: Ask) => {
      if (askState(this.#state, ask)?.is !== 'open') return;
      const debts = this.#debts.get(role) ?? new Map<string, Ask>();
      this.#debts.set(role, debts.set(askKey(ask), ask));
    };
    for (const { role, owes } of [...turns.values(), ...waits.values()])
      for (const ask of owes) owe(role, ask);
    const { protocol } = this.#parts;
    if (!protocol) return;
    for (const { message, request } of mail.values())
      for (const recipient of request?.asks.keys() ?? []) {
        const ask = { request: message.id, recipient };
        for (const role of this.#candidates(ask)) if (isHuman(protocol, role)) owe(role, ask);
      }
  }

  #debt({ request }: Ask): DebtStatus[] {
    const message = this.#state.mail.get(request)?.message;
    if (!message) return [];
    return [{ message: request, type: message.type, to: message.from, subject: message.subject }];
  }
}

function together(waits: readonly WaitStatus[]): RoleStatus['waiting_for'] {
  const [first, ...rest] = waits;
  if (!first) return null;
  const since = rest.reduce((oldest, wait) => (wait.since < oldest ? wait.since : oldest), first.since);
  return {
    roles: [...new Set(waits.flatMap(({ roles }) => roles))],
    messages: waits.flatMap(({ messages }) => messages),
    since,
  };
}
