import { lstatSync, readdirSync, readlinkSync, type Dirent } from 'node:fs';
import { join, relative } from 'node:path';
import { MailroomError } from '../../kernel/errors.ts';
import { ruleNames } from '../../kernel/rule-names.ts';
import { isAbove } from './program-paths.ts';
import { realPlace, type KnownRepository } from './repository-place.ts';

/** The entries that make a folder a repository: a folder `.git`, or `HEAD` of a bare one. */
const REPOSITORY = ['.git', 'HEAD'];

/** The rules of a project and its journal, absolute, whether or not they exist. */
export function rulesOf(project: string): string[] {
  return ruleNames.map((name) => join(project, name));
}

/**
 * The targets of links among the rules: a file may serve two programs, and an agent may be able to
 * write the other name.
 */
export function linkedRules(project: string): string[] {
  const roles = namesIn(join(project, 'agents')).map((role) => join(project, 'agents', role, 'role.md'));
  const files = ['protocols', 'workflows'].flatMap((name) => filesIn(join(project, name)));
  return [...rulesOf(project), ...roles, ...files].filter(isLink).map(realPlace);
}

function filesIn(folder: string): string[] {
  return entriesOf(folder).flatMap((each) => {
    const path = join(folder, each.name);
    return each.isDirectory() ? filesIn(path) : [path];
  });
}

/**
 * Paths that would turn these folders into repositories made by an agent, which the user's git
 * would then trust.
 */
export function repositoryNames(folders: readonly string[], repository: KnownRepository | null): string[] {
  return folders
    .filter((folder) => folder !== repository?.top)
    .flatMap((folder) => REPOSITORY.map((name) => join(folder, name)));
}

/** The names of the folders in a folder. */
export function foldersIn(folder: string): string[] {
  return entriesOf(folder).flatMap((each) => (each.isDirectory() ? [each.name] : []));
}

function namesIn(folder: string): string[] {
  return entriesOf(folder).map(({ name }) => name);
}

/** What lies in a folder; nothing if it cannot be listed. */
export function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

function isLink(path: string): boolean {
  try {
    return lstatSync(path).isSymbolicLink();
  } catch {
    // Nothing is there, or a file is in the place of a folder above it.
    return false;
  }
}

/**
 * Rejects write access to a guarded path or to a path inside one, whatever links its name contains.
 * `own`: Mailroom has chosen the path, possibly below a guarded one; then it must contain no link.
 * Throws `E_PATH`.
 */
export function refuseGuarded(
  path: string,
  guarded: readonly string[],
  { own, project }: { readonly own: boolean; readonly project: string },
): void {
  const real = realPlace(path);
  if (own && isItself(path, project)) return;
  const tree = worktreeOf(path, project);
  // The worktrees of threads lie in .mailroom and are writable.
  const places =
    tree !== null && isAbove(tree, real) ? guarded.filter((each) => !isAbove(each, tree)) : guarded;
  const hit = places.find((each) => isAbove(realPlace(each), real));
  if (hit === undefined) return;
  const leads = real === path ? path : `${path} leads to ${real}, which`;
  const where = real === realPlace(hit) ? 'is' : `lies in ${hit},`;
  throw new MailroomError(
    'E_PATH',
    `${leads} ${where} a place that no agent may write`,
    'name a file or folder elsewhere in the workspace',
  );
}

/** Whether the path below the project contains no link. */
function isItself(path: string, project: string): boolean {
  return realPlace(path) === join(realPlace(project), relative(project, path));
}

/** The thread's worktree that contains a path, or is the path; null: none, or a link. */
function worktreeOf(path: string, project: string): string | null {
  const folder = join(project, '.mailroom', 'worktrees');
  const [name = ''] = relative(folder, path).split('/');
  const tree = join(folder, name);
  return name !== '' && name !== '..' && isItself(tree, project) ? realPlace(tree) : null;
}

/**
 * Rejects a link at a guarded path: a sandbox can protect the target of a link, but not the link.
 */
export function refuseLink(path: string): void {
  if (!isLink(path)) return;
  throw new MailroomError(
    'E_PATH',
    `${path} is a link to ${readlinkSync(path)}, and who works beside it could replace it`,
    'put there what it leads to, or give a workspace that does not hold the link',
  );
}
