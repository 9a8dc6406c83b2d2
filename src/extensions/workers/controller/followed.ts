import type { JobName } from '../queue/channel.ts';
import type { AgentJob } from '../../../host/runner/runner.ts';

/** What asks the queue again and again. */
export interface Look {
  /** Whether something may have changed since it asked. */
  stirred: boolean;
  wake: () => void;
}

/** One turn on a worker, or on its way. */
export interface Followed extends Look {
  readonly job: AgentJob;
  readonly name: JobName;
  /** The journal has what was last reported of it: its job, or its worker. */
  released: boolean;
  /** The worker that has it; no other may begin it. Null: none has asked for it. */
  worker: string | null;
  /** Whether that worker was reported by this host. */
  reported: boolean;
  /** The commit that its checkout had when this host sent it; null: an earlier host has sent it. */
  begun: string | null;
  ending: 'no' | 'stop' | 'leave';
  /** Since when git fails, in milliseconds on `elapsed`; infinite: it does not. */
  failingSince: number;
  /** Resolves when the host leaves it; `depart` makes it so. */
  readonly left: Promise<null>;
  readonly depart: () => void;
}

/** What the queue answers; null: the host leaves the turn first. */
export function unlessLeft<T>({ left }: Followed, answer: Promise<T>): Promise<T | null> {
  return Promise.race([answer, left]);
}

/** Whether the host has left it meanwhile. */
export function isLeft({ ending }: Followed): boolean {
  return ending === 'leave';
}

export function stir(look: Look): void {
  look.stirred = true;
  look.wake();
}

/** Resolves once something may have changed since the last look. */
export function changed(look: Look): Promise<void> {
  if (look.stirred) {
    look.stirred = false;
    return Promise.resolve();
  }
  return new Promise((resolve) => (look.wake = resolve));
}
