import type { ServerContext } from '@modelcontextprotocol/server';

/** The progress of a call. */
export interface Progress {
  readonly done: number;
  readonly total: number;
  readonly message: string;
}

/** Milliseconds between progress notifications of a pending call: clients give up silent calls. */
const beat = 10_000;

/**
 * Runs a long operation. If the client has asked for it, sends a notification on every `report` and
 * every 10 s in between; each has a larger number than the previous one, as the protocol requires.
 */
export async function withProgress<T>(
  { mcpReq }: Pick<ServerContext, 'mcpReq'>,
  act: (report: (progress: Progress) => void) => Promise<T>,
): Promise<T> {
  const { _meta: { progressToken } = {} } = mcpReq;
  if (progressToken === undefined) return act(() => {});
  let last: Progress | null = null;
  // Notifications between two steps count as a growing part of the next one.
  let between = 0;
  const send = (progress: Progress) => {
    between = progress.done === last?.done ? between + 1 : 0;
    last = progress;
    const { done, total, message } = progress;
    const params = { progressToken, progress: done + between / (between + 1), total, message };
    // A disconnected client receives nothing.
    mcpReq.notify({ method: 'notifications/progress', params }).catch(() => {});
  };
  const timer = setInterval(() => last && send(last), beat);
  try {
    return await act((progress) => {
      if (progress.message !== last?.message) send(progress);
    });
  } finally {
    clearInterval(timer);
  }
}
