import type { Holder } from '../letters/letters.ts';

/** Who uses slots: the mail, or a run by its ID. */
type UserName = string;

export const mailUser: UserName = 'mail';

/** An agent that occupies a slot: its turn, or its run and step, and since when. */
export interface OccupiedBy {
  readonly record: string;
  readonly at: number;
}

/** A user of agent slots beside others in the same host process. */
export interface SlotUser {
  /** How many agents it may have, including its current ones. */
  allowance(): number;
  /** Reports how many it has, or is about to start, and the first of them. */
  uses(count: number, first: OccupiedBy | null): void;
  /** Releases all its slots permanently. */
  leave(): void;
}

interface Use {
  readonly name: UserName;
  readonly wake: () => void;
  agents: number;
  first: OccupiedBy | null;
}

/** The note of a holder has a limit of length. */
const mostUsers = 50;

/**
 * The agents that one host process may have together: turns of roles, and those of every run in it.
 * The first to look gets the free slots. When one is released, or the last one is taken, the others
 * are woken.
 */
export class SharedSlots {
  readonly #limit: number;
  readonly #users = new Map<SlotUser, Use>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** `wake`: there may be a free slot, or no more. Called later, never from inside a call. */
  join(name: UserName, wake: () => void): SlotUser {
    const user: SlotUser = {
      allowance: () => Math.max(0, this.#limit - this.#used(user)),
      uses: (agents, first) => this.#set(user, agents, first),
      leave: () => {
        this.#set(user, 0, null);
        this.#users.delete(user);
      },
    };
    this.#users.set(user, { name, wake, agents: 0, first: null });
    return user;
  }

  /** Everybody who shares the slots, for the note of the host; null: one is free. */
  get taken(): Holder['slots'] {
    if (this.#used() < this.#limit) return null;
    const uses = [...this.#users.values()].map(({ name, agents, first }) => ({ user: name, agents, first }));
    return { most: this.#limit, uses: uses.slice(0, mostUsers) };
  }

  #used(except?: SlotUser): number {
    let sum = 0;
    for (const [each, { agents }] of this.#users) if (each !== except) sum += agents;
    return sum;
  }

  #set(user: SlotUser, agents: number, first: OccupiedBy | null): void {
    const use = this.#users.get(user);
    if (!use) return;
    const isLess = agents < use.agents;
    const isMore = agents > use.agents;
    use.agents = agents;
    use.first = first;
    if (!isLess && !(isMore && this.#used() >= this.#limit)) return;
    const others = [...this.#users].filter(([each]) => each !== user);
    queueMicrotask(() => {
      for (const [each, { wake }] of others) if (this.#users.has(each)) wake();
    });
  }
}
