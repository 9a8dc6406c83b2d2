import type { RunState } from './state.ts';

/** Milliseconds that count towards the run's timeout. */
export function clockNow({ clock }: RunState, now: number): number {
  return clock.spent + (clock.since === null ? 0 : Math.max(0, now - clock.since));
}
