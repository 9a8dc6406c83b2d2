import { describe, expect, it } from 'vitest';
import { MailroomError } from '../../../src/kernel/errors.ts';
import { TrailWriter, type TrailPosition, type TrailRepository } from '../../../src/mail/trail/writer.ts';
import { entries, entry } from './samples.ts';
import type { TrailEntry } from '../../../src/git/trail.ts';

/** Obeys the test: each batch waits until the test says what becomes of it. */
class ScriptedRepository implements TrailRepository {
  found: TrailPosition | Error = { is: 'at', seq: 0, problem: null };
  readonly committed: number[] = [];
  readonly batches: number[] = [];
  readonly #waiting: {
    entries: readonly TrailEntry[];
    resolve: () => void;
    reject: (error: Error) => void;
  }[] = [];
  #arrived: (() => void)[] = [];

  async position(): Promise<TrailPosition> {
    await Promise.resolve();
    if (this.found instanceof Error) throw this.found;
    return this.found;
  }

  append(batch: readonly TrailEntry[]): Promise<void> {
    this.batches.push(batch.length);
    return new Promise((resolve, reject) => {
      this.#waiting.push({ entries: batch, resolve, reject });
      for (const arrived of this.#arrived.splice(0)) arrived();
    });
  }

  /** Commits the next batch, waiting for it if need be; its numbers. */
  async commit(): Promise<number[]> {
    const { entries: batch, resolve } = await this.#next();
    const numbers = batch.map(({ seq }) => seq);
    this.committed.push(...numbers);
    resolve();
    return numbers;
  }

  async fail(error: Error = new MailroomError('E_TRAIL', 'the disk is full')): Promise<number[]> {
    const { entries: batch, reject } = await this.#next();
    reject(error);
    return batch.map(({ seq }) => seq);
  }

  async #next() {
    for (;;) {
      const next = this.#waiting.shift();
      if (next) return next;
      await new Promise<void>((resolve) => this.#arrived.push(resolve));
    }
  }
}

/** Pauses last until the test ends them. */
function pauses() {
  const asked: number[] = [];
  const open: (() => void)[] = [];
  let paused = (): void => {};
  const delay = (milliseconds: number): Promise<void> =>
    new Promise((resolve) => {
      asked.push(milliseconds);
      open.push(resolve);
      paused();
    });
  const end = async (): Promise<void> => {
    if (open.length === 0) await new Promise<void>((resolve) => (paused = resolve));
    open.shift()?.();
  };
  return { asked, delay, end };
}

const never = (): Promise<void> => new Promise(() => {});

describe('the committer', () => {
  it('writes what gathered while the last batch ran as the next one, in order', async () => {
    const repository = new ScriptedRepository();
    const writer = new TrailWriter({ repository });
    entries(1, 3).forEach((each) => writer.record(each));
    const first = repository.commit();
    await Promise.resolve();
    entries(4, 9).forEach((each) => writer.record(each));
    expect(await first).toEqual([1, 2, 3]);
    expect(await repository.commit()).toEqual([4, 5, 6, 7, 8, 9]);
    await writer.settled();
    expect(repository.batches).toEqual([3, 6]);
  });

  it('bounds a batch by its number of commits and by its text', async () => {
    const repository = new ScriptedRepository();
    const limits = { batchEntries: 4, batchCharacters: 500 };
    const writer = new TrailWriter({ repository, limits });
    entries(1, 9).forEach((each) => writer.record(each));
    const large = (seq: number) => entry(seq, { changes: [{ path: 'a', text: 'x'.repeat(400) }] });
    [10, 11, 12].forEach((seq) => writer.record(large(seq)));
    const batches = [];
    for (let count = 0; count < 5; count += 1) batches.push(await repository.commit());
    expect(batches).toEqual([[1, 2, 3, 4], [5, 6, 7, 8], [9, 10], [11], [12]]);
    await writer.settled();
  });

  it('takes one that is larger than a batch may be by itself', async () => {
    const repository = new ScriptedRepository();
    const writer = new TrailWriter({ repository, limits: { batchCharacters: 1 } });
    entries(1, 2).forEach((each) => writer.record(each));
    expect([await repository.commit(), await repository.commit()]).toEqual([[1], [2]]);
  });

  it('ignores what it knows already', async () => {
    const repository = new ScriptedRepository();
    const writer = new TrailWriter({ repository });
    [1, 2, 2, 1, 3].forEach((seq) => writer.record(entry(seq)));
    expect(await repository.commit()).toEqual([1, 2, 3]);
  });
});

describe('a batch that fails', () => {
  it('stays the first, with what came later behind it, until it is written', async () => {
    const repository = new ScriptedRepository();
    const { delay, end } = pauses();
    const writer = new TrailWriter({ repository, delay });
    entries(1, 2).forEach((each) => writer.record(each));
    expect(await repository.fail()).toEqual([1, 2]);
    writer.record(entry(3));
    await end();
    expect(writer.problem()).toBe('the disk is full');
    expect(await repository.commit()).toEqual([1, 2, 3]);
    await writer.settled();
    expect(writer.problem()).toBeNull();
  });

  it('is tried again after pauses that double up to a minute, and start over after a success', async () => {
    const repository = new ScriptedRepository();
    const { asked, delay, end } = pauses();
    const writer = new TrailWriter({ repository, delay });
    writer.record(entry(1));
    for (let count = 0; count < 12; count += 1) {
      await repository.fail();
      await end();
    }
    await repository.commit();
    await writer.settled();
    writer.record(entry(2));
    await repository.fail();
    await end();
    await repository.commit();
    expect(asked).toEqual([
      100, 200, 400, 800, 1600, 3200, 6400, 12_800, 25_600, 51_200, 60_000, 60_000, 100,
    ]);
  });

  it('shows the reason with its hint, whatever was thrown', async () => {
    const repository = new ScriptedRepository();
    const { delay, end } = pauses();
    const writer = new TrailWriter({ repository, delay });
    writer.record(entry(1));
    await repository.fail(new MailroomError('E_TRAIL', 'checked out', 'switch away'));
    await end();
    expect(writer.problem()).toBe('checked out (switch away)');
    await repository.fail(new TypeError('a bug'));
    await end();
    expect(writer.problem()).toBe('the trail cannot be written: TypeError: a bug');
  });
});

describe('settled', () => {
  it('resolves at once when nothing waits', async () => {
    await expect(
      new TrailWriter({ repository: new ScriptedRepository() }).settled(),
    ).resolves.toBeUndefined();
  });

  it('does not wait for the end of a pause', async () => {
    const repository = new ScriptedRepository();
    const writer = new TrailWriter({ repository, delay: never });
    writer.record(entry(1));
    await repository.fail();
    const settled = writer.settled();
    await repository.commit();
    await settled;
    expect(repository.committed).toEqual([1]);
  });

  it('gives up after three attempts; the entries are still there to be written', async () => {
    const repository = new ScriptedRepository();
    const writer = new TrailWriter({ repository, delay: never });
    writer.record(entry(1));
    const settled = writer.settled();
    for (let count = 0; count < 3; count += 1) await repository.fail();
    await settled;
    expect(writer.problem()).toBe('the disk is full');
    const again = writer.settled();
    await repository.commit();
    await again;
    expect(writer.problem()).toBeNull();
  });

  it('resolves when it turns out during an attempt that there is no trail', async () => {
    const repository = new ScriptedRepository();
    const writer = new TrailWriter({ repository, delay: never });
    writer.record(entry(1));
    const settled = writer.settled();
    repository.found = { is: 'none', hint: 'no git here' };
    expect(await writer.position()).toBeNull();
    await repository.fail();
    await settled;
    expect(writer.problem()).toBe('no git here');
  });

  it('resolves when it turns out during a pause that there is no trail', async () => {
    const repository = new ScriptedRepository();
    const { delay, asked, end } = pauses();
    const writer = new TrailWriter({ repository, delay });
    writer.record(entry(1));
    await repository.fail();
    while (asked.length === 0) await Promise.resolve();
    repository.found = { is: 'none', hint: 'no git here' };
    const position = writer.position();
    const settled = writer.settled();
    expect(await position).toBeNull();
    await end();
    await settled;
    expect(repository.batches).toEqual([1]);
  });
});

describe('a queue that is full', () => {
  const limits = { queueEntries: 3 };

  it('lets go of everything that comes after, says so, and never commits past a hole', async () => {
    const repository = new ScriptedRepository();
    const writer = new TrailWriter({ repository, limits });
    entries(1, 5).forEach((each) => writer.record(each));
    await repository.commit();
    await writer.settled();
    writer.record(entry(6));
    await writer.settled();
    expect(repository.committed).toEqual([1, 2, 3]);
    expect(writer.problem()).toBe(
      'the trail is behind: 3 entries are left to the journal, and written at the next start',
    );
  });

  it('is bounded by its text as well', async () => {
    const repository = new ScriptedRepository();
    const writer = new TrailWriter({ repository, limits: { queueCharacters: 60 } });
    entries(1, 5).forEach((each) => writer.record(each));
    expect(await repository.commit()).toEqual([1, 2, 3]);
    await writer.settled();
    expect(writer.problem()).toMatch('2 entries');
  });

  it('has room again for as much as was written', async () => {
    const repository = new ScriptedRepository();
    const writer = new TrailWriter({ repository, limits: { queueCharacters: 60 } });
    for (let from = 1; from <= 7; from += 3) {
      entries(from, from + 2).forEach((each) => writer.record(each));
      await repository.commit();
      await writer.settled();
    }
    expect(repository.committed).toHaveLength(9);
    expect(writer.problem()).toBeNull();
  });

  it('asks for what it let go once it is empty, and continues without a hole', async () => {
    const repository = new ScriptedRepository();
    const journal = entries(1, 11);
    const asked: number[] = [];
    const reread = (after: number): void => {
      asked.push(after);
      for (const each of journal.filter(({ seq }) => seq > after)) writer.record(each);
    };
    const writer = new TrailWriter({ repository, limits, reread });
    journal.forEach((each) => writer.record(each));
    const settled = writer.settled();
    for (let batch = 0; batch < 4; batch += 1) await repository.commit();
    await settled;
    expect(repository.committed).toEqual(journal.map(({ seq }) => seq));
    expect(asked).toEqual([3, 6, 9]);
    expect(writer.problem()).toBeNull();
  });
});

describe('the position', () => {
  it('is what the repository has; a branch that cannot be written now is a problem until one is written', async () => {
    const repository = new ScriptedRepository();
    const writer = new TrailWriter({ repository });
    repository.found = { is: 'at', seq: 41, problem: 'checked out' };
    expect(await writer.position()).toBe(41);
    expect(writer.problem()).toBe('checked out');
    repository.found = { is: 'at', seq: 41, problem: null };
    await writer.position();
    expect(writer.problem()).toBeNull();
  });

  it('is null where there is no trail: the hint is shown, and nothing is kept', async () => {
    const repository = new ScriptedRepository();
    const writer = new TrailWriter({ repository });
    repository.found = { is: 'none', hint: 'not a git working tree' };
    expect(await writer.position()).toBeNull();
    writer.record(entry(1));
    await writer.settled();
    expect(repository.batches).toEqual([]);
    expect(writer.problem()).toBe('not a git working tree');
    repository.found = { is: 'at', seq: 0, problem: null };
    expect(await writer.position()).toBeNull();
  });

  it('cannot be read at the start: then nothing is written, for it would leave a hole', async () => {
    const repository = new ScriptedRepository();
    const writer = new TrailWriter({ repository });
    repository.found = new MailroomError('E_TRAIL', 'git log failed');
    expect(await writer.position()).toBeNull();
    writer.record(entry(9));
    await writer.settled();
    expect(repository.batches).toEqual([]);
    expect(writer.problem()).toBe('git log failed');
  });

  it('cannot be read later: then it is the last one that was committed', async () => {
    const repository = new ScriptedRepository();
    const writer = new TrailWriter({ repository });
    writer.record(entry(9));
    await repository.commit();
    await writer.settled();
    repository.found = new MailroomError('E_TRAIL', 'git log failed');
    expect(await writer.position()).toBe(9);
    expect(writer.problem()).toBeNull();
  });
});
