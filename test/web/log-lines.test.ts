import { expect, it, vi } from 'vitest';
import type { LogLines } from '../../src/documents/logs.ts';
import { FollowedLog } from '../../src/web/state/log-lines.ts';

const server = vi.hoisted(() => ({
  /** The places that were asked for, each with what answers it. */
  asked: [] as { readonly place: unknown; readonly answer: (lines: LogLines) => void }[],
}));
vi.mock('../../src/web/state/saved.ts', () => ({ saved: null }));
vi.mock('../../src/web/api/client.ts', () => ({ Problem: class extends Error {} }));
vi.mock('../../src/web/api/logs.ts', () => ({
  readLines: (_path: string, place: unknown) => new Promise((answer) => server.asked.push({ place, answer })),
}));

function linesOf(first: number, ...lines: string[]): LogLines {
  const total = first + lines.length - 1;
  return { schema: 1, first, lines, total, complete: true, size: 10 * total, failure: null };
}

it('reads the end of a log again where that was asked for while it was read', async () => {
  server.asked = [];
  const log = new FollowedLog('/log');
  const opened = log.open('end');
  await log.follow();
  await log.follow();
  expect(server.asked.map(({ place }) => place)).toEqual(['end']);
  server.asked[0]?.answer(linesOf(1, 'one', 'two'));
  await expect.poll(() => server.asked.length).toBe(2);
  expect(server.asked[1]?.place).toBe(3);
  // Again while the second reading is under way.
  await log.follow();
  server.asked[1]?.answer(linesOf(3, 'three'));
  await expect.poll(() => server.asked.length).toBe(3);
  expect(server.asked[2]?.place).toBe(4);
  server.asked[2]?.answer(linesOf(4));
  await opened;
  expect(server.asked).toHaveLength(3);
  expect([...log.lines.values()]).toEqual(['one', 'two', 'three']);
});

it('reads a log that is scrolled upwards in whole pieces, and none of them twice', async () => {
  server.asked = [];
  const log = new FollowedLog('/log');
  const lines = Array.from({ length: 2_000 }, (_, index) => `line ${String(index + 1)}`);
  const answer = async () => {
    const { place, answer: give } = server.asked.at(-1)!;
    const first = place === 'end' ? 1_701 : Number(place);
    give({ ...linesOf(first, ...lines.slice(first - 1, first + 499)), total: 2_000 });
    await new Promise(setImmediate);
  };
  const opened = log.open('end');
  await answer();
  await opened;
  for (let top = 1_700; top >= 100; top -= 20) {
    const known = server.asked.length;
    log.want(top, top + 30);
    if (server.asked.length > known) await answer();
  }
  expect(server.asked.map(({ place }) => place)).toEqual(['end', 1_501, 1_001, 501, 1]);
});
