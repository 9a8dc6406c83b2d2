import type { JobName, JobQueue } from '../queue/channel.ts';
import { changed, stir, type Look } from './followed.ts';
import type { QueuedNotes } from './queued-notes.ts';
import { refsOf } from '../remote-turn.ts';
import type { Travel } from '../travel.ts';

/** Removes jobs that nothing needs, with their refs. */
export class QueuedLeftovers {
  readonly #queue: () => JobQueue;
  readonly #notes: QueuedNotes;
  readonly #travel: Travel;
  readonly #asked: (problem: string | null) => void;
  /** Jobs that are being removed from the queue. */
  readonly #removing = new Set<Look>();
  readonly #clearing = new Set<Promise<void>>();
  #isClosed = false;

  /** `asked`: receives why git cannot reach the shared repository; null: it can. */
  constructor(
    queue: () => JobQueue,
    { notes, travel }: { readonly notes: QueuedNotes; readonly travel: Travel },
    asked: (problem: string | null) => void,
  ) {
    this.#queue = queue;
    this.#notes = notes;
    this.#travel = travel;
    this.#asked = asked;
  }

  /**
   * Removes what is left of a job: first the job itself, whose worker may be sending its work, then
   * its refs. What cannot be removed now is left to the next host.
   */
  clear(name: JobName): void {
    const clearing = this.#clear(name).finally(() => this.#clearing.delete(clearing));
    this.#clearing.add(clearing);
  }

  /** Removes what earlier hosts have left of jobs that nothing needs. `needed`: their ids. */
  clearOthers(needed: ReadonlySet<string>): void {
    for (const name of this.#notes.all()) if (!needed.has(name.id)) this.clear(name);
  }

  /** Resolves when nothing is being removed. */
  async cleared(): Promise<void> {
    await Promise.all(this.#clearing);
  }

  /** Something may have changed in the queue. */
  stir(): void {
    for (const look of this.#removing) stir(look);
  }

  /** The queue is about to be closed: the notes of what is not removed yet stay. */
  close(): void {
    this.#isClosed = true;
  }

  async #clear(name: JobName): Promise<void> {
    try {
      await this.#remove(name);
      const dropped = await this.#travel.drop(Object.values(refsOf(name)));
      this.#asked(dropped.ok ? null : dropped.problem);
      if (dropped.ok && !this.#isClosed) this.#notes.remove(name);
    } catch {
      // The queue is closed, or the disk refuses: the note stays.
    }
  }

  /** Removes a job, whose worker stops it first if it runs. Rejects when the queue is closed. */
  async #remove(name: JobName): Promise<void> {
    const queue = this.#queue();
    const look: Look = { stirred: false, wake: () => {} };
    this.#removing.add(look);
    let tries = 0;
    for (;;) {
      look.stirred = false;
      const state = await queue.look(name);
      if (state.is !== 'running') {
        await queue.remove(name);
        // One that was not there may have left something in the queue.
        if (state.is === 'missing') break;
        // What cannot be removed must not keep this host busy.
        if (tries++ > 0) await changed(look);
        continue;
      }
      if (!state.stopping) await queue.stop(name);
      await changed(look);
    }
    this.#removing.delete(look);
  }
}
