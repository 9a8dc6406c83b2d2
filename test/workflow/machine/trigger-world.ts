import type { Trigger } from '../../../src/workflow/automation.ts';
import { decideTriggers, runEnded } from '../../../src/workflow/machine/triggers/decide.ts';
import { noMemory, taken } from '../../../src/workflow/machine/triggers/memory.ts';
import { asked, filesChanged, polled } from '../../../src/workflow/machine/triggers/notice.ts';
import type { Start } from '../../../src/letters/letters.ts';

const minute = 60_000;

/** A line of a crontab that fires at every n-th minute. */
export function everyMinutes(name: string, n: number): Trigger {
  return { name, kind: 'cron', expression: `*/${String(n)} * * * *`, timezone: null };
}

/** The triggers of one workflow under a clock that the test turns. */
export class TriggerWorld {
  now = 0;
  memory = noMemory;
  wake: number | null = null;
  /** How often each command was run. */
  readonly polls: string[] = [];
  readonly started: Start[] = [];
  /** The run that the one in progress must be cancelled for. */
  next: Start | null = null;
  readonly #cancelsOlder: boolean;
  /** What a person says to a run that waits for one. */
  said: (start: Start) => 'yes' | 'no' | null = () => null;
  readonly #triggers: readonly Trigger[];
  #runs = 0;

  constructor(triggers: readonly Trigger[], { cancelsOlder = false } = {}) {
    this.#triggers = triggers;
    this.#cancelsOlder = cancelsOlder;
    this.look();
  }

  readonly #fresh = (): string => `run-${String((this.#runs += 1))}`;

  look(): void {
    const decided = decideTriggers(this.memory, this.#triggers, {
      now: this.now,
      fresh: this.#fresh,
      said: (start) => this.said(start),
      cancelsOlder: this.#cancelsOlder,
      next: ({ expression }, after) => {
        const step = Number(/\/(\d+)/.exec(expression)?.[1]) * minute;
        return (Math.floor(after / step) + 1) * step;
      },
    });
    this.memory = decided.memory;
    this.wake = decided.wake;
    this.next = decided.next;
    this.polls.push(...decided.polls);
    if (decided.start !== null) this.started.push(decided.start);
  }

  /** Lets time pass, with a look whenever one is due. */
  pass(milliseconds: number): void {
    const end = this.now + milliseconds;
    while (this.wake !== null && this.wake <= end) {
      this.now = Math.max(this.now, this.wake);
      this.look();
    }
    this.now = end;
    this.look();
  }

  change(trigger: string, ...files: string[]): void {
    this.memory = filesChanged(this.memory, trigger, files, this.now);
    this.look();
  }

  print(name: string, output: string): void {
    const trigger = this.#triggers.find((each) => each.name === name);
    if (trigger?.kind !== 'command') throw new Error(`${name} is no command`);
    this.memory = polled(this.memory, trigger, output, { now: this.now, fresh: this.#fresh });
    this.look();
  }

  ask(name: string, data: { readonly [key: string]: string }): void {
    const trigger = this.#triggers.find((each) => each.name === name);
    if (trigger === undefined) throw new Error(`there is no trigger ${name}`);
    this.memory = asked(this.memory, trigger, data, { now: this.now, fresh: this.#fresh });
    this.look();
  }

  /** The run that goes on ends. */
  end(): void {
    this.memory = runEnded(this.memory, this.memory.going?.run ?? '', this.now);
    this.look();
  }

  /** The host ends and another one begins, with what was written down. */
  restart(): void {
    this.memory = taken(JSON.parse(JSON.stringify(this.memory)) as typeof this.memory, this.#triggers);
    this.look();
  }
}
