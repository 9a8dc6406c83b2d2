import type { Collected, LaunchOutput } from '../machine/launch.ts';
import { kindWords } from '../../disk/contents.ts';
import type { Disk } from '../../disk/disk.ts';
import type { Guard } from './guard.ts';
import { artifactFolder } from './layout.ts';
import { findPath, plainPath } from './paths.ts';
import { surveyFile, surveyFolder } from './survey.ts';
import type { Survey } from './survey.ts';

/** The maximum number of entries of an output: a worker decides how many there are. */
const mostEntries = 20_000;

/** An output that exists. */
interface Present {
  readonly artifact: Collected['artifacts'][number];
  readonly survey: Survey;
}

/**
 * Throws `E_PATH` when an output would lie, or lies already, outside the workspace or in a guarded
 * path.
 */
export function checkOutputs(workspace: Disk, outputs: readonly LaunchOutput[], guard: Guard): void {
  for (const { name, path } of outputs) {
    artifactFolder('', name);
    findOutput(workspace, path, guard);
  }
}

/** Null: it does not exist, and cannot. */
function findOutput(workspace: Disk, path: string, guard: Guard): string | null {
  const real = findPath(workspace, plainPath(path));
  if (real !== null) guard(workspace, real, path);
  return real;
}

/**
 * Checks all declared outputs before anything is copied. Throws `E_PATH` for one that is guarded or
 * outside the workspace.
 */
export function readOutputs(
  workspace: Disk,
  outputs: readonly LaunchOutput[],
  { guard, leaveOut }: { readonly guard: Guard; readonly leaveOut: (path: string) => boolean },
): { present: Present[]; missing: Collected['missing'] } {
  const present: Present[] = [];
  const missing: Collected['missing'][number][] = [];
  for (const output of outputs) {
    const { name, type } = output;
    const plain = plainPath(output.path);
    const path = findOutput(workspace, output.path, guard);
    const base = plain.slice(plain.lastIndexOf('/') + 1);
    const kind = path === '' ? 'folder' : path === null ? null : workspace.look(path)?.kind;
    if (path !== null && kind === 'folder') {
      const survey = surveyFolder(workspace, path, leaveOut, guard, mostEntries);
      present.push({ artifact: { name, path: `${name}/`, type }, survey });
    } else if (path !== null && kind === 'file') {
      const survey = surveyFile(workspace, path, base);
      present.push({ artifact: { name, path: `${name}/${base}`, type }, survey });
    } else missing.push(kind == null ? output : { ...output, found: kindWords[kind] });
  }
  return { present, missing };
}
