import type { Capability } from './capabilities.ts';
import type { FolderChanges } from './edits.ts';
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
 * overlapped; `tests`: it may run tests, which leave files that git does not know.
 */
interface Where {
  readonly worktree: boolean;
  readonly shared: boolean;
  readonly tests: boolean;
}

type Judged =
  | { readonly is: 'none' }
  | { readonly is: 'reported'; readonly text: string }
  | { readonly is: 'failed'; readonly reason: Reason };

/**
 * The consequence of changes in a folder beyond what was owed there. In a folder that people share
 * their author is ambiguous: they are reported. In the thread's worktree they are the turn's own
 * and fail it, unless another turn with permission overlapped, or tests changed only files that git
 * did not track: these are reported. A string says why git cannot compare the folder, which a turn
 * without permission can cause: the consequence is the same as of a change.
 */
export function judgeChanges(
  changed: FolderChanges | string,
  owed: readonly string[],
  { worktree, shared, tests }: Where,
): Judged {
  const isOwn = worktree && !shared;
  const failed = (text: string): Judged => ({ is: 'failed', reason: { code: 'E_PERMISSIONS', text } });
  const reported = (text: string): Judged => ({ is: 'reported', text });
  if (typeof changed === 'string') {
    const text = `its changes cannot be compared, so unpermitted changes cannot be detected: ${changed}`;
    return isOwn ? failed(text) : reported(text);
  }
  const beyond = beyondPermissions(changed.paths, owed);
  const breaking = isOwn && tests ? beyond.filter((path) => !changed.untracked.includes(path)) : beyond;
  if (breaking.length > 0) {
    const text = `changed without permission: ${shown(breaking)}`;
    return isOwn ? failed(`it ${text}`) : reported(`while it ran, files were ${text}`);
  }
  return beyond.length === 0
    ? { is: 'none' }
    : reported(`it left files that git does not track: ${shown(beyond)}`);
}

function shown(paths: readonly string[]): string {
  const first = paths.slice(0, named).map((path) => `\`${path}\``);
  return first.join(', ') + (paths.length > named ? ` and ${String(paths.length - named)} more` : '');
}
