const LONGEST_TIMER_MS = 3_600_000;

export interface LimitWatch {
  /** Something came from the process. */
  touch(): void;
  stop(): void;
}

/**
 * Calls `reached` once, when the process has run for `totalMs` or has been silent for `idleMs`. By the monotonic clock:
 * neither a changed wall clock nor a suspended machine counts. Any length is allowed, also beyond the 24.8 days of a timer.
 */
export function watchLimits(
  limits: { readonly totalMs: number | null; readonly idleMs: number | null },
  reached: (limit: 'total-timeout' | 'idle-timeout') => void,
): LimitWatch {
  const start = performance.now();
  let active = start;
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;

  const left = (): { total: number; idle: number } => {
    const now = performance.now();
    return {
      total: (limits.totalMs ?? Infinity) - (now - start),
      idle: (limits.idleMs ?? Infinity) - (now - active),
    };
  };
  const arm = (): void => {
    const { total, idle } = left();
    const wait = Math.min(total, idle);
    if (stopped || wait === Infinity) return;
    // Output that waits to be read, because this process was busy or suspended, comes before the verdict.
    if (wait <= 0) setImmediate(judge);
    else timer = setTimeout(arm, Math.min(Math.ceil(wait), LONGEST_TIMER_MS));
  };
  const judge = (): void => {
    const { total, idle } = left();
    if (stopped) return;
    if (total > 0 && idle > 0) return arm();
    stopped = true;
    reached(total <= 0 ? 'total-timeout' : 'idle-timeout');
  };
  arm();
  return {
    touch() {
      active = performance.now();
    },
    stop() {
      stopped = true;
      clearTimeout(timer);
    },
  };
}
