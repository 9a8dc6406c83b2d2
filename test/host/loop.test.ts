import { expect, it, vi } from 'vitest';
import { MailroomError } from '../../src/kernel/errors.ts';
import { Loop } from '../../src/host/loop.ts';

it('ends every process before it ends with what a look threw', async () => {
  let running = 1;
  const stopAll = vi.fn<() => void>();
  const host = {
    get running() {
      return running;
    },
    record: () => {
      throw new MailroomError('E_DISK', 'no space left on device');
    },
    stopAll,
    turns: { stopAll },
  };
  const closed = vi.fn<() => Promise<void>>(() => Promise.resolve());
  const trail = { record() {}, position: () => Promise.resolve(null), settled: () => Promise.resolve() };
  const ports = {
    watch: () => ({ close: closed }),
    // The process is gone when the loop looks again.
    timer: (_at: number, onTime: () => void) => {
      expect(stopAll).toHaveBeenCalledTimes(1);
      expect(closed).not.toHaveBeenCalled();
      running = 0;
      queueMicrotask(onTime);
      return { cancel() {} };
    },
    now: () => 0,
    trail: { ...trail, problem: () => null },
  };
  const loop = new Loop(host as never, ports, { untilIdle: true });
  await expect(loop.run()).rejects.toThrow('no space left');
  expect(running).toBe(0);
});

it('gives up, where it is to end when idle, what the disk has refused for ten seconds and nothing else continues', async () => {
  let now = 0;
  const busyUntil = 30_000;
  const host = {
    running: 0,
    desired: 0,
    ledger: { snapshotDue: false, sync: () => null },
    record: () => {},
    carryOut: () => ({ wake: null, more: false, settled: false, blocked: true }),
    idle: () => (now < busyUntil ? 'busy' : 'stuck'),
  };
  const ports = {
    watch: () => ({ close: () => Promise.resolve() }),
    timer: (at: number, onTime: () => void) => {
      now = at;
      queueMicrotask(onTime);
      return { cancel() {} };
    },
    now: () => now,
    trail: {
      record() {},
      position: () => Promise.resolve(null),
      settled: () => Promise.resolve(),
      problem: () => null,
    },
  };
  await new Loop(host as never, ports, { untilIdle: true }).run();
  expect(now).toBe(40_000);
});

/** No time passes, and nothing is watched. */
const still = {
  watch: () => ({ close: () => Promise.resolve() }),
  timer: () => ({ cancel() {} }),
  now: () => 0,
  trail: {
    record() {},
    position: () => Promise.resolve(null),
    settled: () => Promise.resolve(),
    problem: () => null,
  },
};

it('passes what processes report during a sync to the host after it, in order, and shows what the sync made durable first', async () => {
  const seen: string[] = [];
  let synced = (): void => {};
  const host = {
    running: 1,
    desired: 0,
    ledger: {
      snapshotDue: false,
      sync: () => (seen.includes('first') ? null : new Promise<void>((resolve) => (synced = resolve))),
    },
    record: () => seen.push('record'),
    carryOut: () => {
      seen.push('carry out');
      return { wake: null, more: false, settled: true, blocked: false };
    },
    idle: () => (seen.includes('second') ? 'done' : 'busy'),
  };
  const loop = new Loop(host as never, still, { untilIdle: true });
  const ended = loop.run();
  loop.report(() => seen.push('first'));
  loop.report(() => {
    seen.push('second');
    // No host is idle while a process runs, so it ends with its report.
    host.running = 0;
  });
  loop.wake();
  expect(seen).toEqual(['record']);
  synced();
  await ended;
  expect(seen.join(', ')).toBe('record, carry out, first, second, record, carry out, record, carry out');
});

it('ends with what a sync refuses, once every process has ended', async () => {
  const host = {
    running: 1,
    record() {},
    ledger: { sync: () => Promise.reject(new MailroomError('E_DISK', 'input/output error')) },
    stopAll: vi.fn<() => void>(),
  };
  const loop = new Loop(host as never, still, { untilIdle: true });
  const ended = loop.run();
  // Its report comes while the sync is under way.
  loop.report(() => (host.running = 0));
  await expect(ended).rejects.toThrow('input/output error');
  expect(host.stopAll).toHaveBeenCalledTimes(1);
});

it('takes what is reported during a sync, and what its effects cause at once, in one look', async () => {
  const looks: string[][] = [];
  let reported: string[] = [];
  const report = (text: string): void => loop.report(() => reported.push(text));
  const soon = (act: () => void) => new Promise<void>((resolve) => setImmediate(() => resolve(act())));
  const host = {
    running: 0,
    desired: 0,
    ledger: {
      snapshotDue: false,
      sync: () =>
        looks.length > 1
          ? null
          : soon(() => {
              report('during the sync');
              loop.wake();
            }),
    },
    record: () => {
      looks.push(reported);
      reported = [];
    },
    carryOut: () => {
      if (looks.length === 1) void soon(() => report('by a process that was started'));
      return { wake: null, more: false, settled: looks.length > 1, blocked: false };
    },
    idle: () => 'done',
  };
  const trail = { record() {}, position: () => Promise.resolve(null), settled: () => Promise.resolve() };
  const ports = {
    watch: () => ({ close: () => Promise.resolve() }),
    timer: () => ({ cancel() {} }),
    now: () => 0,
    passed: () => soon(() => {}),
    trail: { ...trail, problem: () => null },
  };
  const loop: Loop = new Loop(host as never, ports, { untilIdle: true });
  await loop.run();
  expect(looks[1]).toEqual(['during the sync', 'by a process that was started']);
});

it('says to each snapshot where the trail ends, so that the records which the trail lacks are kept', async () => {
  const ends: (number | null)[] = [];
  const host = {
    running: 0,
    desired: 0,
    ledger: {
      get snapshotDue() {
        return ends.length === 0;
      },
      sync: () => null,
      snapshot: (trailAt: number | null) => ends.push(trailAt),
    },
    record: () => {},
    carryOut: () => ({ wake: null, more: false, settled: ends.length > 0, blocked: false }),
    idle: () => 'done',
  };
  const timer = (_at: number, onTime: () => void) => {
    queueMicrotask(onTime);
    return { cancel() {} };
  };
  const trail = { ...still.trail, position: () => Promise.resolve(7) };
  await new Loop(host as never, { ...still, timer, trail }, { untilIdle: true }).run();
  expect(ends).toEqual([7]);
});
