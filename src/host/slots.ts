/** Something that runs agents, beside others in the same process of the host. */
export interface SlotUser {
  /** How many agents it may have, those that it has included. */
  allowance(): number;
  /** Says how many it has, or is about to start. */
  uses(count: number): void;
  /** It runs nothing any more. */
  leave(): void;
}

/**
 * The agents that one host process may have together: turns of roles, and those of every run in it. Whoever looks
 * first takes what is free; when somebody gives something back, the others are told to look.
 */
export class SharedSlots {
  readonly #limit: number;
  readonly #users = new Map<SlotUser, { count: number; readonly wake: () => void }>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** `wake`: there may be room now. Called later, never from inside a call. */
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
