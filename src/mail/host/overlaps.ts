interface Running {
  readonly folder: string;
  readonly changes: boolean;
  /** Somebody with the right to the folder was there meanwhile. */
  shared: boolean;
}

/** Who works in which folder at the same time: of what changed there, one cannot tell whose it is. */
export class Overlaps {
  readonly #running = new Map<string, Running>();

  /** `changes`: whether it has the right to change the folder. */
  begin(key: string, folder: string, changes: boolean): void {
    const others = [...this.#running.values()].filter((one) => one.folder === folder);
    const shared = others.some((one) => one.changes);
    if (changes) for (const other of others) other.shared = true;
    this.#running.set(key, { folder, changes, shared });
  }

  /** Whether somebody else who has the right was in the folder meanwhile. */
  end(key: string): boolean {
    const shared = this.#running.get(key)?.shared ?? false;
    this.#running.delete(key);
    return shared;
  }
}
