/**
 * What waits to happen: `work` of a controller or its agents; a `timer` that comes back for ever, which is no work under
 * way; what somebody `outside` does, who does not wait for any controller.
 */
type Kind = 'work' | 'timer' | 'outside';

interface Entry {
  readonly at: number;
  readonly act: () => void;
  readonly kind: Kind;
  over: boolean;
}

/** Virtual time: it only goes on when something happens. The wall clock on it can be set, time itself cannot. */
export class Timeline {
  #elapsed = 0;
  #ahead = Date.UTC(2026, 0, 1);
  #underWay = 0;
  /** Sorted, the next one last. */
  readonly #entries: Entry[] = [];

  /** What the wall clock shows, in milliseconds since 1970. */
  get now(): number {
    return this.#elapsed + this.#ahead;
  }

  /** How much time has really gone by. */
  get elapsed(): number {
    return this.#elapsed;
  }

  /** True when something is on its way that is no mere timer. */
  get busy(): boolean {
    return this.#underWay > 0;
  }

  /** True when somebody outside is in the middle of something. */
  get outside(): boolean {
    return this.#entries.some(({ kind, over }) => kind === 'outside' && !over);
  }

  /** Lets something happen after so many milliseconds, whatever the wall clock shows then. */
  later(after: number, act: () => void, kind: Kind = 'work'): { cancel(): void } {
    const entry: Entry = { at: this.#elapsed + Math.max(0, after), act, kind, over: false };
    let place = this.#entries.length;
    while (place > 0 && (this.#entries[place - 1]?.at ?? Infinity) <= entry.at) place -= 1;
    this.#entries.splice(place, 0, entry);
    if (kind !== 'timer') this.#underWay += 1;
    return { cancel: () => this.#finish(entry) };
  }

  #finish(entry: Entry): void {
    if (!entry.over && entry.kind !== 'timer') this.#underWay -= 1;
    entry.over = true;
  }

  /** Sets the wall clock forward or back. */
  set(by: number): void {
    this.#ahead += by;
  }

  /** Lets time go by while a controller is busy: what is due meanwhile happens late, but for what others do outside. */
  pass(by: number): void {
    const until = this.#elapsed + by;
    for (const entry of this.#entries.toReversed()) {
      if (entry.at > until) break;
      if (entry.kind !== 'outside' || entry.over) continue;
      this.#elapsed = Math.max(this.#elapsed, entry.at);
      this.#finish(entry);
      entry.act();
    }
    this.#elapsed = Math.max(this.#elapsed, until);
  }

  /** Goes on to the next thing that happens, and lets it. False: nothing ever will. */
  step(): boolean {
    for (;;) {
      const entry = this.#entries.pop();
      if (!entry) return false;
      if (entry.over) continue;
      this.#finish(entry);
      this.#elapsed = Math.max(this.#elapsed, entry.at);
      entry.act();
      return true;
    }
  }
}
