import type { Collected, LaunchOutput } from '../../core/workflow/launch.ts';
import type { Disk } from '../disk.ts';
import { artifactFolder } from './layout.ts';
import { findPath, plainPath } from './paths.ts';
import { surveyFile, surveyFolder } from './survey.ts';
import type { Survey } from './survey.ts';

/** An output that is there. */
export interface Present {
  readonly artifact: Collected['artifacts'][number];
  readonly survey: Survey;
}

/** Throws `E_PATH` when an output would lie, or lies already, outside the workspace. */
export function checkOutputs(workspace: Disk, outputs: readonly LaunchOutput[]): void {
  for (const { name, path } of outputs) {
    artifactFolder('', name);
    findPath(workspace, plainPath(path));
  }
}

/** Looks at all declared outputs before anything is copied. Throws `E_PATH` for one outside the workspace. */
export function readOutputs(
  workspace: Disk,
  outputs: readonly LaunchOutput[],
  leaveOut: (path: string) => boolean,
): { present: Present[]; missing: LaunchOutput[] } {
  const present: Present[] = [];
  const missing: LaunchOutput[] = [];
  for (const output of outputs) {
    const { name, type } = output;
    const plain = plainPath(output.path);
    const path = findPath(workspace, plain);
    const base = plain.slice(plain.lastIndexOf('/') + 1);
    const kind = path === '' ? 'folder' : path === null ? null : workspace.look(path)?.kind;
    if (path !== null && kind === 'folder') {
      const survey = surveyFolder(workspace, path, leaveOut);
      present.push({ artifact: { name, path: `${name}/`, type }, survey });
    } else if (path !== null && kind === 'file') {
      const survey = surveyFile(workspace, path, base);
      present.push({ artifact: { name, path: `${name}/${base}`, type }, survey });
    } else missing.push(output);
  }
  return { present, missing };
}
