import { expect, it } from 'vitest';
import type { JournalRecord } from '../../src/disk/journal-lines.ts';
import { Journal } from '../../src/disk/journal.ts';
import { Ledger } from '../../src/host/ledger.ts';
import { MemoryDisk } from '../support/memory-disk.ts';

/** What happened, in order. */
interface State {
  readonly now: number;
  readonly names: readonly string[];
}

function opened(disk: MemoryDisk, suspended?: () => number) {
  const journal = new Journal<string>(disk);
  let durable = 0;
  const ledger = new Ledger<State, string, string>(
    journal,
    { now: () => 1, ...(suspended && { suspended }) },
    {
      stateOf: () => ({ now: 0, names: [] }),
      apply: (state, name) => ({ now: 1, names: [...state.names, name] }),
      stamp: (name) => name,
      suspended: (ms) => `suspended ${String(ms)}`,
      sizeOf: () => 0,
      durable: () => (durable += 1),
    },
  );
  return { ledger, durable: () => durable };
}

/** What a loss of power leaves. */
function left(disk: MemoryDisk): string[] {
  const copy = disk.clone();
  copy.crash({ lose: 'unsynced' });
  return new Journal<string>(copy).read().records.map(({ event }: JournalRecord<string>) => event);
}

it('writes what is recorded lazily without a sync, and the next flush makes it durable', () => {
  const disk = new MemoryDisk();
  const { ledger, durable } = opened(disk);
  ledger.record(['first']);
  ledger.flush();
  ledger.recordLazily('projected');
  expect([ledger.dirty, left(disk), durable()]).toEqual([false, ['first'], 1]);
  ledger.record(['second']);
  expect(ledger.flush()).toEqual(['second']);
  expect([left(disk), durable()]).toEqual([['first', 'projected', 'second'], 2]);
});

it('does not call durable what was recorded before something lazy', () => {
  const disk = new MemoryDisk();
  const { ledger, durable } = opened(disk);
  ledger.record(['first']);
  ledger.flush();
  ledger.record(['failed']);
  ledger.recordLazily('projected');
  expect([ledger.dirty, left(disk), durable()]).toEqual([true, ['first'], 1]);
  expect(ledger.flush()).toEqual(['failed', 'projected']);
  expect([ledger.dirty, left(disk), durable()]).toEqual([false, ['first', 'failed', 'projected'], 2]);
});

it('keeps through the end of the process what was written, and takes no snapshot of what is not durable', () => {
  const disk = new MemoryDisk();
  const { ledger } = opened(disk);
  ledger.record(['first']);
  expect(ledger.write()).toEqual(['first']);
  ledger.record(['second']);
  ledger.snapshot(null);
  const copy = disk.clone();
  copy.crash();
  expect(opened(copy).ledger.state.names).toEqual(['first']);
  expect(ledger.flush()).toEqual(['first', 'second']);
  expect(left(disk)).toEqual(['first', 'second']);
});

it('has made durable what is recorded once a sync beside the process has ended, and records nothing before', async () => {
  const disk = new MemoryDisk();
  const { ledger, durable } = opened(disk);
  expect(ledger.sync()).toBeNull();
  ledger.record(['first']);
  let done = (): void => {};
  disk.beside = (act) => (done = act);
  let hasEnded = false;
  const ends = ledger.sync()?.then(() => (hasEnded = true));
  // All that does not wait for the sync has happened.
  await new Promise(setImmediate);
  expect([hasEnded, left(disk), durable()]).toEqual([false, [], 0]);
  expect(() => ledger.record(['second'])).toThrow('while a sync is under way');
  done();
  await ends;
  expect([left(disk), ledger.flush(), durable()]).toEqual([['first'], ['first'], 1]);
  ledger.record(['second']);
});

it('records how long its host did not run, once, and not the least delay', () => {
  let suspended = 70_000;
  const { ledger } = opened(new MemoryDisk(), () => suspended);
  const after = (ms: number) => {
    suspended += ms;
    ledger.recordSuspension();
    return ledger.state.names;
  };
  expect(after(0)).toEqual([]);
  expect(after(4_000)).toEqual([]);
  expect(after(4_000.5)).toEqual(['suspended 8000']);
  expect(after(0)).toEqual(['suspended 8000']);
  expect(after(60_000)).toEqual(['suspended 8000', 'suspended 60000']);
  const { ledger: other } = opened(new MemoryDisk());
  other.recordSuspension();
  expect(other.dirty).toBe(false);
});
