import { askKey, askState } from '../machine/fold/asks.ts';
import type { Ask } from '../machine/event.ts';
import { askedReason, changesOf } from '../machine/landing.ts';
import { Waiting } from '../machine/rules/waiting.ts';
import type { MailState, RoleState, Thread, Turn } from '../machine/state.ts';
import type { Landing } from '../machine/landing.ts';
import { standingOfTurn } from '../../documents/standing.ts';
import type { Cost } from '../../kernel/cost.ts';
import type { Reason } from '../../kernel/errors.ts';
import { isQueued, type Launched } from '../../kernel/launched.ts';
import { iso, isoOrNull } from '../../kernel/times.ts';
import type { RoleName, ThreadId } from '../../kernel/ids.ts';
import type {
  DebtStatus,
  LandingStatus,
  MailStatus,
  RoleStatus,
  ThreadStatus,
  TurnStatus,
  WaitStatus,
} from '../../documents/status.ts';

/**
 * What the status needs of the state of the mail: plain JSON, independent of the clock, the
 * protocol and the folders: of unfinished turns `instead_of` is null. It is valid for as long as
 * the journal does not grow.
 */
export interface MailSummary extends Pick<MailStatus, 'paused' | 'threads' | 'turns' | 'landings'> {
  /** The hash of the protocol that the last start read; empty: none. */
  readonly protocol: string;
  /** Rate-limited providers, and until when, in milliseconds since 1970. */
  readonly parked: readonly (readonly [provider: string, until: number])[];
  /** The processes of unfinished turns on this host. */
  readonly processes: readonly (readonly [turn: string, process: Launched])[];
  /** The roles in the state. */
  readonly roles: readonly RoleSummary[];
  /** The cost of the last day with any cost. */
  readonly spent: { readonly day: string; readonly cost: Cost };
}

export interface RoleSummary extends Pick<
  RoleStatus,
  'name' | 'inbox' | 'waits' | 'owes' | 'turns' | 'cost'
> {
  /** Requests that it may answer and that no turn has picked up: those that a person owes. */
  readonly asked: readonly DebtStatus[];
  /** Its inbox has vanished, with waiting mail in it. */
  readonly vanished: boolean;
  /** It did not handle the newest of its mail; what a person cancelled does not count. */
  readonly failed: boolean;
}

export function summaryOf(state: MailState): MailSummary {
  const { protocol, paused, parked, threads, turns, landings, spent } = state;
  const roles = new Roles(state);
  return {
    protocol,
    paused: {
      all: paused.all !== null,
      roles: [...paused.roles.keys()],
      threads: [...paused.threads.keys()],
    },
    parked: [...parked],
    roles: [...state.roles].map(([name, role]) => roles.summary(name, role)),
    threads: [...threads.values()].map((thread) => threadStatus(thread, state)),
    turns: [...turns.values()].map((turn) => turnStatus(turn, state)),
    processes: processesOf(turns.values()),
    landings: [...landings.values()].map(landingStatus),
    spent,
  };
}

export function threadStatus(thread: Thread, { mail }: Pick<MailState, 'mail'>): ThreadStatus {
  const { id, parent, subject, state, reason, opened, count, turns, cost } = thread;
  const folders = { worktree: null, checkouts: [] };
  const latest = mail.get(thread.messages.at(-1) ?? '')?.message.created ?? opened;
  const facts = { opened: iso(opened), latest: iso(latest), messages: count, turns, cost };
  return { id, parent, subject, state, reason, ...failureIn(thread, mail), ...facts, ...folders };
}

/** Why no turn of a role could do the newest work in a thread; null: one did, does or may. */
function failureIn(
  { messages }: Thread,
  mail: MailState['mail'],
): Pick<ThreadStatus, 'failed' | 'failed_by' | 'failed_turn'> {
  const none = { failed: null, failed_by: null, failed_turn: null };
  for (const id of messages.toReversed())
    for (const [role, delivery] of mail.get(id)?.deliveries ?? []) {
      if (delivery.at === 'failed')
        return { failed: delivery.reason, failed_by: role, failed_turn: delivery.turn ?? null };
      if (delivery.at === 'inbox' || delivery.at === 'claimed' || delivery.at === 'processed') return none;
    }
  return none;
}

const phases = {
  active: 'running',
  asking: 'asking',
  returned: 'checking',
  landing: 'landing',
  refused: 'pending',
  pending: 'pending',
  failed: 'failed',
} as const;

/** Whether no worker has begun it yet. */
function isWaiting({ phase }: Turn): boolean {
  return phase.is === 'active' && isQueued(phase.launched) && phase.worker === null;
}

function stateOf(turn: Turn): TurnStatus['state'] {
  if (isWaiting(turn)) return 'queued';
  return turn.phase.is === 'pending' && turn.conflict?.waits === true ? 'conflict' : phases[turn.phase.is];
}

/** The processes of turns on this host, by turn. */
export function processesOf(turns: Iterable<Turn>): MailSummary['processes'] {
  return [...turns].flatMap(({ id, phase }) =>
    phase.is === 'active' && phase.launched !== null && !isQueued(phase.launched)
      ? [[id, phase.launched] as const]
      : [],
  );
}

export function turnStatus(turn: Turn, { landings }: Pick<MailState, 'landings'>): TurnStatus {
  const { id, role, thread, phase, provider, attempt, round, messages, cost } = turn;
  const state = stateOf(turn);
  const asksToLand = [...landings.values()].some((each) => each.turn === id && each.phase.is === 'asked');
  const since = 'since' in phase ? phase.since : turn.claimedAt;
  const again = phase.is === 'pending' && phase.notBefore > 0 ? phase.notBefore : null;
  return {
    id,
    role,
    thread,
    state,
    standing: standingOfTurn({ state, again: isoOrNull(again) }, asksToLand),
    held: null,
    provider,
    instead_of: null,
    worker: phase.is === 'active' ? phase.worker : null,
    attempt,
    round,
    messages,
    since: iso(since),
    again: isoOrNull(again),
    progress: null,
    cost,
  };
}

const steps = { asked: 'approval', queued: 'queued', checked: 'landing', landed: 'landed' } as const;

function landingStatus(landing: Landing): LandingStatus {
  const { turn, role, thread, message, commit, lands, since, blocked, phase } = landing;
  const { branch, by } = lands;
  return {
    branch,
    by,
    state: steps[phase.is],
    turn,
    role,
    thread,
    message,
    commit,
    changes: changesOf(landing),
    blocked: askedReason(landing) ?? blocked,
    since: iso(since),
  };
}

/** Asks by their unique keys. */
type Debts = ReadonlyMap<string, Ask>;

/** Summarises the roles of one state; what concerns all of them is computed once. */
class Roles {
  readonly #state: MailState;
  readonly #waiting: Waiting;
  readonly #inboxes = new Map<RoleName, number>();
  readonly #failed = new Set<RoleName>();
  readonly #owed = new Map<RoleName, Map<string, Ask>>();
  readonly #asked = new Map<RoleName, Map<string, Ask>>();

  constructor(state: MailState) {
    this.#state = state;
    this.#waiting = new Waiting(state);
    this.#countMail();
    this.#collectDebts();
  }

  summary(name: RoleName, { turns, cost, vanished }: RoleState): RoleSummary {
    const owed: Debts = this.#owed.get(name) ?? new Map();
    const asked = [...(this.#asked.get(name) ?? [])].filter(([key]) => !owed.has(key));
    return {
      name,
      inbox: this.#inboxes.get(name) ?? 0,
      waits: this.#waits(name),
      owes: [...owed.values()].flatMap((ask) => this.#debt(ask)),
      asked: asked.flatMap(([, ask]) => this.#debt(ask)),
      turns,
      cost,
      vanished,
      failed: this.#failed.has(name),
    };
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
    for (const { message, deliveries } of this.#state.mail.values())
      for (const [role, delivery] of deliveries) {
        if (delivery.at === 'inbox') count(role);
        if (delivery.at === 'failed' && !this.#isGivenUp(message.thread, delivery.reason))
          this.#failed.add(role);
        else this.#failed.delete(role);
      }
    for (const { role } of this.#state.unread.values()) count(role);
  }

  /** Whether a person has cancelled what failed, or its thread is closed. */
  #isGivenUp(id: ThreadId, { code }: Reason): boolean {
    const thread = this.#state.threads.get(id);
    return code === 'E_CANCELLED' || thread?.reason?.code === 'E_CANCELLED' || thread?.state === 'closed';
  }

  #collectDebts(): void {
    const { turns, waits, mail } = this.#state;
    const add = (debts: Map<RoleName, Map<string, Ask>>, role: RoleName, ask: Ask) =>
      debts.set(role, (debts.get(role) ?? new Map<string, Ask>()).set(askKey(ask), ask));
    for (const { role, owes } of [...turns.values(), ...waits.values()])
      for (const ask of owes) if (askState(this.#state, ask)?.is === 'open') add(this.#owed, role, ask);
    for (const { message, request } of mail.values())
      for (const recipient of request?.asks.keys() ?? []) {
        const ask = { request: message.id, recipient };
        for (const role of this.#candidates(ask)) add(this.#asked, role, ask);
      }
  }

  #debt({ request }: Ask): DebtStatus[] {
    const message = this.#state.mail.get(request)?.message;
    if (!message) return [];
    const { thread, type, from: to, subject } = message;
    const deadline = isoOrNull(this.#state.deadlines.get(request) ?? null);
    return [{ message: request, thread, type, to, subject, deadline }];
  }
}
