import { join, relative, sep } from 'node:path';
import { beyondPermissions, judgeChanges, mayChange } from '../../kernel/permissions.ts';
import type { ChangedFiles, WorkResult } from '../machine/work-result.ts';
import type { Launch, Prepared } from '../machine/launch.ts';
import type { FolderChanges } from '../../kernel/edits.ts';
import { Overlaps } from '../../host/overlaps.ts';

/** The maximum number of changed files listed. */
const named = 1_000;

/** What changed while a step's process ran. */
export interface Looked {
  /** What it changed; null: unknown. */
  readonly changed: ChangedFiles | null;
  readonly breach: ReturnType<typeof judgeChanges>;
}

type Place = Pick<Prepared, 'workspace' | 'inputs' | 'decisionFile'>;

interface OwedOutputs {
  readonly workspace: string;
  readonly owed: readonly string[];
  readonly others: Set<string>;
}

/**
 * Detects what agents of steps changed, and enforces their permissions. Scripts and commands are
 * not watched: the definition's author wrote them.
 */
export class StepPermissions {
  readonly #worktrees: string;
  readonly #contextDir: readonly string[];
  readonly #overlaps = new Overlaps();
  /**
   * Running processes: the workspace, their declared outputs, and those that others declared there
   * meanwhile.
   */
  readonly #running = new Map<string, OwedOutputs>();

  /** `contextDir`: relative to the workspace of the run; null: it is elsewhere. */
  constructor(project: string, contextDir: string | null) {
    this.#worktrees = join(project, '.mailroom', 'worktrees') + sep;
    this.#contextDir = contextDir === null ? [] : [contextDir];
  }

  watches({ work }: Pick<Launch, 'work'>): boolean {
    return work.kind === 'agent';
  }

  begin(key: string, { work, outputs }: Pick<Launch, 'work' | 'outputs'>, workspace: string): void {
    const own: OwedOutputs = { workspace, owed: outputs.map(({ path }) => path), others: new Set() };
    for (const other of this.#running.values()) {
      if (other.workspace !== workspace) continue;
      for (const path of own.owed) other.others.add(path);
      for (const path of other.owed) own.others.add(path);
    }
    this.#running.set(key, own);
    this.#overlaps.begin(key, workspace, work.kind !== 'agent' || mayChange(work.capabilities));
  }

  /**
   * Call it for every process that began. `changed`: relative to its workspace, or why git cannot
   * determine it; null: it was not watched, or lies outside git.
   */
  end(
    key: string,
    { work, outputs }: Pick<Launch, 'work' | 'outputs'>,
    prepared: Place,
    changed: FolderChanges | string | null,
  ): Looked {
    const shared = this.#overlaps.end(key);
    const owed = outputs.map(({ path }) => path);
    const others = [...(this.#running.get(key)?.others ?? [])].filter((path) => !owed.includes(path));
    this.#running.delete(key);
    if (changed === null || work.kind !== 'agent') return { changed: null, breach: { is: 'none' } };
    const { workspace } = prepared;
    const tests = work.capabilities.includes('RUN_TESTS');
    const where = { worktree: workspace.startsWith(this.#worktrees), shared, tests };
    const isAllowed = mayChange(work.capabilities);
    if (typeof changed === 'string')
      return { changed: null, breach: isAllowed ? { is: 'none' } : judgeChanges(changed, owed, where) };
    const own = beyondPermissions(changed.paths, [...this.#contextDir, ...laid(prepared), ...others]);
    const paths = own.slice(0, named);
    return {
      changed: shared ? null : { paths, more: own.length - paths.length },
      // Another step with permission may have made the change: a breach cannot be proven.
      breach: shared || isAllowed ? { is: 'none' } : judgeChanges({ ...changed, paths: own }, owed, where),
    };
  }
}

/** Files placed in its workspace for it, or collected from it. */
function laid({ workspace, inputs, decisionFile }: Place): string[] {
  const paths = [...inputs.map(({ path }) => path), ...(decisionFile === null ? [] : [decisionFile])];
  return paths.map((path) => relative(workspace, path));
}

/**
 * A result with its changes, and any breach of permissions: a warning, or in its own worktree a
 * failure.
 */
export function withLooked(result: WorkResult, { changed, breach }: Looked): WorkResult {
  const reported = changed === null ? result : { ...result, changed };
  switch (breach.is) {
    case 'none':
      return reported;
    case 'reported':
      return { ...reported, warnings: [...reported.warnings, breach.text] };
    case 'failed': {
      if (reported.outcome.is !== 'done') return reported;
      const outcome = {
        is: 'failed',
        class: 'NON_RETRYABLE',
        reason: breach.reason,
        reported: null,
        until: null,
        timedOut: false,
      } as const;
      return { ...reported, outcome };
    }
  }
}
