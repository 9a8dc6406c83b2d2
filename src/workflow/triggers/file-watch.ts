import { MailroomError } from '../../kernel/errors.ts';
import type { Trigger } from '../automation.ts';
import type { TriggerPorts } from './trigger-ports.ts';

/** Milliseconds between two unprompted looks at the files. */
const lookEvery = 30_000;

/** When files that a process still writes are looked at again, in milliseconds. */
const writtenAgain = 200;

/** How long a file must be unchanged where it is not known who writes it, in milliseconds. */
const stillMs = 2_000;

/** How many times as long as a look the next hint waits, so that looks leave time for all else. */
const restFactor = 10;

type WatchPorts = Pick<TriggerPorts, 'files' | 'writing' | 'clock'>;

type Files = ReadonlyMap<string, string>;

type Held = Map<string, { readonly stamp: string; readonly since: number }>;

/**
 * Finds which watched files have changed since the last look, once no process writes them any more.
 * Files that exist at the beginning are not changes.
 */
export class FileWatch {
  readonly #triggers: readonly Extract<Trigger, { kind: 'files' }>[];
  readonly #ports: WatchPorts;
  readonly #seen = new Map<string, Files>();
  /** Changed files that may be incomplete: their fingerprints, and since when they have those. */
  #held: Held = new Map();
  /** When a hint causes a look at the earliest, in milliseconds since 1970. */
  #restsUntil = 0;
  #problem: string | null = null;
  /** When to look again, in milliseconds since 1970; null: nothing is watched. */
  wake: number | null = null;

  constructor(triggers: readonly Trigger[], ports: WatchPorts) {
    this.#triggers = triggers.filter((trigger) => trigger.kind === 'files');
    this.#ports = ports;
    this.look(0);
    this.hint();
  }

  /** Why the files of a trigger were not looked at the last time; null: they were. */
  get problem(): string | null {
    return this.#problem;
  }

  /** A file may have changed. */
  hint(): void {
    if (this.wake !== null) this.wake = Math.min(this.wake, this.#restsUntil);
  }

  /** A clock that was set back does not defer a look. */
  isDue(now: number): boolean {
    return this.wake !== null && (now >= this.wake || this.wake - now > lookEvery);
  }

  look(now: number): { name: string; files: string[] }[] {
    if (this.#triggers.length === 0) return [];
    const began = this.#ports.clock.now();
    this.#problem = null;
    const held: Held = new Map();
    const found = this.#triggers.flatMap(({ name, globs }) => {
      const files = this.#filesOf(name, globs);
      const before = this.#seen.get(name) ?? files;
      if (files === null || before === null) return [];
      const changed = differing(before, files);
      const open = this.#incomplete(changed, files, now);
      for (const [file, since] of open) held.set(file, since);
      this.#seen.set(name, withoutChanges(files, before, open));
      const complete = changed.filter((file) => !open.has(file));
      return complete.length === 0 ? [] : [{ name, files: complete }];
    });
    this.#held = held;
    const ended = this.#ports.clock.now();
    this.#restsUntil = ended + Math.min(lookEvery, Math.max(0, ended - began) * restFactor);
    this.wake = Math.max(now + (held.size > 0 ? writtenAgain : lookEvery), this.#restsUntil);
    return found;
  }

  /** Those of the changed files that a process writes, or may write. */
  #incomplete(changed: readonly string[], files: Files, now: number): Held {
    const there = changed.filter((file) => files.has(file));
    const open: Held = new Map();
    for (const [index, writing] of this.#ports.writing(there).entries()) {
      const file = there[index]!;
      const stamp = files.get(file)!;
      const known = this.#held.get(file);
      const since = known?.stamp === stamp && known.since <= now ? known.since : now;
      if (writing === 'none' || (writing === 'unknown' && now - since >= stillMs)) continue;
      open.set(file, { stamp, since });
    }
    return open;
  }

  #filesOf(name: string, globs: readonly string[]): Files | null {
    try {
      return this.#ports.files(globs);
    } catch (error) {
      if (!(error instanceof MailroomError) || error.code !== 'E_VALUE') throw error;
      this.#problem ??= `the trigger \`${name}\` sees no changes: ${error.message}; ${error.hint ?? ''}`;
      return null;
    }
  }
}

function differing(before: Files, after: Files): string[] {
  const changed = [...after].filter(([file, stamp]) => before.get(file) !== stamp).map(([file]) => file);
  const removed = [...before.keys()].filter((file) => !after.has(file));
  return [...changed, ...removed];
}

/** The files with the earlier fingerprints of some, which so count as changed at the next look. */
function withoutChanges(files: Files, before: Files, some: ReadonlyMap<string, unknown>): Files {
  if (some.size === 0) return files;
  const kept = new Map(files);
  for (const file of some.keys()) {
    const earlier = before.get(file);
    if (earlier === undefined) kept.delete(file);
    else kept.set(file, earlier);
  }
  return kept;
}
