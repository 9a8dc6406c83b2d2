import { relative } from 'node:path';
import { messageOf } from '../../kernel/errors.ts';
import type { Launch } from '../machine/launch.ts';
import type { RunFiles } from '../files/run-files.ts';
import { changedFiles } from '../../git/run-differences.ts';
import { temporaryEnding } from '../../disk/disk.ts';

/**
 * Finds what a step changed in its workspace (absolute), measured as its convergence says, or why
 * that is unknown. The context folder (absolute), Mailroom's own files, the inputs and the decision
 * file do not count.
 */
export function changeFinder(
  files: RunFiles,
  context: string,
): (launch: Launch, workspace: string) => Promise<readonly string[] | string> {
  return async (launch, workspace) => {
    const { convergence, inputs, check } = launch;
    const names = ['.mailroom', ...inputs.map(({ as }) => as), check?.decisionFile ?? '.mailroom'];
    const paths = [context, ...names.map((name) => `${workspace}/${name}`)];
    const ours = paths.map((path) => relative(workspace, path)).filter((path) => path !== '');
    const ignored = [...(convergence?.ignoredPaths ?? []), `**/*${temporaryEnding}`];
    try {
      const base = files.diffBase(launch);
      const changes = await changedFiles({ workspace, base }, { ignored, ours });
      return changes.ok ? changes.changed : changes.problem;
    } catch (error) {
      return messageOf(error);
    }
  };
}
