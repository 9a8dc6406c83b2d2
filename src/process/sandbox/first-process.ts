import { readlinkSync } from 'node:fs';
import { basename } from 'node:path';
import { probeContainment } from './containment.ts';

/**
 * Why orphans of agents stay as zombies after their end, in words; null: they do not. Node as the
 * first process of a container reaps only its own children, and `npx` is Node, too.
 */
export async function zombieNote(first = '/proc/1/exe'): Promise<string | null> {
  const { namespace } = await probeContainment();
  if (namespace.works || !isNode(first)) return null;
  return 'the first process here is Node, which leaves orphans as zombies: let it be `mailroom` itself (not `node` or `npx`), or an init (`docker run --init`)';
}

/** False also for a process of another user, which is an init. */
function isNode(link: string): boolean {
  try {
    return basename(readlinkSync(link)) === 'node';
  } catch {
    return false;
  }
}
