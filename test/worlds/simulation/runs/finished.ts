import type { StepPath, RunEvent } from '../../../../src/workflow/machine/event.ts';
import type { JournalRecord } from '../../../../src/disk/journal-lines.ts';

/** Steps that have succeeded by what the journal says, until a person wants one again, or one that it came after. */
export class Finished {
  readonly #paths = new Set<StepPath>();
  /** A person asked for a step again: what is reopened next may have succeeded. */
  #asked = false;

  has(path: StepPath): boolean {
    return this.#paths.has(path);
  }

  /** A new host has read the journal. */
  restart(records: readonly JournalRecord<RunEvent>[]): void {
    this.#paths.clear();
    this.saw(records.map(({ event }) => event));
  }

  saw(events: readonly RunEvent[]): void {
    for (const event of events) {
      if (event.type === 'retried') this.#asked = true;
      if (event.type === 'settled' && ['SUCCEEDED', 'INCOMPLETE'].includes(event.status))
        this.#paths.add(event.path);
      // A sub-workflow that its check found incomplete runs again from its first step.
      if (event.type === 'iterating') this.#forgetInside(event.path);
      if (event.type !== 'reopened') continue;
      for (const path of event.steps) {
        this.#forgetInside(path);
        if (this.#asked) this.#paths.delete(path);
      }
      // A sub-workflow in which a step is wanted again is checked again.
      if (this.#asked) for (const path of event.opens) this.#paths.delete(path);
      this.#asked = false;
    }
  }

  #forgetInside(path: StepPath): void {
    for (const done of this.#paths) if (done.startsWith(`${path}/`)) this.#paths.delete(done);
  }
}
