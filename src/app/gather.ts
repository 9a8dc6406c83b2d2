/**
 * A function that calls `act` once, when everything that came in together has been heard: at the end of this turn of the
 * event loop. What several processes report at the same time is then one look of the host, and one sync.
 */
export function gathered(act: () => void): () => void {
  let due = false;
  return () => {
    if (due) return;
    due = true;
    setImmediate(() => {
      due = false;
      act();
    });
  };
}
