import type { Disk } from '../../disk/disk.ts';
import { openRoot } from '../../disk/roots.ts';
import { ContextFolder } from '../files/context.ts';
import { whereItLies, contextPlaceOf } from '../files/context-holder.ts';
import type { ArtifactFiles } from '../../project/definition/contracts.ts';
import type { RunFolder } from '../machine/run-folder.ts';
import type { RunState, StepRun } from '../machine/state.ts';

/**
 * The artifact of a step; null: it has none of this name. A step in a sequence is that of its last
 * visit, unless its path names one. Creates nothing. Throws `E_PATH` where a link leads out of the folder.
 */
export function artifactOf(
  project: Disk,
  run: RunFolder,
  state: RunState,
  step: string,
  name: string,
): ArtifactFiles | null {
  const made = visitOf(state, step);
  if (made === undefined || !made.artifacts.some((each) => each.name === name)) return null;
  const disk = openRoot(contextPlaceOf(project, openRoot, whereItLies(project, openRoot, run)));
  const survey = disk && new ContextFolder(disk, run.definition).survey(made.path, name);
  if (disk === null || survey === null) return null;
  const byPath = new Map(survey.files.map((file) => [file.to, file]));
  return {
    files: new Map(survey.files.map(({ to, size }) => [to, size])),
    read: (file, from, most) => {
      const found = byPath.get(file);
      return found === undefined ? null : disk.readItself(found.from, most, from);
    },
  };
}

function visitOf({ steps }: RunState, step: string): StepRun | undefined {
  if (step.includes('#')) return steps.get(step);
  return [...steps.values()].findLast(({ path }) => path.replaceAll(/#\d+/g, '') === step);
}
