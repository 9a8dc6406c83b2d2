import { dirname, isAbsolute, relative } from 'node:path';
import { messageOf } from '../../kernel/errors.ts';
import type { Launch } from '../machine/launch.ts';
import type { RunFiles } from '../files/run-files.ts';
import { ownPaths } from '../../git/folder-changes.ts';
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

/**
 * Which files of a workspace (absolute) runs have written, not the person or a step: Mailroom's own
 * files, and the context folders of this and of other runs.
 */
export function ownFiles(
  project: string,
  context: string,
): (workspace: string, changed: readonly string[]) => (path: string) => boolean {
  return (workspace, changed) => {
    const isOurs = ownPaths(workspace, project);
    const own = relative(workspace, context);
    const others = changed.filter((path) => /[^/]\/_workflow\.json$/.test(path)).map(dirname);
    const contexts = (own.startsWith('..') || isAbsolute(own) ? [] : [own]).concat(others);
    const folders = contexts.filter((folder) => folder !== '');
    return (path) => isOurs(path) || folders.some((folder) => `${path}/`.startsWith(`${folder}/`));
  };
}
