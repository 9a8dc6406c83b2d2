import type { Trigger } from '../automation.ts';
import type { TriggerPorts } from './trigger-ports.ts';

/** Milliseconds between two unprompted looks at the files. */
const lookEvery = 30_000;

type Files = ReadonlyMap<string, string>;

/**
 * Finds which watched files have changed since the last look. Files that exist at the beginning are
 * not changes.
 */
export class FileWatch {
  readonly #triggers: readonly Extract<Trigger, { kind: 'files' }>[];
  readonly #ports: Pick<TriggerPorts, 'files'>;
  readonly #seen = new Map<string, Files>();
  /** When to look again without an event, in milliseconds since 1970; null: nothing is watched. */
  wake: number | null = null;

  constructor(triggers: readonly Trigger[], ports: Pick<TriggerPorts, 'files'>) {
    this.#triggers = triggers.filter((trigger) => trigger.kind === 'files');
    this.#ports = ports;
    for (const { name, globs } of this.#triggers) this.#seen.set(name, ports.files(globs));
  }

  /** A clock that was set back does not defer a look. */
  isDue(now: number): boolean {
    return this.wake !== null && (now >= this.wake || this.wake - now > lookEvery);
  }

  look(now: number): { name: string; files: string[] }[] {
    if (this.#triggers.length > 0) this.wake = now + lookEvery;
    return this.#triggers.flatMap(({ name, globs }) => {
      const files = this.#ports.files(globs);
      const before = this.#seen.get(name) ?? files;
      this.#seen.set(name, files);
      const changed = differing(before, files);
      return changed.length === 0 ? [] : [{ name, files: changed }];
    });
  }
}

function differing(before: Files, after: Files): string[] {
  const changed = [...after].filter(([file, stamp]) => before.get(file) !== stamp).map(([file]) => file);
  const removed = [...before.keys()].filter((file) => !after.has(file));
  return [...changed, ...removed];
}
