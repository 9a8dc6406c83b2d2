import { MailroomError } from '../../kernel/errors.ts';
import type { Trigger } from '../automation.ts';
import type { TriggerPorts } from './trigger-ports.ts';

/** Milliseconds between two unprompted looks at the files. */
const lookEvery = 30_000;

/** How many times as long as a look the next hint waits, so that looks leave time for all else. */
const restFactor = 10;

type Files = ReadonlyMap<string, string>;

/**
 * Finds which watched files have changed since the last look. Files that exist at the beginning are
 * not changes.
 */
export class FileWatch {
  readonly #triggers: readonly Extract<Trigger, { kind: 'files' }>[];
  readonly #ports: Pick<TriggerPorts, 'files' | 'clock'>;
  readonly #seen = new Map<string, Files>();
  /** When a hint causes a look at the earliest, in milliseconds since 1970. */
  #restsUntil = 0;
  #problem: string | null = null;
  /** When to look again, in milliseconds since 1970; null: nothing is watched. */
  wake: number | null = null;

  constructor(triggers: readonly Trigger[], ports: Pick<TriggerPorts, 'files' | 'clock'>) {
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
    const found = this.#triggers.flatMap(({ name, globs }) => {
      const files = this.#filesOf(name, globs);
      const before = this.#seen.get(name) ?? files;
      if (files === null || before === null) return [];
      this.#seen.set(name, files);
      const changed = differing(before, files);
      return changed.length === 0 ? [] : [{ name, files: changed }];
    });
    const ended = this.#ports.clock.now();
    this.#restsUntil = ended + Math.min(lookEvery, Math.max(0, ended - began) * restFactor);
    this.wake = Math.max(now + lookEvery, this.#restsUntil);
    return found;
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
