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
