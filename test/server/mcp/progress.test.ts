import type { ServerContext } from '@modelcontextprotocol/server';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { withProgress } from '../../../src/server/mcp/progress.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A call whose client has given a token, or none; and what it is sent. */
function call(progressToken?: string): {
  readonly context: Pick<ServerContext, 'mcpReq'>;
  readonly sent: unknown[];
} {
  const sent: unknown[] = [];
  const notify = (notification: unknown) => Promise.resolve(void sent.push(notification));
  const mcpReq = { ...(progressToken !== undefined && { _meta: { progressToken } }), notify };
  return { context: { mcpReq } as unknown as Pick<ServerContext, 'mcpReq'>, sent };
}

it('says again what it said every ten seconds, with a larger number, and nothing once the call is over', async () => {
  const { context, sent } = call('t');
  await withProgress(context, async (report) => {
    report({ done: 1, total: 3, message: 'at b' });
    report({ done: 1, total: 3, message: 'at b' });
    await vi.advanceTimersByTimeAsync(20_000);
    report({ done: 2, total: 3, message: 'at c' });
  });
  await vi.advanceTimersByTimeAsync(60_000);
  const params = { progressToken: 't', total: 3 };
  expect(sent).toEqual(
    [
      { ...params, progress: 1, message: 'at b' },
      { ...params, progress: 1 + 1 / 2, message: 'at b' },
      { ...params, progress: 1 + 2 / 3, message: 'at b' },
      { ...params, progress: 2, message: 'at c' },
    ].map((each) => ({ method: 'notifications/progress', params: each })),
  );
});

it('says nothing to a client that has not asked for it', async () => {
  const { context, sent } = call();
  await withProgress(context, async (report) => {
    report({ done: 1, total: 3, message: 'at b' });
    await vi.advanceTimersByTimeAsync(20_000);
  });
  expect(sent).toEqual([]);
});
