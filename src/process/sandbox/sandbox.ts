import { accessSync, existsSync } from 'node:fs';
import { delimiter, dirname, isAbsolute, join, resolve } from 'node:path';
import process from 'node:process';
import { systemCode } from '../../kernel/contained.ts';
import { MailroomError } from '../../kernel/errors.ts';
import { ownSettings, settingsAround, workspaceSettings, writableBeside } from './agent-settings.ts';
import { gitPlaces } from './git-places.ts';
import { linkedRules, refuseGuarded, refuseLink, repositoryNames, rulesOf } from './guarded-places.ts';
import { apiFolder, lockNames } from '../../kernel/lock-names.ts';
import { usablePath } from './own-programs.ts';
import { isAbove, programPaths } from './program-paths.ts';
import { realPlace, repositoryOf } from './repository-place.ts';
import type { Containment, AccessRequest } from '../types.ts';
import { isFolder } from '../proc.ts';

type Sandbox = Extract<Containment, { kind: 'bubblewrap' }> & { readonly held: readonly string[] };

/** The project's signing key, which no process can read. */
const SECRET = join('.mailroom', 'nostr.key');

interface SandboxOptions {
  readonly project: string;
  readonly nests: boolean;
  /** Rules that lie elsewhere in the project, absolute; missing: none. */
  readonly rules?: readonly string[];
  /** Whether a branch is one that only a person moves; missing: none is. */
  readonly isProtected?: (branch: string) => boolean;
}

/**
 * The sandbox that restricts a process to its access request: the workspace is writable with any
 * permission beyond READ (tests write build output), what its own commits need of the repository
 * only with RUN_COMMANDS, required outputs and granted folders always; of a project outside the
 * workspace the rest is readable, except Mailroom's key and locks. Throws `E_PATH` for a request
 * that would make a file writable that is run, trusted or obeyed outside.
 */
export function sandboxFor(
  reach: AccessRequest,
  { project, nests, rules: others = [], isProtected = () => false }: SandboxOptions,
): Sandbox {
  const { workspace, capabilities, owed } = reach;
  const changes = capabilities === null || capabilities.some((right) => right !== 'READ');
  const commands = capabilities === null || capabilities.includes('RUN_COMMANDS');
  const repository = repositoryOf(workspace, resolve(reach.env['HOME'] ?? '/'));
  const git = repository === null ? [] : [repository.git];
  const places =
    repository === null
      ? { writable: [], held: [] }
      : gitPlaces(repository, { project, commits: commands, isProtected });
  const rules = [
    ...rulesOf(project),
    ...linkedRules(project),
    ...others,
    // In a linked working tree `.git` is a file: a process that could change it would name another
    // repository.
    ...(repository === null ? [] : [join(repository.top, '.git')]),
    ...repositoryNames([...new Set([workspace, project])], repository),
  ];
  const guarded = [...rules, ...git, ...places.held];
  for (const path of [...(changes ? [workspace] : []), ...owed])
    refuseGuarded(path, guarded, { own: false, project });
  for (const path of reach.writable) refuseGuarded(path, guarded, { own: true, project });
  const programs = searched(reach);
  if (changes && programs.includes(realPlace(workspace))) refuseWorkspace(workspace);
  const held = [...rules.filter((path) => !places.writable.includes(path)), ...places.held, ...programs];
  const { agent } = reach;
  const own = agent === undefined ? [] : ownSettings(agent);
  const given = reach.writable.flatMap((folder) => writableBeside(own, folder));
  // Where it lies in the workspace, it is a part of it, and shown with it.
  const isPart = changes && isAbove(realPlace(workspace), realPlace(project));
  const shown = [
    ...(isPart ? [] : [project]),
    workspace,
    ...(repository === null ? [] : [repository.top]),
    ...git,
    ...programPaths(reach),
    ...reach.writable.filter((folder) => !given.includes(folder)),
  ].filter(isReachable);
  const writable = [...(changes ? [workspace] : owed), ...places.writable, ...given];
  const settings = agent === undefined ? [] : [...own, ...workspaceSettings(workspace, agent, changes)];
  const unseen = agent === undefined ? [] : settingsAround(workspace, reach.env['HOME'] ?? '/', agent.shuns);
  const folders = [...unseen, join(project, lockNames.folder), join(project, apiFolder)].filter(isFolder);
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
    ...(commands && repository !== null && { commitsTo: repository.git }),
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

/**
 * Folders of programs, including those of processes outside: a program put there runs for others.
 */
function searched({ env }: AccessRequest): string[] {
  const own = (env['PATH'] ?? '').split(delimiter).filter((folder) => isAbsolute(folder));
  const outside = usablePath(process.env['PATH'] ?? '').split(delimiter);
  return [...new Set([...own, ...outside])].filter((folder) => folder !== '' && isReachable(folder));
}

/** For a missing path its topmost missing parent: then nothing can be created inside it either. */
function toBeHeld(path: string): string {
  const folder = dirname(path);
  return folder === path || existsSync(folder) ? path : toBeHeld(folder);
}

type Places = Pick<Sandbox, 'readable' | 'writable' | 'held'>;

/** The entry that decides about a path: the deepest one that contains it. */
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

/**
 * The folders between a path and the writable one around it: mounted separately, none of them can
 * be moved away.
 */
function pinnedFor(path: string, places: Places): string[] {
  const around = deciding(dirname(path), places);
  return around.writes ? foldersBetween(around.path, path) : [];
}

function foldersBetween(above: string, path: string): string[] {
  const folder = dirname(path);
  return folder === above ? [] : [...foldersBetween(above, folder), folder];
}

/** False if bwrap could not show the path, e.g. in another user's folder. */
function isReachable(path: string): boolean {
  try {
    accessSync(path);
    return true;
  } catch (error) {
    return systemCode(error) === 'ENOENT';
  }
}

/**
 * The paths under which to show a path: its real one, since a sandbox cannot mount anything behind
 * a link that it shows, and its own name if that leads through no other shown path.
 */
function placesOf(path: string, all: readonly string[]): string[] {
  const real = realPlace(path);
  if (real === path) return [path];
  const shown = all.some((each) => each !== path && isAbove(each, path));
  return shown ? [real] : [real, path];
}
