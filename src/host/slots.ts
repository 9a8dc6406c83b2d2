/** A user of agent slots beside others in the same host process. */
export interface SlotUser {
  /** How many agents it may have, including its current ones. */
  allowance(): number;
  /** Reports how many it has, or is about to start. */
  uses(count: number): void;
  /** Releases all its slots permanently. */
  leave(): void;
}

/**
 * The agents that one host process may have together: turns of roles, and those of every run in it.
 * The first to look gets the free slots; when one is released, the others are woken.
 */
export class SharedSlots {
  readonly #limit: number;
  readonly #users = new Map<SlotUser, { count: number; readonly wake: () => void }>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** `wake`: there may be a free slot. Called later, never from inside a call. */
  join(wake: () => void): SlotUser {
    const user: SlotUser = {
      allowance: () => Math.max(0, this.#limit - this.#usedByOthers(user)),
      uses: (count) => this.#set(user, count),
      leave: () => {
        this.#set(user, 0);
        this.#users.delete(user);
      },
    };
    this.#users.set(user, { count: 0, wake });
    return user;
  }

  #usedByOthers(user: SlotUser): number {
    let sum = 0;
    for (const [each, { count }] of this.#users) if (each !== user) sum += count;
    return sum;
  }

  #set(user: SlotUser, count: number): void {
    const entry = this.#users.get(user);
    if (!entry) return;
    const fewer = count < entry.count;
    entry.count = count;
    if (!fewer) return;
    const others = [...this.#users].filter(([each]) => each !== user);
    queueMicrotask(() => {
      for (const [each, { wake }] of others) if (this.#users.has(each)) wake();
    });
  }
}
