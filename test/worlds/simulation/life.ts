import { noTrail } from '../../../src/mail/trail/none.ts';
import { Loop, type Ending, type Host } from '../../../src/host/loop.ts';
import { Crash } from './faults.ts';
import type { Timeline } from './timeline.ts';

/** Who wants to know of a life. */
export interface Witness {
  /** Called before it does anything. */
  acts(): void;
  /** Called once, when it was killed or has ended by itself; `error`: why. */
  gone(error: Error | null): void;
}

/** One life of a host in the real loop and in virtual time. Once it was killed, what it began comes to nothing. */
export abstract class Life {
  #loop: Loop | null = null;
  #alive = true;
  readonly #timeline: Timeline;
  readonly #witness: Witness;

  constructor(timeline: Timeline, witness: Witness) {
    this.#timeline = timeline;
    this.#witness = witness;
  }

  /** What still has to be done when the loop has ended. */
  protected async finish(): Promise<void> {}
  protected abstract takeSnapshot(): void;

  protected get alive(): boolean {
    return this.#alive;
  }

  protected get loop(): Loop {
    if (!this.#loop) throw new Error('it does not live yet');
    return this.#loop;
  }

  protected live(host: Host, untilIdle: boolean): void {
    const now = () => this.#timeline.now;
    const timer = (at: number, onTime: () => void) => this.later(at - now(), onTime, 'timer');
    const watch = () => ({ close: () => Promise.resolve() });
    this.#loop = new Loop(host, { watch, timer, now, trail: noTrail }, { untilIdle });
  }

  /** Begins to work. Afterwards let the promises settle. */
  run(): void {
    const end = async (): Promise<void> => {
      await this.loop.run();
      await this.finish();
    };
    end().then(
      () => this.#end(null),
      (error: unknown) => this.#end(asError(error)),
    );
  }

  protected later(after: number, act: () => void, kind: 'work' | 'timer' = 'work'): { cancel(): void } {
    return this.#timeline.later(
      after,
      () => {
        if (!this.#alive) return;
        this.#witness.acts();
        act();
      },
      kind,
    );
  }

  /** What the runner reports, as the program passes it on. */
  protected told(act: () => void): void {
    this.loop.report(() => {
      try {
        act();
      } catch (error) {
        if (!(error instanceof Crash)) throw error;
        this.#end(error);
      }
    });
    this.loop.wake();
  }

  /** Something may have changed. */
  hint(): void {
    this.later(0, () => this.loop.hint());
  }

  /** Somebody stops it on purpose. */
  end(how: Ending): void {
    this.later(0, () => this.loop.end(how));
  }

  /** Takes a snapshot, as the loop does when the journal has grown long. */
  snapshot(): void {
    this.#witness.acts();
    try {
      this.takeSnapshot();
    } catch (error) {
      this.#end(asError(error));
    }
  }

  /** Something outside of the loop ends it. */
  protected fail(error: Error): void {
    this.#witness.acts();
    this.loop.fail(error);
  }

  /** It dies here, with everything that it ran. */
  kill(): void {
    this.#end(new Crash('killed'));
  }

  #end(error: Error | null): void {
    if (!this.#alive) return;
    this.#alive = false;
    this.#witness.gone(error);
  }
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
