/** Calls back at an instant; milliseconds since 1970. */
export function timer(at: number, onTime: () => void): { cancel(): void } {
  const timeout = setTimeout(onTime, Math.max(0, at - Date.now()));
  return { cancel: () => clearTimeout(timeout) };
}
