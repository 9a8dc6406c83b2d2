import { readdirSync, readFileSync } from 'node:fs';
import type fc from 'fast-check';

/** One thing that is fed with nonsense. */
export interface Target {
  readonly name: string;
  /** How many cases the everyday tests try. */
  readonly everyday: number;
  /** Throws when a case ends in anything but acceptance or a clear error. */
  readonly property: fc.IRawProperty<unknown>;
  /** Cases that are tried each time: what once went wrong, and what is known to be nasty. */
  readonly corpus: readonly CorpusCase[];
}

export interface CorpusCase {
  readonly name: string;
  readonly run: () => void;
}

/** The most that a case may cost: seconds of this process's own work, for the machine may be busy with others. */
const mostSeconds = 1;

/** Throws when the work takes too long, however it ends. */
export function bounded<T>(work: () => T): T {
  const before = process.cpuUsage();
  try {
    return work();
  } finally {
    const { user, system } = process.cpuUsage(before);
    const seconds = (user + system) / 1e6;
    // A finding of its own, which must not be hidden by the error that the work itself ended with.
    // eslint-disable-next-line no-unsafe-finally
    if (seconds > mostSeconds) throw new Error(`took ${seconds.toFixed(1)} s of work`);
  }
}

/** The files of a folder of the corpus, by name. */
export function corpusFiles(folder: string): ReadonlyMap<string, Buffer> {
  const place = new URL(`corpus/${folder}/`, import.meta.url);
  const names = readdirSync(place).toSorted();
  return new Map(names.map((name) => [name, readFileSync(new URL(name, place))]));
}

/** A finding, with what was fed. */
export class Finding extends Error {
  constructor(what: string, fed: unknown) {
    super(`${what}\nfed: ${JSON.stringify(fed)?.slice(0, 4_000) ?? ''}`);
  }
}
