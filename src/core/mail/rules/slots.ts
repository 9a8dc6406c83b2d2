import type { RoleName, ThreadId } from '../message.ts';
import type { Protocol, Role } from '../protocol.ts';
import type { MailState, Turn } from '../state.ts';
import { dayOf, fits, reservedBy, type Fit } from '../money.ts';
import { nothing } from '../state.ts';

/** What a launch needs to be free, and what it takes. */
export interface Launch {
  readonly role: Role;
  readonly thread: ThreadId;
  readonly holds: string | null;
}

/** A turn that has a process, or whose work is being committed; a turn in backoff holds no slot. */
export function occupies(turn: Turn): boolean {
  return turn.phase.is === 'active' || turn.phase.is === 'returned';
}

/** Counts what is taken, and what this round of deciding has given away already. */
export class Slots {
  readonly #state: MailState;
  readonly #protocol: Protocol;
  readonly #now: number;
  #total = 0;
  readonly #byRole = new Map<RoleName, number>();
  readonly #held = new Set<string>();
  /** `role thread` of every open turn: one of a role in a thread, whatever its phase. */
  readonly #together = new Set<string>();
  readonly #granted: { thread: ThreadId; usd: number; tokens: number }[] = [];

  constructor(state: MailState, protocol: Protocol, now: number) {
    this.#state = state;
    this.#protocol = protocol;
    this.#now = now;
    for (const turn of state.turns.values()) {
      this.#together.add(`${turn.role} ${turn.thread}`);
      if (occupies(turn)) this.#count(turn.role, turn.holds);
    }
  }

  #count(role: RoleName, holds: string | null): void {
    this.#total += 1;
    this.#byRole.set(role, (this.#byRole.get(role) ?? 0) + 1);
    if (holds !== null) this.#held.add(holds);
  }

  /** How many more turns of this role may run. */
  free(role: Role): number {
    const own = role.concurrency - (this.#byRole.get(role.name) ?? 0);
    return Math.max(0, Math.min(own, this.#protocol.concurrency - this.#total));
  }

  /** True when a turn of this role is open in this thread. */
  busy(role: RoleName, thread: ThreadId): boolean {
    return this.#together.has(`${role} ${thread}`);
  }

  /** True when nobody wants this role, thread or provider to start anything now. */
  heldBack({ role, thread }: Launch): boolean {
    const { paused, parked, roles } = this.#state;
    if (paused.all || paused.roles.has(role.name) || paused.threads.has(thread)) return true;
    if (roles.get(role.name)?.vanished === true) return true;
    return (parked.get(role.provider) ?? 0) > this.#now;
  }

  /** True when a slot and the folder are free. */
  room(launch: Launch): boolean {
    return this.free(launch.role) > 0 && !(launch.holds !== null && this.#held.has(launch.holds));
  }

  /** Whether the money for one more launch is there. */
  money({ role, thread }: Launch): Fit {
    const { limits } = this.#protocol;
    const ofThread = this.#reserved(thread);
    const threadCost = this.#state.threads.get(thread)?.cost ?? nothing;
    const today = this.#state.spent.day === dayOf(this.#now) ? this.#state.spent.cost : nothing;
    const inThread = fits(limits.threadBudget, threadCost, ofThread, role.budget);
    const inDay = fits(limits.dayBudget, today, this.#reserved(null), role.budget);
    return inThread === 'never' || inDay === 'never' ? 'never' : inThread === 'fits' ? inDay : 'later';
  }

  #reserved(thread: ThreadId | null): { usd: number; tokens: number } {
    const sum = thread === null ? reservedBy(this.#state, null) : reservedBy(this.#state, thread);
    return this.#granted
      .filter((grant) => thread === null || grant.thread === thread)
      .reduce((total, grant) => ({ usd: total.usd + grant.usd, tokens: total.tokens + grant.tokens }), sum);
  }

  /** Takes what a launch needs. */
  take({ role, thread, holds }: Launch): void {
    this.#count(role.name, holds);
    this.#together.add(`${role.name} ${thread}`);
    this.#granted.push({ thread, usd: role.budget?.usd ?? 0, tokens: role.budget?.tokens ?? 0 });
  }
}

/** The folder that a turn of this role must have for itself: that of its thread, if it may change it. */
export function holdsOf(protocol: Protocol, role: Role, thread: ThreadId): string | null {
  const writes = role.capabilities.includes('EDIT') || role.capabilities.includes('RUN_COMMANDS');
  if (!writes) return null;
  return protocol.workspace.kind === 'worktree' ? thread : protocol.workspace.path;
}
