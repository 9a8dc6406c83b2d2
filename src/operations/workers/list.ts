import { hostname } from 'node:os';
import { listed } from '../../kernel/enumerate.ts';
import { MailroomError, messageOf } from '../../kernel/errors.ts';
import { readWorkerCard, type SeenWorker, type WorkerCard, type WorkerOrder } from '../../letters/worker.ts';
import type { WorkerBoard } from '../../queue/channel.ts';
import { queueName, sign, verify } from '../../queue/signed.ts';
import { aboutWorker } from './presence.ts';
import type { WorkersAccess } from './settings.ts';

export type { WorkerOrder };

/** A worker, as `mailroom workers --json` has it. */
export type WorkerStatus = SeenWorker;

/** The workers of a project, by host. Throws `E_WORKER` if the queue cannot be reached. */
export function listWorkers(access: WorkersAccess): Promise<WorkerStatus[]> {
  return withBoard(access, (board) => statusOf(board, access.key));
}

/**
 * Orders the workers of a host, or one by its id, and returns them as they were. Throws `E_TARGET`
 * if there is none, and `E_WORKER` if the queue cannot be reached.
 */
export function orderWorkers(
  access: WorkersAccess,
  order: WorkerOrder,
  target: string,
): Promise<WorkerStatus[]> {
  return withBoard(access, async (board) => {
    const all = await statusOf(board, access.key);
    const meant = all.filter(({ host, id, state }) => state !== 'silent' && [host, id].includes(target));
    if (meant.length === 0) {
      const hosts = [...new Set(all.map(({ host }) => host))];
      const hint = hosts.length === 0 ? '`mailroom workers` lists them' : `there are: ${listed(hosts)}`;
      throw new MailroomError('E_TARGET', `no worker on \`${target}\` is running`, hint);
    }
    for (const { id } of meant)
      await board.order(id, sign(access.key, aboutWorker('order', id, Date.now()), { do: order }));
    return meant;
  });
}

async function withBoard<T>(
  { url, key }: WorkersAccess,
  ask: (board: WorkerBoard) => Promise<T>,
): Promise<T> {
  const { openBoard } = await import('../../queue/bull.ts');
  const board = await openBoard(url, queueName(key)).catch((error: unknown) => {
    throw unreachable(url, messageOf(error));
  });
  try {
    return await ask(board);
  } finally {
    board.close();
  }
}

/** The error for a queue that cannot be reached, with what to do. Names no password. */
export function unreachable(url: string, why: string): MailroomError {
  const { host, protocol } = new URL(url);
  const problem = why === '' ? 'it does not answer' : why;
  return new MailroomError(
    'E_WORKER',
    `the queue at ${host} cannot be reached from ${hostname()}: ${problem}`,
    hintFor(problem, protocol),
  );
}

function hintFor(problem: string, protocol: string): string {
  if (/NOAUTH|WRONGPASS|AUTH/.test(problem))
    return 'check the password in the address: redis://:password@host:6379';
  if (/certificate|self-signed|altnames/i.test(problem))
    return 'name the certificate of its authority in NODE_EXTRA_CA_CERTS';
  if (/wrong version number|EPROTO|ssl/i.test(problem))
    return 'it does not use TLS: begin the address with redis://';
  // A server without TLS waits for the rest of what it takes for a command.
  if (/ETIMEDOUT/.test(problem) && protocol === 'rediss:')
    return 'if it does not use TLS, begin the address with redis://';
  if (/ECONNRESET|closed|Protocol error/i.test(problem) && protocol === 'redis:')
    return 'if it uses TLS, begin the address with rediss://';
  return 'start the server, or correct the address: `workers.queue` in mailroom.yaml, or MAILROOM_QUEUE';
}

/** Removes what dead workers left a day ago, whose signatures have expired. */
async function statusOf(board: WorkerBoard, key: string): Promise<WorkerStatus[]> {
  const found: WorkerStatus[] = [];
  for (const { id, card, isAlive } of await board.cards()) {
    const signed = verify(key, card, { kind: 'worker', job: id, nonce: null, now: Date.now() });
    const read = signed.ok ? readWorkerCard(signed.body) : signed;
    if (read.ok) found.push(asStatus(read.value, isAlive));
    else if (!isAlive) await board.remove(id);
  }
  return found.toSorted((one, other) => (one.host + one.id < other.host + other.id ? -1 : 1));
}

function asStatus({ since, lastSeen, state, ...card }: WorkerCard, isAlive: boolean): WorkerStatus {
  return {
    ...card,
    since: new Date(since).toISOString(),
    lastSeen: new Date(lastSeen).toISOString(),
    state: isAlive ? state : 'silent',
  };
}
