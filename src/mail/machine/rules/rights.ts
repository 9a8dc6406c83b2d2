import type { Capability } from '../../../kernel/capabilities.ts';
import type { Reason } from '../../../kernel/errors.ts';

/** Whether these rights let a turn change its workspace, whatever it owes. Tests change what they build, which git ignores. */
export function mayChange(capabilities: readonly Capability[]): boolean {
  return capabilities.includes('EDIT') || capabilities.includes('RUN_COMMANDS');
}

/** What a turn without the right changed beyond what it owed: paths, each with everything below it. Relative to one folder. */
export function beyondRights(changed: readonly string[], owed: readonly string[]): string[] {
  const ours = owed.map((path) => path.replace(/^(?:\.\/)+/, '').replace(/\/+$/, ''));
  return changed.filter((path) => !ours.some((own) => own === '.' || `${path}/`.startsWith(`${own}/`)));
}

const named = 10;

/** Changes that nobody had the right to, in words. */
export function breachText(paths: readonly string[]): string {
  const shown = paths.slice(0, named).map((path) => `\`${path}\``);
  const rest = paths.length > named ? ` and ${String(paths.length - named)} more` : '';
  return `changed without permission: ${shown.join(', ')}${rest}`;
}

/** Where it ran. `worktree`: one of the thread's own; `shared`: somebody with the right was there meanwhile. */
interface Where {
  readonly worktree: boolean;
  readonly shared: boolean;
}

type Judged = { readonly is: 'none' } | { readonly is: 'reported'; readonly text: string } | Failed;

/**
 * What follows from such changes. In a folder that people share it cannot be known who made them: they are reported. In a
 * worktree of the thread they are the turn's own, and fail it, unless somebody with the right was there meanwhile.
 */
export function judgeBreach(paths: readonly string[], where: Where): Judged {
  if (paths.length === 0) return { is: 'none' };
  const text = breachText(paths);
  if (where.worktree && !where.shared)
    return { is: 'failed', reason: { code: 'E_RIGHTS', text: `it ${text}` } };
  return { is: 'reported', text: `while it ran, files were ${text}` };
}

/** What follows where git cannot compare a folder, which somebody without the right can bring about: the same. */
export function judgeUnknown(why: string, where: Where): Judged {
  const text = `its changes cannot be compared, so unpermitted changes cannot be detected: ${why}`;
  if (where.worktree && !where.shared) return { is: 'failed', reason: { code: 'E_RIGHTS', text } };
  return { is: 'reported', text };
}

interface Failed {
  readonly is: 'failed';
  readonly reason: Reason;
}
