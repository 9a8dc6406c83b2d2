import type { Message } from '../../mail/format/message.ts';
import type { Host, LookResult } from '../../host/loop.ts';
import type { SharedSlots } from '../../host/slots.ts';
import type { WorkflowTriggers } from '../triggers/host.ts';
import type { RunningOutput } from '../../host/latest-output.ts';
import type { Idle } from '../../host/idle.ts';

/**
 * The runs hosted by this process. An interface, because the room of the runs' hosts must not know
 * the operations that start them.
 */
export interface OwnRuns {
  readonly count: number;
  /** Their running steps, each with at most this many lines. */
  latest(most: number): readonly RunningOutput[];
  /** Ends them: running processes are stopped and put back, or (`drain`) finish first. */
  end(how: 'stop' | 'drain'): void;
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

/**
 * The host of `up`: the mail, the triggers, and the runs that these start, in one process. The runs
 * have loops of their own; here they only keep it from ending.
 */
export class UpHost implements Host {
  readonly #mail: Host;
  readonly #triggers: readonly WorkflowTriggers[];
  readonly #runs: OwnRuns;
  readonly #isTalking: () => boolean;

  constructor(
    mail: Host,
    { triggers, runs, isTalking }: Pick<UpWorkflows, 'triggers' | 'runs' | 'isTalking'>,
  ) {
    this.#mail = mail;
    this.#triggers = triggers;
    this.#runs = runs;
    this.#isTalking = isTalking;
  }

  get desired(): number {
    return this.#mail.desired + this.#runs.count;
  }

  get running(): number {
    return this.#mail.running + this.#runs.count;
  }

  record(scan: boolean): void {
    this.#mail.record(scan);
  }

  sync(): Promise<void> | null {
    return this.#mail.sync();
  }

  carryOut(): LookResult {
    const mail = this.#mail.carryOut();
    const wakes = [mail.wake, ...this.#triggers.map((each) => each.look())].filter((at) => at !== null);
    return { ...mail, wake: wakes.length === 0 ? null : Math.min(...wakes) };
  }

  /** Runs in progress and talking channels keep the host busy; triggers do not. */
  idle(): Idle {
    const isBusy = this.#runs.count > 0 || this.#triggers.some(({ running }) => running) || this.#isTalking();
    return isBusy ? 'busy' : this.#mail.idle();
  }

  hold(): void {
    this.#mail.hold();
    this.#endTriggers('drain');
  }

  stop(): void {
    this.#endTriggers('stop');
    this.#mail.stop();
  }

  stopTrying(): void {
    this.#mail.stopTrying?.();
  }

  stopAll(): void {
    this.#endTriggers('stop');
    this.#mail.stopAll();
  }

  #endTriggers(how: 'stop' | 'drain'): void {
    for (const each of this.#triggers) each.hold();
    this.#runs.end(how);
  }

  flush(): void {
    this.#mail.flush();
  }

  get snapshotDue(): boolean {
    return this.#mail.snapshotDue;
  }

  snapshot(trailAt: number | null): void {
    this.#mail.snapshot(trailAt);
  }
}
