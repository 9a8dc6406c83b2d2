import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { git } from './git.ts';
import { inTurn } from './workspace-tree.ts';

/**
 * Packs the loose objects of a repository (absolute). A process that may add objects but not change
 * packs can then neither remove nor replace what exists: git finds packed objects first. Never
 * rejects; what git cannot pack stays loose.
 */
export async function packObjects(repository: string): Promise<void> {
  if (!hasLoose(join(repository, 'objects'))) return;
  const env = { GIT_DIR: repository, GIT_COMMON_DIR: repository };
  // Packs are joined as they grow, so that their number stays small.
  const args = ['repack', '-d', '-q', '--geometric=2', '--no-write-bitmap-index'];
  await inTurn(repository, () => git(args, { cwd: repository, env, timeoutMs: packMs }));
}

const packMs = 120_000;

function hasLoose(objects: string): boolean {
  try {
    return readdirSync(objects).some(
      (name) => /^[0-9a-f]{2}$/.test(name) && readdirSync(join(objects, name)).length > 0,
    );
  } catch {
    // Git says what is wrong with it.
    return true;
  }
}
