import { closeSync } from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import type { Source } from '../output/output.ts';
import { openInputPipe, openOutputPipe } from '../output/pipe-pool.ts';
import { startHere, type End, type Order, type StartEvents, type Starting } from './here.ts';
import { readyLauncher } from './launcher.ts';

interface Wanted extends Omit<Order, 'stdio'> {
  /** Standard input: nothing, what will be written, or a descriptor, which is closed here. */
  readonly input: End;
}

export interface Started extends Pick<Starting, 'open' | 'close'> {
  /** Null unless `input` is a pipe. */
  readonly input: Writable | null;
  /** Standard output and standard error; null: the system has refused to start the process. */
  readonly outputs: readonly [Source | null, Source | null];
}

/**
 * Starts a program, by the launcher of this process if it has one that is ready, or as a child.
 * Events may come before this returns. Throws if its input or its outputs cannot be opened.
 */
export function start({ input, ...wanted }: Wanted, events: StartEvents): Started {
  const ends = openEnds(input);
  const order = { ...wanted, stdio: ends.stdio };
  const watched: StartEvents = {
    ...events,
    started(leader) {
      ends.close();
      events.started(leader);
    },
    refused(error) {
      ends.close();
      events.refused(error);
    },
  };
  // A pipe of Node cannot be handed to another process.
  const launcher = ends.stdio.includes('pipe') ? null : readyLauncher();
  const { pipes, ...gate } = launcher === null ? startHere(order, watched) : launcher.start(order, watched);
  const output = (index: 1 | 2): Source | null =>
    ends.outputs[index - 1] ?? (pipes?.[index] as Readable | null | undefined) ?? null;
  return {
    ...gate,
    input: ends.input ?? (input === 'pipe' ? (pipes?.[0] as Writable | null | undefined) : null) ?? null,
    outputs: [output(1), output(2)],
  };
}

interface Ends {
  readonly stdio: readonly End[];
  readonly input: Writable | null;
  readonly outputs: readonly ReturnType<typeof openOutputPipe>[];
  /** Closes the ends of the program in this process. */
  close(): void;
}

/** Kernel pipes where they can be made: Node's own are sockets. */
function openEnds(input: End): Ends {
  const descriptors: number[] = typeof input === 'number' ? [input] : [];
  const outputs: ReturnType<typeof openOutputPipe>[] = [];
  let written: ReturnType<typeof openInputPipe> = null;
  const close = (): void => {
    for (const descriptor of descriptors.splice(0)) closeSync(descriptor);
  };
  try {
    if (input === 'pipe') written = openInputPipe();
    if (written !== null) descriptors.push(written.read);
    // One after the other: if the second fails, the first is known and closed.
    for (const _ of ['stdout', 'stderr']) {
      const pipe = openOutputPipe();
      outputs.push(pipe);
      if (pipe !== null) descriptors.push(pipe.write);
    }
  } catch (error) {
    close();
    written?.write.destroy();
    for (const pipe of outputs) pipe?.discard();
    throw error;
  }
  const stdio = [written?.read ?? input, ...outputs.map((pipe) => pipe?.write ?? 'pipe')];
  return { stdio, input: written?.write ?? null, outputs, close };
}
