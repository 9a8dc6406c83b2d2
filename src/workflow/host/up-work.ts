import type { Message } from '../../mail/format/message.ts';
import { earliest } from '../../kernel/times.ts';
import type { Beside, Ending } from '../../host/loop.ts';
import type { SharedSlots } from '../../host/slots.ts';
import type { WorkflowTriggers } from '../triggers/host.ts';
import type { RunningOutput } from '../../host/latest-output.ts';

/**
 * The runs hosted by this process. An interface, because the room of the runs' hosts must not know
 * the operations that start them.
 */
export interface OwnRuns {
  readonly count: number;
  /** Their running steps, each with at most this many lines. */
  latest(most: number): readonly RunningOutput[];
  /** Ends them: running processes are stopped and put back, or (`drain`) finish first. */
  end(how: Ending): void;
}

/** How triggers wake their loop. */
export interface LoopHints {
  readonly wake: () => void;
  readonly failed: (error: unknown) => void;
}

/** The workflows that `up` starts automatically, and their runs. */
export interface UpWorkflows {
  readonly triggers: readonly WorkflowTriggers[];
  readonly runs: OwnRuns;
  /** Notes for the person at the start. */
  readonly notes: readonly string[];
  problems(): readonly string[];
  /** What works again after a problem. */
  recoveries(): readonly string[];
  /** Receives sent messages. */
  readonly received: (messages: readonly Message[]) => void;
  /** Whether channels are sending or receiving: more work may come. */
  readonly isTalking: () => boolean;
  /** What channels have received; missing: there are none. `MailOptions` says what it means. */
  readonly elsewhere?: { readonly isFresh: boolean; refresh(): void };
  close(): Promise<void>;
}

/** Opens the triggers of a project, with the runs that an earlier `up` left. */
export type OpenWorkflows = (slots: SharedSlots, hints: LoopHints) => Promise<UpWorkflows>;

/** What `up` runs beside the mail: triggers, and the runs that these start. */
export class UpWork implements Beside {
  readonly #triggers: readonly WorkflowTriggers[];
  readonly #runs: OwnRuns;
  readonly #isTalking: () => boolean;

  constructor({ triggers, runs, isTalking }: Pick<UpWorkflows, 'triggers' | 'runs' | 'isTalking'>) {
    this.#triggers = triggers;
    this.#runs = runs;
    this.#isTalking = isTalking;
  }

  get count(): number {
    return this.#runs.count;
  }

  /** Runs in progress and talking channels keep the host busy; triggers do not. */
  get isBusy(): boolean {
    return this.count > 0 || this.#triggers.some(({ running }) => running) || this.#isTalking();
  }

  look(): number | null {
    return earliest(this.#triggers.map((each) => each.look()));
  }

  end(how: Ending): void {
    for (const each of this.#triggers) each.hold();
    this.#runs.end(how);
  }
}
