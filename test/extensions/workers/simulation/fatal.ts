import type { Operation } from '../../../support/memory-disk.ts';
import { queuedFolder } from '../../../../src/extensions/workers/controller/queued-notes.ts';
import type { Asker } from '../../../worlds/simulation/mail/away.ts';

/** What a controller and its workers change in the queue, in the shared repository, and in the notes of it. */
export const effects = {
  'note.write': 'notes a job that it is about to hand over',
  'begin.send': 'sends what a turn begins with',
  'job.publish': 'adds a job to the queue',
  'job.adopt': 'looks for a job that an earlier controller has added',
  'job.grant': 'lets a worker begin',
  'end.take': 'gets the work of a worker',
  'job.remove': 'removes a job whose result the journal has',
  'refs.drop': 'removes what has travelled',
  'note.remove': 'forgets a job',
  'job.take': 'takes a job out of the queue',
  'job.claim': 'asks to begin it',
  'end.send': 'sends the work of a turn',
  'job.finish': 'reports a result',
  'job.leave': 'puts a job back',
} as const;

export type EffectName = keyof typeof effects;

/** `during`: it has happened, and its host does not learn of it. */
export type Moment = 'before' | 'during' | 'after';

export interface Death {
  readonly effect: EffectName;
  readonly moment: Moment;
}

/** Kills the program of a host at an effect, the first time that it comes there; then at the next one of the list. */
export class Fatal {
  readonly #deaths: Death[] = [];
  /** Ends the program of a host. */
  kill: (host: string) => void = () => {};
  /** Called when an effect has happened. */
  happened: (effect: EffectName) => void = () => {};

  plan(deaths: readonly Death[]): void {
    this.#deaths.push(...deaths);
  }

  /** Those that have not come yet. */
  get left(): readonly Death[] {
    return this.#deaths;
  }

  /** Lets a host do something elsewhere: `send` does `act` there, and brings the answer. */
  async around<T, R>(
    { host }: Asker,
    effect: EffectName,
    act: () => T,
    send: (act: () => T) => Promise<R>,
  ): Promise<R> {
    const moment = this.#due(effect);
    if (moment === 'before') return this.#die(host);
    const answer = await send(() => {
      const done = act();
      if (moment === 'during') this.kill(host);
      this.happened(effect);
      return done;
    });
    return moment === 'after' ? this.#die(host) : answer;
  }

  /** A controller changes its disk. */
  changes({ kind, path }: Operation): void {
    if (!path.startsWith(queuedFolder) || (kind !== 'write' && kind !== 'remove')) return;
    const moment = this.#due(kind === 'write' ? 'note.write' : 'note.remove');
    const kill = () => this.kill('controller');
    if (moment === 'before') kill();
    // The notes are empty: nothing lies between before and after.
    else if (moment !== null) queueMicrotask(kill);
  }

  #due(effect: EffectName): Moment | null {
    return this.#deaths[0]?.effect === effect ? (this.#deaths.shift()?.moment ?? null) : null;
  }

  #die(host: string): Promise<never> {
    this.kill(host);
    return new Promise(() => {});
  }
}
