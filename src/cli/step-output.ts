import { printable } from './format.ts';
import type { StepLog } from '../project/definition/contracts.ts';

type Logs = () => readonly Pick<StepLog, 'name' | 'path' | 'read'>[];

/** The output of a run's steps as it comes, in whole lines: `build | 3 tests passed`. */
export class StepOutput {
  readonly #logs: Logs;
  readonly #isWanted: (path: string) => boolean;
  readonly #at = new Map<string, number>();
  /** The beginning of a line whose end has not come yet, by log. */
  readonly #begun = new Map<string, string>();

  /** `step`: only this step, with its inner steps and all iterations; null: all. */
  constructor(logs: Logs, step: string | null) {
    this.#logs = logs;
    this.#isWanted = stepFilter(step);
  }

  /** The lines since the last call. `ended`: an unfinished line counts, too. */
  read(ended: boolean): string[] {
    return this.#logs().flatMap((log) => {
      const { name, path } = log;
      if (!this.#isWanted(path)) return [];
      const { text, end } = log.read(this.#at.get(name) ?? 0);
      this.#at.set(name, end);
      const lines = `${this.#begun.get(name) ?? ''}${text}`.split(/\r\n|\n/);
      const last = lines.pop() ?? '';
      this.#begun.set(name, ended ? '' : last);
      if (ended && last !== '') lines.push(last);
      return lines.map((line) => `${path} | ${printable(line)}`);
    });
  }
}

/** A step and all below it; for a step in a loop, each iteration. Null: every step. */
function stepFilter(step: string | null): (path: string) => boolean {
  return (path) => step === null || `${path}/`.startsWith(`${step}/`) || path.endsWith(`/${step}`);
}
