import { readParkedFile } from '../letters/letters.ts';
import { join } from '../disk/disk.ts';
import type { Disk } from '../disk/disk.ts';
import { readSealed, writeSealed } from './seal.ts';

/** Providers that must not be used before a given time; shared by all hosts of a project. */
const parkedFolder = '.mailroom/parked';

/** Records until when a provider is parked; milliseconds since 1970. */
export function park(disk: Disk, provider: string, until: number): void {
  writeSealed(disk, pathOf(provider), JSON.stringify({ until }));
}

/**
 * Until when each provider is parked. A file without a provider or a valid time, or from another
 * program, is ignored: parking only saves waiting.
 */
export function readParked(disk: Disk): Map<string, number> {
  const parked = new Map<string, number>();
  for (const name of disk.list(parkedFolder) ?? []) {
    const provider = providerOf(name);
    const until = provider === null ? null : readUntil(disk, join(parkedFolder, name));
    if (provider !== null && until !== null) parked.set(provider, until);
  }
  return parked;
}

function readUntil(disk: Disk, path: string): number | null {
  const content = readSealed(disk, path, 10_000);
  const read = content !== 'gone' && content.ok ? readParkedFile(content.text) : null;
  return read?.ok === true ? read.value.until : null;
}

/** Null: it is not a provider's file. */
function providerOf(name: string): string | null {
  if (name.startsWith('.')) return null;
  try {
    return decodeURIComponent(name);
  } catch {
    return null;
  }
}

/** A provider's name comes from a configuration file: it is encoded as one plain name. */
function pathOf(provider: string): string {
  return join(parkedFolder, encodeURIComponent(provider).replaceAll('.', '%2E'));
}
