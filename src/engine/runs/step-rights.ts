import { join, relative, sep } from 'node:path';
import { beyondRights, judgeBreach, mayChange } from '../../core/mail/rules/rights.ts';
import type { WorkResult } from '../../core/workflow/event.ts';
import type { Launch, Prepared } from '../../core/workflow/launch.ts';
import { Overlaps } from '../overlaps.ts';

/** What an agent of a step changed without the right to, as it was judged. */
export type Breach = Exclude<ReturnType<typeof judgeBreach>, { readonly is: 'none' }>;

/** Holds agents of steps to their rights afterwards. What a definition's author wrote is not looked at. */
export class StepRights {
  readonly #worktrees: string;
  readonly #contextDir: readonly string[];
  readonly #overlaps = new Overlaps();

  /** `contextDir`: relative to the workspace of the run; null: it lies elsewhere. */
  constructor(project: string, contextDir: string | null) {
    this.#worktrees = join(project, '.mailroom', 'worktrees') + sep;
    this.#contextDir = contextDir === null ? [] : [contextDir];
  }

  watches({ work }: Launch): boolean {
    return work.kind === 'agent' && !mayChange(work.capabilities);
  }

  begin(key: string, { work }: Launch, workspace: string): void {
    this.#overlaps.begin(key, workspace, work.kind !== 'agent' || mayChange(work.capabilities));
  }

  /** Call it for everything that has begun. `changed`: relative to its workspace. */
  end(key: string, launch: Launch, prepared: Prepared, changed: readonly string[]): Breach | null {
    const shared = this.#overlaps.end(key);
    const { workspace, inputs, decisionFile } = prepared;
    const owed = [
      ...this.#contextDir,
      ...launch.outputs.map(({ path }) => path),
      ...[...inputs.map(({ path }) => path), ...(decisionFile === null ? [] : [decisionFile])].map((path) =>
        relative(workspace, path),
      ),
    ];
    const worktree = workspace.startsWith(this.#worktrees);
    const judged = judgeBreach(beyondRights(changed, owed), { worktree, shared });
    return judged.is === 'none' ? null : judged;
  }
}

/** A result with what is to be said of rights: a warning, or in a worktree of its own the reason why it failed. */
export function withBreach(result: WorkResult, breach: Breach | null): WorkResult {
  if (breach === null) return result;
  if (breach.is === 'reported') return { ...result, warnings: [...result.warnings, breach.text] };
  if (result.outcome.is !== 'done') return result;
  const { reason } = breach;
  const failed = {
    is: 'failed',
    class: 'NON_RETRYABLE',
    reason,
    reported: null,
    until: null,
    timedOut: false,
  } as const;
  return { ...result, outcome: failed };
}
