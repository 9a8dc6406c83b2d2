/** Milliseconds between two readings while changes arrive without a pause. */
const rest = 100;
/** So many readings after a quiet time do not wait for each other. */
const atOnce = 3;
/** Milliseconds for the record of a file that has arrived: one reading shows both. */
const settling = 100;

/**
 * When changed documents are read again: a record at once, a file that has arrived with its record,
 * and in a flood of changes ten times a second. Times are in milliseconds.
 */
export class Pace {
  /** The time of the next reading; null: nothing has changed since the last one. */
  #due: number | null = null;
  /** When all readings so far are over, were there a rest after each. */
  #paid = 0;

  /** Something has changed. Returns the time of the next reading if that is earlier than before. */
  changed(isRecord: boolean, now: number): number | null {
    const due = Math.max(now + (isRecord ? 0 : settling), this.#paid - rest * (atOnce - 1));
    if (this.#due !== null && this.#due <= due) return null;
    this.#due = due;
    return due;
  }

  /** What has changed is read now. */
  read(now: number): void {
    this.#due = null;
    this.#paid = Math.max(this.#paid, now) + rest;
  }
}
