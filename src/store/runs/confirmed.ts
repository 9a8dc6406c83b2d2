import type { Disk } from '../disk.ts';

/** What was confirmed of workflows: a line for each, its fingerprint and its path from the project. */
const confirmedFile = '.mailroom/confirmed';

/** By file of a workflow, from the project: the fingerprint under which `up` may start it. */
export function readConfirmed(disk: Disk): Map<string, string> {
  const text = disk.read(confirmedFile, 16 * 1024 * 1024)?.toString('utf8') ?? '';
  return new Map(
    text.split('\n').flatMap((line) => {
      const [fingerprint = '', name] = line.split('  ');
      const file = name === undefined ? null : decoded(name);
      return file === null ? [] : [[file, fingerprint]];
    }),
  );
}

/** Null: nobody has encoded it so, and nothing is confirmed by it. */
function decoded(name: string): string | null {
  try {
    return decodeURIComponent(name);
  } catch {
    return null;
  }
}

/** Replaces all that was confirmed. */
export function writeConfirmed(disk: Disk, confirmed: ReadonlyMap<string, string>): void {
  const lines = [...confirmed].map(([file, fingerprint]) => `${fingerprint}  ${encodeURIComponent(file)}\n`);
  disk.write(confirmedFile, lines.join(''));
}
