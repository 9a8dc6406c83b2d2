import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import { isMailFolder, obeyedByGit, ruleNames } from '../../kernel/rule-names.ts';
import { obeyedFolders, settingsFiles } from '../../providers/agent-settings.ts';
import { realPlace, repositoryOf } from './repository-place.ts';

/**
 * What a path of a repository is to the projects in it. `state`: Mailroom's own files and mail,
 * which never travel with work. `rule`: somebody outside of a sandbox runs, trusts or obeys it, so
 * it lands only once a person has approved it. `work`: anything else.
 */
export type PathKind = 'state' | 'rule' | 'work';

/** The projects of a repository. All paths are relative to its top. */
export interface ObeyedPlaces {
  /** The folder of the project whose work it is; empty: the top. */
  readonly project: string;
  /** Other files and folders that its rules name, such as scripts of commands. */
  readonly named: readonly string[];
  /** Whether another project lies in a folder. */
  readonly isProject: (folder: string) => boolean;
}

/** The places of a project (absolute path). `named`: relative to the project. */
export function obeyedPlaces(project: string, named: readonly string[]): ObeyedPlaces {
  const root = realPlace(project);
  const top = realPlace(repositoryOf(project, '/')?.top ?? project);
  const inTop = (path: string) => relative(top, path);
  return {
    project: inTop(root),
    // A link that a rule names leads to what is obeyed.
    named: named.flatMap((name) => {
      const path = join(root, name);
      return [...new Set([path, realPlace(path)])].map(inTop).filter((each) => !each.startsWith('..'));
    }),
    isProject: (folder) => ['mailroom.yaml', '.mailroom'].some((name) => existsSync(join(top, folder, name))),
  };
}

/** Files that git obeys in any folder, and the settings of agents. */
const obeyedAnywhere: readonly string[] = [...obeyedByGit, ...obeyedFolders];

/**
 * Upper and lower case count as equal, and characters that some file systems leave out of names do
 * not count.
 */
export function kindOfPath(path: string, places: ObeyedPlaces): PathKind {
  const segments = folded(path);
  if (segments.includes('.mailroom')) return 'state';
  const inProjects = segments.flatMap((segment, index): string[][] =>
    names.has(segment) && isProjectAt(segments, path, index, places) ? [segments.slice(index)] : [],
  );
  if (inProjects.some(isMailFolder)) return 'state';
  return inProjects.length > 0 || isObeyedAnywhere(segments) || isNamed(segments, places) ? 'rule' : 'work';
}

const names: ReadonlySet<string> = new Set(ruleNames);

/** `mailroom.yaml` makes a folder a project, wherever it lies. */
function isProjectAt(
  segments: readonly string[],
  path: string,
  index: number,
  places: ObeyedPlaces,
): boolean {
  const folder = path.split('/').slice(0, index).join('/');
  return (
    segments[index] === 'mailroom.yaml' ||
    folded(folder).join('/') === folded(places.project).join('/') ||
    places.isProject(folder)
  );
}

function isObeyedAnywhere(segments: readonly string[]): boolean {
  const last = segments.at(-1) ?? '';
  const isSettings = settingsFiles.some((name) =>
    name.endsWith('*') ? last.startsWith(name.slice(0, -1)) : last === name,
  );
  return isSettings || segments.some((segment) => obeyedAnywhere.includes(segment));
}

/** Also a folder around it: what replaces that replaces all below. */
function isNamed(segments: readonly string[], { project, named }: ObeyedPlaces): boolean {
  const path = `${segments.join('/')}/`;
  return [project, ...named].some((each) => {
    const place = folded(each).join('/');
    if (place === '') return false;
    return `${place}/`.startsWith(path) || (each !== project && path.startsWith(`${place}/`));
  });
}

const leftOut = /[\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]/g;

function folded(path: string): string[] {
  const plain = path.replaceAll(leftOut, '').normalize('NFC').toLowerCase();
  return plain === '' ? [] : plain.split('/');
}
