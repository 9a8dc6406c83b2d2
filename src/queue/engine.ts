import type { JobQueue, JobSource, QueueAddress, WorkerBoard } from './channel.ts';

/** What lies behind a queue. */
export interface QueueEngine {
  /** The controller's side. Returns at once; `problem` says whether the queue can be reached. */
  readonly openQueue: (address: QueueAddress) => JobQueue;
  /** The worker's side, for jobs that need only these labels. Returns at once. */
  readonly openSource: (address: QueueAddress, labels: readonly string[]) => JobSource;
  /** Rejects if the queue cannot be reached. */
  readonly openBoard: (url: string, project: string) => Promise<WorkerBoard>;
}

/** Whether the address is that of a queue. */
export function isQueueUrl(url: string): boolean {
  return /^(rediss?|postgres(ql)?):\/\/[^\s]+$/.test(url) && URL.canParse(url);
}

/** Loads what the address needs: each engine is a program of its own. */
export function engineOf(url: string): Promise<QueueEngine> {
  return url.startsWith('postgres') ? import('./postgres.ts') : import('./bull.ts');
}
