import type { Capability } from './capabilities.ts';
import type { Reason } from './errors.ts';

/**
 * Whether these permissions let a turn change its workspace, whatever it owes. Tests change what
 * they build, which git ignores.
 */
export function mayChange(capabilities: readonly Capability[]): boolean {
  return capabilities.includes('EDIT') || capabilities.includes('RUN_COMMANDS');
}

/**
 * The changes of a turn without permission beyond what it owed: paths, each with everything below
 * it. Relative to one folder.
 */
export function beyondPermissions(changed: readonly string[], owed: readonly string[]): string[] {
  const ours = owed.map((path) => path.replace(/^(?:\.\/)+/, '').replace(/\/+$/, ''));
  return changed.filter((path) => !ours.some((own) => own === '.' || `${path}/`.startsWith(`${own}/`)));
}

const named = 10;

/**
 * Where a turn ran. `worktree`: in its thread's own; `shared`: another turn with permission
 * overlapped.
 */
interface Where {
  readonly worktree: boolean;
  readonly shared: boolean;
}

type Judged =
  | { readonly is: 'none' }
  | { readonly is: 'reported'; readonly text: string }
  | { readonly is: 'failed'; readonly reason: Reason };

/**
 * The consequence of changes in a folder beyond what was owed there. In a folder that people share
 * their author is ambiguous: they are reported. In the thread's worktree they are the turn's own
 * and fail it, unless another turn with permission overlapped. A string says why git cannot compare
 * the folder, which a turn without permission can cause: the consequence is the same.
 */
export function judgeChanges(
  changed: readonly string[] | string,
  owed: readonly string[],
  { worktree, shared }: Where,
): Judged {
  const isOwn = worktree && !shared;
  const text =
    typeof changed === 'string'
      ? `its changes cannot be compared, so unpermitted changes cannot be detected: ${changed}`
      : breachText(beyondPermissions(changed, owed), isOwn ? 'it' : 'while it ran, files were');
  if (text === null) return { is: 'none' };
  return isOwn ? { is: 'failed', reason: { code: 'E_PERMISSIONS', text } } : { is: 'reported', text };
}

function breachText(paths: readonly string[], what: string): string | null {
  if (paths.length === 0) return null;
  const shown = paths.slice(0, named).map((path) => `\`${path}\``);
  const rest = paths.length > named ? ` and ${String(paths.length - named)} more` : '';
  return `${what} changed without permission: ${shown.join(', ')}${rest}`;
}
