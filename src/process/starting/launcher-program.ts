import { closeSync, constants, openSync, readlinkSync } from 'node:fs';
import process from 'node:process';
import { makePipes } from './pipe-pool.ts';
import { readProcess } from '../proc.ts';
import { sweepMarked } from '../sweep.ts';
import { startHere, type End, type Starting } from './here.ts';
import { PIPES, type Answer, type Ask } from './launcher.ts';

/* The program of the launcher: starts what its host asks for, and ends it when that is gone. */

const host = process.ppid;
const starting = new Map<number, Starting>();
/** How `MAILROOM_LAUNCH` begins for what ends with the host; null: it was not said yet. */
let ending: string | null = null;

/** Descriptors that name the pipes that the host may take. */
const named: number[] = [];

/** How long programs have to end when their host is gone, in milliseconds. */
const graceMs = 500;

function answer(text: Answer): void {
  process.send?.(text, undefined, {}, () => {});
}

function start({ id, start: order }: Extract<Ask, { start: unknown }>): void {
  const opened: number[] = [];
  const close = (): void => {
    for (const descriptor of opened.splice(0)) closeSync(descriptor);
  };
  const refused = (error: unknown): void => {
    close();
    starting.delete(id);
    answer({ is: 'refused', id, error: described(error) });
  };
  let stdio: End[];
  try {
    stdio = order.stdio.map((end, number) => {
      if (typeof end !== 'number') return end;
      const descriptor = take(end, number === 0 ? constants.O_RDONLY : constants.O_WRONLY);
      opened.push(descriptor);
      return descriptor;
    });
  } catch (error) {
    return refused(error);
  }
  const begun = startHere(
    { ...order, stdio },
    {
      started: ({ pid }) => {
        close();
        // It keeps its pid until this process learns of its end, in a later turn of the loop.
        const startTime = readProcess(pid)?.startTime ?? 'unknown';
        answer({ is: 'started', id, leader: { pid, startTime } });
      },
      reached: () => answer({ is: 'reached', id }),
      refused,
      ended: (exitCode, signal) => {
        starting.delete(id);
        answer({ is: 'ended', id, exitCode, signal });
      },
    },
  );
  if (order.barrier) starting.set(id, begun);
}

/** Opens what the host has open. */
function take(descriptor: number, mode: number): number {
  const path = `/proc/${host}/fd/${descriptor}`;
  // Opening one end of a pipe would wait for another end, which the host may have closed already.
  const both = openSync(path, constants.O_RDWR);
  try {
    return openSync(path, mode);
  } finally {
    closeSync(both);
  }
}

/** An error as it can be sent. */
function described(error: unknown): Record<string, string> {
  const { message, code, syscall } = error as Record<string, unknown>;
  return Object.fromEntries(
    Object.entries({ message, code, syscall }).flatMap(([key, value]) =>
      typeof value === 'string' ? [[key, value]] : [],
    ),
  );
}

/** Makes pipes for the host. Their names stay open here until the host has taken them. */
function more(count: number): void {
  for (const name of named.splice(0)) closeSync(name);
  named.push(...makePipes(count));
  answer({ is: 'pipes', paths: named.map((name) => `/proc/${process.pid}/fd/${name}`) });
}

function canOpen(): boolean {
  try {
    return readlinkSync(`/proc/${host}/fd/0`) !== '';
  } catch {
    return false;
  }
}

process.on('message', (ask: Ask) => {
  if ('start' in ask) start(ask);
  else if ('pipes' in ask) more(ask.pipes);
  else if ('ending' in ask) ending = ask.ending;
  else if (ask.barrier === 'open') starting.get(ask.id)?.open();
  else starting.get(ask.id)?.close();
});
process.once('disconnect', () => {
  for (const each of starting.values()) each.close();
  const ended = ending === null ? null : sweepMarked(ending, graceMs, 'MAILROOM_LAUNCH');
  void Promise.resolve(ended).finally(() => process.exit());
});
const name = process.env['MAILROOM_LAUNCHER'] ?? '';
answer({ is: 'ready', works: name !== '' && canOpen(), name });
more(PIPES);
