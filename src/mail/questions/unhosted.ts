import { refusalToList } from '../../disk/contents.ts';
import type { Definition } from '../../project/definition/definition.ts';
import type { Project } from '../../project/project.ts';
import { Lookout } from '../controller/lookout.ts';

/**
 * What a controller would report of waiting mail, where none runs: boxes that cannot be listed, and
 * missing programs. `definition` null: it cannot be read.
 */
export function unhostedProblems(project: Project, definition: Definition | null): string[] {
  const { disk, settings } = project;
  const roles = definition === null ? project.roles() : [...definition.protocol.roles.keys()];
  const boxes = roles.flatMap((role) =>
    ['inbox', 'outbox'].flatMap((box) => refusalToList(disk, `agents/${role}/${box}`) ?? []),
  );
  const { environment } = settings;
  const programs =
    definition === null ? [] : new Lookout(disk, { ...definition, environment }, () => 0).problems();
  return [...boxes, ...programs];
}
