import { accessSync, existsSync } from 'node:fs';
import { delimiter, dirname, isAbsolute, join, resolve } from 'node:path';
import process from 'node:process';
import { MailroomError } from '../../kernel/errors.ts';
import { ownSettings, settingsAround, workspaceSettings, writableBeside } from './agent-settings.ts';
import {
  linkedRules,
  obeyedByGit,
  refuseGuarded,
  refuseLink,
  repositoryNames,
  rulesOf,
} from './guarded-places.ts';
import { lockNames } from '../../kernel/lock-names.ts';
import { usablePath } from './own-programs.ts';
import { isAbove, programPaths } from './program-paths.ts';
import { realPlace, repositoryOf } from './repository-place.ts';
import type { Containment, AccessRequest } from '../types.ts';
import { isFolder } from '../proc.ts';

type Sandbox = Extract<Containment, { kind: 'bubblewrap' }> & { readonly held: readonly string[] };

/** The key by which the project signs: nobody's to read. */
const SECRET = join('.mailroom', 'nostr.key');

/**
 * The sandbox that holds a process to its reach: the workspace is writable with a right beyond READ (tests write what they
 * build), the repository's own folder only with RUN_COMMANDS, what is owed and given always, the rest of the project is
 * there to be read, but for our key and our locks. Nothing that is run, believed or obeyed outside is writable: throws
 * `E_PATH` for a reach that would be.
 */
export function sandboxFor(
  reach: AccessRequest,
  { project, nests }: { readonly project: string; readonly nests: boolean },
): Sandbox {
  const { workspace, capabilities, owed } = reach;
  const changes = capabilities === null || capabilities.some((right) => right !== 'READ');
  const commands = capabilities === null || capabilities.includes('RUN_COMMANDS');
  const repository = repositoryOf(workspace, resolve(reach.env['HOME'] ?? '/'));
  const git = repository === null ? [] : [repository.git];
  const obeyed = repository === null ? [] : obeyedByGit(repository, commands);
  const rules = [
    ...rulesOf(project),
    ...linkedRules(project),
    // Of a linked working tree `.git` is a file: whoever could change it would name another repository.
    ...(repository === null ? [] : [join(repository.top, '.git')]),
    ...repositoryNames([...new Set([workspace, project])], repository),
  ];
  const guarded = [...rules, ...git, ...obeyed];
  for (const path of [...(changes ? [workspace] : []), ...owed])
    refuseGuarded(path, guarded, { own: false, project });
  for (const path of reach.writable) refuseGuarded(path, guarded, { own: true, project });
  const programs = searched(reach);
  if (changes && programs.includes(realPlace(workspace))) refuseWorkspace(workspace);
  const held = [...rules.filter((path) => !commands || path !== git[0]), ...obeyed, ...programs];
  const { agent } = reach;
  const own = agent === undefined ? [] : ownSettings(agent);
  const given = reach.writable.flatMap((folder) => writableBeside(own, folder));
  const shown = [
    project,
    workspace,
    ...(repository === null ? [] : [repository.top]),
    ...git,
    ...programPaths(reach),
    ...reach.writable.filter((folder) => !given.includes(folder)),
  ].filter(isReachable);
  const writable = [...(changes ? [workspace] : owed), ...(commands ? git : []), ...given];
  const settings = agent === undefined ? [] : [...own, ...workspaceSettings(workspace, agent, changes)];
  const unseen = agent === undefined ? [] : settingsAround(workspace, reach.env['HOME'] ?? '/', agent.shuns);
  const folders = [...unseen, join(project, lockNames.folder)].filter(isFolder);
  const files = [
    join(project, SECRET),
    join(project, lockNames.project),
    ...unseen.filter((path) => !folders.includes(path)),
  ];
  return withPlaces({ shown, writable, held: [...held, ...settings, ...reach.guarded] }, (names) => ({
    kind: 'bubblewrap',
    hidden: files.flatMap((path) => placesOf(path, names)).filter((path) => existsSync(path)),
    emptied: folders.flatMap((path) => placesOf(path, names)),
    network: reach.network,
    nests,
  }));
}

function refuseWorkspace(workspace: string): never {
  throw new MailroomError(
    'E_PATH',
    `the workspace ${workspace} is a folder of PATH, so what an agent writes into it would run as a program`,
    'take it out of PATH, or give another workspace',
  );
}

interface Wanted {
  readonly shown: readonly string[];
  readonly writable: readonly string[];
  readonly held: readonly string[];
}

function withPlaces(
  { shown, writable, held }: Wanted,
  rest: (names: readonly string[]) => Omit<Sandbox, 'readable' | 'writable' | 'held'>,
): Sandbox {
  const names = [...shown, ...held, ...writable];
  const around = [...new Set([...names, ...names.map(realPlace)])];
  const places = (paths: readonly string[]) => [...new Set(paths.flatMap((path) => placesOf(path, around)))];
  const sandbox = { readable: places(shown), writable: places(writable), held: places(held.map(toBeHeld)) };
  for (const path of held) if (isWritable(dirname(path), sandbox)) refuseLink(path);
  const pinned = [...sandbox.readable, ...sandbox.held].flatMap((path) => pinnedFor(path, sandbox));
  return { ...rest(names), ...sandbox, writable: [...new Set([...sandbox.writable, ...pinned])] };
}

/** Folders of programs, those of processes outside included: what is put there runs for others. */
function searched({ env }: AccessRequest): string[] {
  const own = (env['PATH'] ?? '').split(delimiter).filter((folder) => isAbsolute(folder));
  const outside = usablePath(process.env['PATH'] ?? '').split(delimiter);
  return [...new Set([...own, ...outside])].filter((folder) => folder !== '' && isReachable(folder));
}

/** Of what is not there the topmost folder that is missing: what would lie in it cannot be made either. */
function toBeHeld(path: string): string {
  const folder = dirname(path);
  return folder === path || existsSync(folder) ? path : toBeHeld(folder);
}

type Places = Pick<Sandbox, 'readable' | 'writable' | 'held'>;

/** What decides about a path: the deepest place that it lies in. */
function deciding(path: string, { readable, writable, held }: Places): { path: string; writes: boolean } {
  const all = [
    ...readable.map((each) => ({ path: each, writes: false })),
    ...writable.map((each) => ({ path: each, writes: true })),
    ...held.map((each) => ({ path: each, writes: false })),
  ].filter((each) => isAbove(each.path, path));
  return all.reduce((deepest, each) => (each.path.length >= deepest.path.length ? each : deepest), {
    path: '/',
    writes: false,
  });
}

function isWritable(path: string, places: Places): boolean {
  return deciding(realPlace(path), places).writes;
}

/** The folders between a place and the writable one around it: shown by themselves, none of them can be moved away. */
function pinnedFor(path: string, places: Places): string[] {
  const around = deciding(dirname(path), places);
  return around.writes ? foldersBetween(around.path, path) : [];
}

function foldersBetween(above: string, path: string): string[] {
  const folder = dirname(path);
  return folder === above ? [] : [...foldersBetween(above, folder), folder];
}

/** False for what bwrap could not show, e.g. in a folder of another user. */
function isReachable(path: string): boolean {
  try {
    accessSync(path);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT';
  }
}

/**
 * Where a path is to be shown: at its real place, since no sandbox can put anything behind a link that it shows; and under
 * its own name, where that leads through nothing else that is shown.
 */
function placesOf(path: string, all: readonly string[]): string[] {
  const real = realPlace(path);
  if (real === path) return [path];
  const shown = all.some((each) => each !== path && isAbove(each, path));
  return shown ? [real] : [real, path];
}
