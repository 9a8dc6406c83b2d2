import type { ServerContext } from '@modelcontextprotocol/server';

/** How far a call is. */
export interface Progress {
  readonly done: number;
  readonly total: number;
  readonly message: string;
}

/** Milliseconds after which a call says again that it is not over: clients give up calls that say nothing. */
const beat = 10_000;

/**
 * Does something that takes a while. Where the client has asked for it, sends a notification whenever `report` is called and
 * every 10 s in between; the number in each is larger than the one before, as the protocol demands.
 */
export async function withProgress<T>(
  { mcpReq }: Pick<ServerContext, 'mcpReq'>,
  act: (report: (progress: Progress) => void) => Promise<T>,
): Promise<T> {
  const { _meta: { progressToken } = {} } = mcpReq;
  if (progressToken === undefined) return act(() => {});
  let last: Progress | null = null;
  // What comes between two steps counts as a growing part of the next.
  let between = 0;
  const send = (progress: Progress) => {
    between = progress.done === last?.done ? between + 1 : 0;
    last = progress;
    const { done, total, message } = progress;
    const params = { progressToken, progress: done + between / (between + 1), total, message };
    // A client that is gone receives nothing.
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
