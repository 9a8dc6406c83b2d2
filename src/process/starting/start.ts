import { closeSync } from 'node:fs';
import type { Writable } from 'node:stream';
import { openInputPipe, openOutputPipe, type InputPipe, type OutputPipe, type Source } from './pipe-pool.ts';
import type { End, Order, StartEvents, Starting } from './here.ts';
import { begin, readyLauncher } from './launcher.ts';

interface Wanted extends Omit<Order, 'stdio'> {
  /** Standard input: nothing, what will be written, or a descriptor, which is closed here. */
  readonly input: End;
  /** True: it can open its outputs by name (`/dev/stderr`), as a child cannot with Node's pipes. */
  readonly byName: boolean;
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
export function start({ input, byName, ...wanted }: Wanted, events: StartEvents): Started {
  const isHanded = byName || readyLauncher() !== null;
  const ends = isHanded ? openEnds(input) : { ...noEnds, stdio: [input, 'pipe', 'pipe'] as const };
  const starting = begin({ ...wanted, stdio: ends.stdio }, closing(ends, events));
  const { pipes } = starting;
  const output = (index: 1 | 2): Source | null => ends.outputs[index - 1] ?? pipes?.[index] ?? null;
  return {
    open: () => starting.open(),
    close: () => starting.close(),
    input: ends.input?.write ?? pipes?.[0] ?? null,
    outputs: [output(1), output(2)],
  };
}

interface Ends {
  readonly stdio: readonly End[];
  readonly input: InputPipe | null;
  readonly outputs: readonly (OutputPipe | null)[];
  /** Closes the ends of the program in this process. */
  close(): void;
}

const noEnds = { input: null, outputs: [], close() {} };

/** Kernel pipes, where they can be made: Node's own are sockets. */
function openEnds(input: End): Ends {
  const descriptors: number[] = typeof input === 'number' ? [input] : [];
  const outputs: (OutputPipe | null)[] = [];
  let written: InputPipe | null = null;
  const close = (): void => {
    for (const descriptor of descriptors.splice(0)) closeSync(descriptor);
  };
  try {
    if (input === 'pipe') written = openInputPipe();
    if (written !== null) descriptors.push(written.read);
    // One after the other: if the second fails, the first is known and closed.
    for (let output = 0; output < 2; output += 1) {
      const pipe = openOutputPipe();
      outputs.push(pipe);
      if (pipe !== null) descriptors.push(pipe.write);
    }
  } catch (error) {
    close();
    written?.over();
    for (const pipe of outputs) pipe?.discard();
    throw error;
  }
  const stdio = [written?.read ?? input, ...outputs.map((pipe) => pipe?.write ?? ('pipe' as const))];
  return { stdio, input: written, outputs, close };
}

function closing(ends: Ends, events: StartEvents): StartEvents {
  return {
    ...events,
    started(leader) {
      ends.close();
      events.started(leader);
    },
    refused(error) {
      ends.close();
      ends.input?.over();
      events.refused(error);
    },
    ended(exitCode, signal) {
      ends.input?.over();
      events.ended(exitCode, signal);
    },
  };
}
