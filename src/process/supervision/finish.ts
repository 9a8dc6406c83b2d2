import { runningTime } from './running-time.ts';
import { watchTime } from './time-watch.ts';
import type { Finish } from '../../providers/provider.ts';

export interface FinishWatch {
  /** Receives standard output as it arrives. */
  readonly output: (output: string) => void;
  /** Whether the program has printed its final event, and has not worked since. */
  readonly isFinished: () => boolean;
  readonly stop: () => void;
}

/** Calls `reached` once, when the program has not exited in time after its final event. */
export function watchFinish({ graceMs, isFinal }: Finish, reached: () => void): FinishWatch {
  let since: number | null = null;
  const left = (): number => (since === null ? Infinity : since + graceMs - runningTime.now());
  const watch = watchTime(left, reached);
  return {
    output(output) {
      // Whatever else it prints then does not count.
      since = isFinal(output) ? (since ?? runningTime.now()) : null;
      watch.again();
    },
    isFinished: () => since !== null,
    stop: () => watch.stop(),
  };
}
