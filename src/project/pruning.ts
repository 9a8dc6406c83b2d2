import type { Disk } from '../disk/disk.ts';
import type { Worktrees } from '../git/worktrees.ts';
import { refuseTrackedState } from '../host/tracked.ts';
import { MailroomError } from '../kernel/errors.ts';
import type { Prunable, PruneContext, PrunedKind } from './prune.ts';

type PruneScope = Omit<PruneContext, 'worktrees'>;

/** What is old in a project and not needed any more. */
export class Pruning {
  readonly #disk: Disk;
  readonly #worktrees: Worktrees;

  constructor(disk: Disk, worktrees: Worktrees) {
    this.#disk = disk;
    this.#worktrees = worktrees;
  }

  /** Old turns, runs and checkouts of threads. */
  async list(kinds: readonly PrunedKind[], scope: PruneScope): Promise<readonly Prunable[]> {
    const { listPrunable } = await import('./prune.ts');
    return listPrunable(this.#disk, kinds, { ...scope, worktrees: this.#worktrees });
  }

  /** Removes one of them. Returns why it could not; null: it is gone. */
  async remove(item: Prunable, scope: PruneScope): Promise<string | null> {
    try {
      await refuseTrackedState(this.#disk);
      const { prune } = await import('./prune.ts');
      await prune(this.#disk, item, { ...scope, worktrees: this.#worktrees });
      return null;
    } catch (error) {
      if (error instanceof MailroomError) return error.message;
      throw error;
    }
  }
}
