import { relative } from 'node:path';
import { MailroomError } from '../core/errors.ts';
import type { Launch } from '../core/workflow/launch.ts';
import type { RunFiles } from '../core/workflow/ports.ts';
import { changedFiles, type Changes } from '../process/run-differences.ts';
import { temporaryEnding } from '../store/disk.ts';

/**
 * What a step changed in its workspace (absolute), measured as its convergence says. The context folder (absolute), what
 * is Mailroom's own, the inputs and the decision file do not count.
 */
export function changesOf(
  files: RunFiles,
  launch: Launch,
  { workspace, context }: { readonly workspace: string; readonly context: string },
): Promise<Changes> {
  const { convergence, inputs, check } = launch;
  const decision = check?.decisionFile ?? null;
  const own = [
    context,
    ...inputs.map(({ as }) => `${workspace}/${as}`),
    `${workspace}/${decision ?? '.mailroom'}`,
  ];
  const ours = ['.mailroom', ...own.map((path) => relative(workspace, path))].filter((path) => path !== '');
  const limits = {
    allowed: convergence?.allowedPaths ?? [],
    ignored: [...(convergence?.ignoredPaths ?? []), `**/*${temporaryEnding}`],
    ours,
  };
  try {
    return changedFiles({ workspace, base: files.diffBase(launch) }, limits);
  } catch (error) {
    if (!(error instanceof MailroomError) || error.code !== 'E_FILE') throw error;
    return Promise.resolve({ ok: false, problem: error.message });
  }
}
