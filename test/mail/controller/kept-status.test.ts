import { beforeEach, describe, expect, it } from 'vitest';
import { Journal } from '../../../src/disk/journal.ts';
import { writeSummary } from '../../../src/disk/journal-summary.ts';
import { MailroomError } from '../../../src/kernel/errors.ts';
import { apply } from '../../../src/mail/machine/apply.ts';
import type { MailEvent } from '../../../src/mail/machine/event.ts';
import { emptyState, type MailState } from '../../../src/mail/machine/state.ts';
import { readKeptStatus, StatusKeeper, statusSource } from '../../../src/mail/controller/kept-status.ts';
import { MemoryDisk } from '../../support/memory-disk.ts';
import { events } from '../../disk/samples.ts';

const enough = 1_000;

let disk: MemoryDisk;
let journal: Journal<MailEvent>;
let state: MailState;
let now: number;
let keeper: StatusKeeper;

beforeEach(() => {
  disk = new MemoryDisk();
  journal = new Journal(disk);
  journal.read();
  state = emptyState();
  now = 0;
  keeper = new StatusKeeper(disk, () => now);
});

function happen(first: number, last: number): void {
  const happened = events(first, last);
  journal.append(happened);
  state = happened.reduce(apply, state);
}

function lookAfter(milliseconds: number): void {
  now += milliseconds;
  keeper.look(state);
}

describe('the kept status', () => {
  it('is written once nothing has happened for a second, and counts until something does', () => {
    happen(1, enough);
    lookAfter(0);
    lookAfter(999);
    expect(readKeptStatus(disk)).toBeNull();
    lookAfter(1);
    expect(readKeptStatus(disk)).toEqual(statusSource(state));
    happen(enough + 1, enough + 1);
    expect(readKeptStatus(disk)).toBeNull();
    lookAfter(5_000);
    expect(readKeptStatus(disk)).toBeNull();
    lookAfter(1_000);
    expect(readKeptStatus(disk)).toEqual(statusSource(state));
  });

  it.each(['folder', 'fifo', 'link', 'file'] as const)('is not read where a %s lies in its place', (kind) => {
    happen(1, enough);
    disk.plant('.mailroom/journal/summary', 'null\n', kind);
    expect(readKeptStatus(disk)).toBeNull();
    expect(() => keeper.keep(state)).not.toThrow();
  });

  it('is written only once for the same state', () => {
    happen(1, enough);
    keeper.keep(state);
    const { operations } = disk;
    keeper.keep(state);
    lookAfter(0);
    lookAfter(9_000);
    expect(disk.operations).toBe(operations);
  });

  it('is not written while there is little to fold', () => {
    happen(1, enough - 1);
    keeper.keep(state);
    expect(disk.look('.mailroom/journal/summary')).toBeNull();
  });

  it.each([{ version: '0.0.0', mail: 'of old' }, { mail: 'of nobody' }, 'a text', null])(
    'does not count where another version of Mailroom made it: %j',
    (kept) => {
      happen(1, enough);
      writeSummary(disk, enough, kept);
      expect(readKeptStatus(disk)).toBeNull();
    },
  );

  it('keeps no one from working on a disk that refuses it', () => {
    happen(1, enough);
    disk.before = () => {
      throw new MailroomError('E_DISK', 'full');
    };
    expect(() => keeper.keep(state)).not.toThrow();
    disk.before = null;
    expect(readKeptStatus(disk)).toBeNull();
  });
});
