interface Running {
  readonly folder: string;
  readonly changes: boolean;
  /** Whether another permitted user was in the folder meanwhile. */
  shared: boolean;
}

/** Records which turns overlap in a folder: the author of a change there is then ambiguous. */
export class Overlaps {
  readonly #running = new Map<string, Running>();

  /** `changes`: whether it is permitted to change the folder. */
  begin(key: string, folder: string, changes: boolean): void {
    const others = [...this.#running.values()].filter((one) => one.folder === folder);
    const shared = others.some((one) => one.changes);
    if (changes) for (const other of others) other.shared = true;
    this.#running.set(key, { folder, changes, shared });
  }

  /** Whether anybody is in the folder. */
  isUsed(folder: string): boolean {
    return [...this.#running.values()].some((one) => one.folder === folder);
  }

  /** Whether another user with permission to change the folder overlapped with this one. */
  end(key: string): boolean {
    const shared = this.#running.get(key)?.shared ?? false;
    this.#running.delete(key);
    return shared;
  }
}
