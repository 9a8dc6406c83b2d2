import type { Protocol, Role } from '../../format/protocol.ts';
import type { MailState, Thread, Turn } from '../state.ts';
import {
  dayOf,
  fits,
  isLimited,
  noCost,
  reservationOf,
  shortageText,
  sumOf,
  worst,
  type Fit,
  type Reservation,
} from '../../../kernel/money.ts';
import { lineage } from '../fold/work.ts';
import { freeProvider } from './fallback.ts';
import { fitsThread, limitOf, type Grant } from './thread-budgets.ts';
import type { RoleName, ThreadId } from '../../../kernel/ids.ts';
import type { Budget, Cost } from '../../../kernel/cost.ts';
import type { Reason } from '../../../kernel/errors.ts';

/** Why a launch must wait; `explain` reports it. */
export type Hold =
  | 'paused'
  | 'inbox_missing'
  | 'usage_limit'
  | 'conflict'
  | 'concurrency'
  | 'workspace'
  | 'turn_open'
  | 'last_turn'
  | 'budget'
  | 'day_budget';

/**
 * Whether a launch can start now, must wait, or never can: then its thread fails with the reason.
 */
export type Readiness = 'now' | Hold | Reason;

/** Whether a launch must wait. */
export function isHeld(verdict: Readiness): verdict is Hold {
  return typeof verdict === 'string' && verdict !== 'now';
}

/** The resources that a launch needs. */
export interface LaunchNeeds {
  readonly role: Role;
  readonly thread: ThreadId;
  readonly holds: string | null;
  /** The launch's reservation. */
  readonly budget: Budget | null;
  /** The turn whose next attempt this is; null: a new turn. */
  readonly turn: Turn | null;
}

/** A turn with a process, or whose output is being committed; a turn in backoff holds no slot. */
export function occupies(turn: Turn): boolean {
  return turn.phase.is === 'active' || turn.phase.is === 'returned';
}

/** Whether a turn has its processes on the host of the controller. Messages are checked there. */
function isHere({ roles }: Protocol, { role, phase }: Turn): boolean {
  return phase.is !== 'active' || roles.get(role)?.on === undefined;
}

/** The first open turn with its processes on the host of the controller, and how many have not. */
export function openTurns(
  { turns }: MailState,
  protocol: Protocol,
): { readonly first: Turn | null; readonly away: number } {
  const open = [...turns.values()].filter(occupies);
  const here = open.filter((turn) => isHere(protocol, turn));
  return { first: here[0] ?? null, away: open.length - here.length };
}

/** The same protocol, with which no turn starts. */
export function withoutSlots(protocol: Protocol): Protocol {
  const roles = [...protocol.roles].map(([name, role]) => [name, { ...role, concurrency: 0 }] as const);
  return { ...protocol, concurrency: 0, roles: new Map(roles) };
}

/** The resources in use, including those that this round of deciding has already allocated. */
export class Slots {
  readonly #state: MailState;
  readonly #protocol: Protocol;
  readonly #now: number;
  #total = 0;
  readonly #byRole = new Map<RoleName, number>();
  readonly #held = new Set<string>();
  /** `role thread` of every open turn: one for each role in a thread, in any phase. */
  readonly #together = new Set<string>();
  /** How many turns are open, or were started in this round, by thread. */
  readonly #open = new Map<ThreadId, number>();
  readonly #started = new Map<ThreadId, number>();
  /** Threads in which an agent or a gate runs. */
  readonly #working = new Set<ThreadId>();
  readonly #granted: Grant[] = [];

  constructor(state: MailState, protocol: Protocol, now: number) {
    this.#state = state;
    this.#protocol = protocol;
    this.#now = now;
    for (const turn of state.turns.values()) {
      this.#together.add(`${turn.role} ${turn.thread}`);
      this.#open.set(turn.thread, (this.#open.get(turn.thread) ?? 0) + 1);
      if (turn.phase.is === 'active' || turn.phase.is === 'landing') this.#working.add(turn.thread);
      if (occupies(turn)) this.#count(turn.role, turn.holds, isHere(protocol, turn));
    }
  }

  #count(role: RoleName, holds: string | null, here: boolean): void {
    if (here) this.#total += 1;
    this.#byRole.set(role, (this.#byRole.get(role) ?? 0) + 1);
    if (holds !== null) this.#held.add(holds);
  }

  /** Registers a running process of this thread, for which other launches can wait. */
  works(thread: ThreadId): void {
    this.#working.add(thread);
  }

  /** How many more turns of this role can run. */
  free(role: Role): number {
    const own = role.concurrency - (this.#byRole.get(role.name) ?? 0);
    // The slots of the workers limit these.
    if (role.on !== undefined) return Math.max(0, own);
    return Math.max(0, Math.min(own, this.#protocol.concurrency - this.#total));
  }

  /** The provider of this role's next turn; null: all are rate limited. */
  provider(role: Role): string | null {
    return freeProvider(this.#state, role, this.#now);
  }

  /** True when a turn of this role is open in this thread. */
  busy(role: RoleName, thread: ThreadId): boolean {
    return this.#together.has(`${role} ${thread}`);
  }

  /** True when no turn of this role can start now, whatever waits for it. */
  closed(role: Role, holds: string | null): boolean {
    if (this.heldBack(role, null) !== null || this.#noRoom(role, holds) !== null) return true;
    return this.#inDay(role.budget) === 'later' || this.dayOver(role.budget) !== null;
  }

  /** What holds back every launch of this role in this thread; null: nothing. */
  heldBack(role: Role, thread: ThreadId | null): Hold | null {
    const { paused, roles } = this.#state;
    if (paused.all !== null || paused.roles.has(role.name)) return 'paused';
    if (thread !== null && pausedThread(this.#state, thread) !== null) return 'paused';
    if (roles.get(role.name)?.vanished === true) return 'inbox_missing';
    return freeProvider(this.#state, role, this.#now) === null ? 'usage_limit' : null;
  }

  #noRoom(role: Role, holds: string | null): Hold | null {
    if (this.free(role) <= 0) return 'concurrency';
    return holds !== null && this.#held.has(holds) ? 'workspace' : null;
  }

  verdict(launch: LaunchNeeds): Readiness {
    const { role, thread, holds, turn } = launch;
    const hold = this.heldBack(role, thread) ?? this.#noRoom(role, holds);
    if (hold !== null) return hold;
    if (turn?.conflict?.waits === true) return 'conflict';
    if (turn === null && this.busy(role.name, thread)) return 'turn_open';
    if (this.dayOver(launch.budget) !== null) return 'day_budget';
    if (turn === null) {
      const { turnsPerThread } = this.#protocol.limits;
      const taken = (this.#state.threads.get(thread)?.turns ?? 0) + (this.#started.get(thread) ?? 0);
      if (taken >= turnsPerThread) {
        // A turn that still runs here may close the thread, and then no further turn is needed.
        if ((this.#open.get(thread) ?? 0) > 0) return 'last_turn';
        return { code: 'E_TURNS', text: `the thread has used up its ${String(turnsPerThread)} turns` };
      }
    }
    return this.afford(launch);
  }

  /** Like `verdict`, for the budget alone. */
  afford(launch: Pick<LaunchNeeds, 'thread' | 'budget'>): Readiness {
    if (this.dayOver(launch.budget) !== null) return 'day_budget';
    const fit = this.#money(launch);
    if (fit === 'fits') return 'now';
    return fit === 'later' || this.#working.has(launch.thread) ? 'budget' : this.#shortage(launch);
  }

  /** Why there is never money for a launch. */
  #shortage({ thread, budget }: Pick<LaunchNeeds, 'thread' | 'budget'>): Reason {
    const { limits } = this.#protocol;
    const all = lineage(this.#state, thread).filter((each) => isLimited(limitOf(limits, each)));
    // What sub-threads have reserved can be what is missing, too.
    const isShort = (each: Thread) => fits(limitOf(limits, each), each.cost, sumOf([]), budget) === 'never';
    const own = all.find(isShort) ?? all[0];
    const text =
      own === undefined || this.#inDay(budget) === 'never'
        ? shortageText('a day', limits.dayBudget, this.#today(), budget)
        : shortageText('the thread', limitOf(limits, own), own.cost, budget);
    return { code: 'E_BUDGET', text };
  }

  #money({ thread, budget }: Pick<LaunchNeeds, 'thread' | 'budget'>): Fit {
    const inThread = fitsThread(this.#state, this.#protocol, this.#granted, thread, budget);
    return worst([this.#inDay(budget), inThread]);
  }

  /** Why no launch with this budget starts before tomorrow, in words; null: today's is enough. */
  dayOver(budget: Budget | null): string | null {
    const { dayBudget } = this.#protocol.limits;
    if (this.#inDay(budget) !== 'never' || fits(dayBudget, noCost, noCost, budget) === 'never') return null;
    return shortageText('a day', dayBudget, this.#today(), budget);
  }

  #inDay(budget: Budget | null): Fit {
    const { dayBudget } = this.#protocol.limits;
    if (!isLimited(dayBudget)) return 'fits';
    return fits(dayBudget, this.#today(), this.#reserved(), budget);
  }

  #today(): Cost {
    return this.#state.spent.day === dayOf(this.#now) ? this.#state.spent.cost : noCost;
  }

  #reserved(): Reservation {
    const launched = [...this.#state.turns.values()].filter(({ reserved }) => reserved);
    return sumOf([...launched.map(({ budget }) => reservationOf(budget)), ...this.#granted]);
  }

  /** Allocates the resources of a launch. */
  take({ role, thread, holds, turn, budget }: LaunchNeeds): void {
    this.#count(role.name, holds, role.on === undefined);
    this.#together.add(`${role.name} ${thread}`);
    this.#working.add(thread);
    if (turn === null) {
      this.#open.set(thread, (this.#open.get(thread) ?? 0) + 1);
      this.#started.set(thread, (this.#started.get(thread) ?? 0) + 1);
    }
    this.reserve(thread, budget);
  }

  /** Reserves money alone: a correction already has its slot. */
  reserve(thread: ThreadId, budget: Budget | null): void {
    this.#granted.push({ thread, ...reservationOf(budget) });
  }
}

/** The thread whose pause holds this one back: itself, or one above it; null: none is paused. */
export function pausedThread(state: MailState, thread: ThreadId): ThreadId | null {
  const { threads } = state.paused;
  if (threads.size === 0) return null;
  if (threads.has(thread)) return thread;
  return lineage(state, thread).find(({ id }) => threads.has(id))?.id ?? null;
}

/** The folder that a turn of this role locks, if the turn may change it. */
export function holdsOf(protocol: Protocol, role: Role, thread: ThreadId): string | null {
  const writes = role.capabilities.includes('EDIT') || role.capabilities.includes('RUN_COMMANDS');
  if (!writes) return null;
  const { workspace } = protocol;
  if (workspace.kind === 'folder') return workspace.path;
  return workspace.per === 'role' ? `${thread}/${role.name}` : thread;
}
