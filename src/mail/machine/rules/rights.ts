import type { Capability } from '../../../kernel/capabilities.ts';
import type { Reason } from '../../../kernel/errors.ts';

/**
 * Whether these permissions let a turn change its workspace, apart from what it owes. RUN_TESTS
 * does not count: tests change only build output, which git ignores.
 */
export function mayChange(capabilities: readonly Capability[]): boolean {
  return capabilities.includes('EDIT') || capabilities.includes('RUN_COMMANDS');
}

/**
 * The changes of a turn without permission, except what it owes: paths, each including everything
 * below it. Relative to one folder.
 */
export function beyondRights(changed: readonly string[], owed: readonly string[]): string[] {
  const ours = owed.map((path) => path.replace(/^(?:\.\/)+/, '').replace(/\/+$/, ''));
  return changed.filter((path) => !ours.some((own) => own === '.' || `${path}/`.startsWith(`${own}/`)));
}

const named = 10;

/** Changes without permission, in words. */
export function breachText(paths: readonly string[]): string {
  const shown = paths.slice(0, named).map((path) => `\`${path}\``);
  const rest = paths.length > named ? ` and ${String(paths.length - named)} more` : '';
  return `changed without permission: ${shown.join(', ')}${rest}`;
}

/**
 * Where a turn ran. `worktree`: in its thread's own; `shared`: another turn with permission
 * overlapped.
 */
interface Where {
  readonly worktree: boolean;
  readonly shared: boolean;
}

type Judged = { readonly is: 'none' } | { readonly is: 'reported'; readonly text: string } | Failed;

/**
 * The consequence of changes without permission. In a folder that people share their author is
 * ambiguous: they are reported. In the thread's worktree they are the turn's own and fail it,
 * unless another turn with permission overlapped.
 */
export function judgeBreach(paths: readonly string[], where: Where): Judged {
  if (paths.length === 0) return { is: 'none' };
  const text = breachText(paths);
  if (where.worktree && !where.shared)
    return { is: 'failed', reason: { code: 'E_RIGHTS', text: `it ${text}` } };
  return { is: 'reported', text: `while it ran, files were ${text}` };
}

/**
 * The consequence of a folder that git cannot compare: the same, as a turn without permission can
 * cause that.
 */
export function judgeUnknown(why: string, where: Where): Judged {
  const text = `its changes cannot be compared, so unpermitted changes cannot be detected: ${why}`;
  if (where.worktree && !where.shared) return { is: 'failed', reason: { code: 'E_RIGHTS', text } };
  return { is: 'reported', text };
}

interface Failed {
  readonly is: 'failed';
  readonly reason: Reason;
}
