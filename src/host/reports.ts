import type { Loop } from './loop.ts';

/**
 * A function for what processes report: it has the host told by `act`, and the loop look again. A journal that refuses ends
 * the loop. What several report in one turn of the event loop is one look, and one sync.
 */
export function reportsTo(loop: Loop): (act: () => void) => void {
  let due = false;
  return (act) => {
    try {
      act();
    } catch (error) {
      loop.fail(error);
    }
    if (due) return;
    due = true;
    setImmediate(() => {
      due = false;
      loop.wake();
    });
  };
}
