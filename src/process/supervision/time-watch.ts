/** Node would turn a timer beyond 24.8 days into one of a millisecond. */
const longest = 3_600_000;

/**
 * Calls `reached` once, when `left` returns nothing more: milliseconds by the monotonic clock, so
 * that neither clock changes nor suspension count; Infinity: no end. Call `again` when less time
 * may be left than before.
 */
export function watchTime(left: () => number, reached: () => void): { again(): void; stop(): void } {
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  const again = (): void => {
    clearTimeout(timer);
    const wait = left();
    if (stopped || wait === Infinity) return;
    // Output that waits to be read, because this process was busy or suspended, counts before the
    // decision.
    if (wait <= 0) setImmediate(judge);
    else timer = setTimeout(again, Math.min(Math.ceil(wait), longest));
  };
  const judge = (): void => {
    if (stopped) return;
    if (left() > 0) return again();
    stopped = true;
    reached();
  };
  again();
  return {
    again,
    stop() {
      stopped = true;
      clearTimeout(timer);
    },
  };
}
