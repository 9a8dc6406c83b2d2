import { listed } from '../../kernel/enumerate.ts';
import { MailroomError, messageOf } from '../../kernel/errors.ts';
import { readNamedWorker, readWorkerCard } from './letters/worker.ts';
import type { SeenWorker } from '../../letters/seen-workers.ts';
import type { NamedWorker, WorkerCard, WorkerOrder } from './letters/worker.ts';
import type { WorkerBoard } from './queue/board.ts';
import { sign, verify } from './queue/signed.ts';
import type { Credentials } from './queue/credentials.ts';
import { unreachable } from './queue/unreachable.ts';
import { isIdOf } from './remote-turn.ts';
import { aboutWorker } from './worker/presence.ts';
import type { WorkersAccess } from './settings.ts';

export type { WorkerOrder };

/** A worker, as `mailroom workers --json` has it. */
export type WorkerStatus = SeenWorker;

/** The workers of a project. */
export interface FoundWorkers {
  /** By host. */
  readonly known: readonly WorkerStatus[];
  /** Those that are alive, and say what they do in the form of another version. */
  readonly foreign: readonly NamedWorker[];
  /** What the host of the queue has for now, in milliseconds since 1970. */
  readonly queueTime: number;
}

/** Throws `E_WORKER` if the queue cannot be reached. */
export function findWorkers(access: WorkersAccess): Promise<FoundWorkers> {
  return withBoard(access, (board) => statusOf(board, access.credentials));
}

/** The workers of a project, by host. Throws `E_WORKER` if the queue cannot be reached. */
export async function listWorkers(access: WorkersAccess): Promise<readonly WorkerStatus[]> {
  return (await findWorkers(access)).known;
}

/**
 * Orders the workers of a name or a host, or one by its id, and returns them as they were. Throws
 * `E_TARGET` if there is none, and `E_WORKER` if the queue cannot be reached.
 */
export function orderWorkers(
  access: WorkersAccess,
  order: WorkerOrder,
  target: string,
): Promise<readonly WorkerStatus[]> {
  return withBoard(access, async (board) => {
    const { credentials } = access;
    const { known: all, queueTime: at } = await statusOf(board, credentials);
    const isMeant = ({ host, id }: WorkerStatus) => [host, id].includes(target) || isIdOf(id, target);
    const meant = all.filter((worker) => worker.state !== 'silent' && isMeant(worker));
    if (meant.length === 0) {
      const hosts = [...new Set(all.map(({ host }) => host))];
      const hint = hosts.length === 0 ? '`mailroom workers` lists them' : `there are: ${listed(hosts)}`;
      throw new MailroomError('E_TARGET', `no worker \`${target}\` is running`, hint);
    }
    // The queue's clock is the same for all who order.
    for (const { id } of meant)
      await board.order(id, sign(credentials, aboutWorker('order', id, Date.now()), { do: order, at }));
    return meant;
  });
}

/** The time of the queue's host, in milliseconds since 1970. Throws `E_WORKER` as the others. */
export function queueTime(access: WorkersAccess): Promise<number> {
  return withBoard(access, (board) => board.clock());
}

async function withBoard<T>(
  { url, credentials }: WorkersAccess,
  ask: (board: WorkerBoard) => Promise<T>,
): Promise<T> {
  const { openBoard } = await import('./queue/bull.ts');
  const board = await openBoard(url, credentials.project).catch((error: unknown) => {
    const { problem, hint } = unreachable(url, messageOf(error));
    throw new MailroomError('E_WORKER', problem, hint);
  });
  try {
    return await ask(board);
  } catch (error) {
    if (error instanceof MailroomError) throw error;
    const { problem, hint } = unreachable(url, messageOf(error));
    throw new MailroomError('E_WORKER', problem, hint);
  } finally {
    board.close();
  }
}

/** Removes what dead workers left, whose signatures have expired. */
async function statusOf(board: WorkerBoard, credentials: Credentials): Promise<FoundWorkers> {
  const found: WorkerStatus[] = [];
  const foreign: NamedWorker[] = [];
  for (const { id, card, isAlive } of await board.cards()) {
    const signed = verify(credentials, card, { kind: 'worker', job: id, nonce: null, now: Date.now() });
    const isOwn = signed.ok && isIdOf(id, signed.by);
    const read = signed.ok ? readWorkerCard(signed.body) : signed;
    if (read.ok && isOwn) found.push(asStatus(read.value, isAlive));
    else if (!isAlive) await board.remove(id);
    else if (signed.ok && isOwn) {
      const named = readNamedWorker(signed.body);
      if (named.ok) foreign.push(named.value);
    }
  }
  return {
    known: found.toSorted((one, other) => (one.host + one.id < other.host + other.id ? -1 : 1)),
    foreign,
    queueTime: await board.clock(),
  };
}

function asStatus({ since, lastSeen, state, parked, ...card }: WorkerCard, isAlive: boolean): WorkerStatus {
  return {
    ...card,
    parked: parked.map(({ provider, until }) => ({ provider, until: new Date(until).toISOString() })),
    since: new Date(since).toISOString(),
    lastSeen: new Date(lastSeen).toISOString(),
    state: isAlive ? state : 'silent',
  };
}
