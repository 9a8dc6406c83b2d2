import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  writeFileSync,
  type Dirent,
} from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { MailroomError } from '../../kernel/errors.ts';
import { ruleNames } from '../../kernel/rule-names.ts';
import { isAbove } from './program-paths.ts';
import { realPlace, textOf, type KnownRepository } from './repository-place.ts';

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

/**
 * Files that the user's own git would run or obey, later and outside the sandbox. Where the rest of
 * the repository is writable, missing ones are created: otherwise an agent could create them.
 */
export function obeyedByGit({ top, git }: KnownRepository, isWritable: boolean): string[] {
  const repositories = [git, ...modulesIn(join(git, 'modules'))];
  return repositories.flatMap((folder) => {
    const tree = folder === git ? top : workingTreeOf(folder);
    return [
      ...(tree === null || folder === git ? [] : [join(tree, '.git')]),
      ...configurationOf(folder, tree, isWritable),
    ];
  });
}

function configurationOf(git: string, tree: string | null, isWritable: boolean): string[] {
  const [hooks, config] = [join(git, 'hooks'), join(git, 'config')];
  const text = textOf(config);
  const ofTrees = /worktreeConfig/i.test(text)
    ? ['.', ...worktreesIn(git)].map((name) => join(git, name, 'config.worktree'))
    : [];
  if (isWritable) makeAll(hooks, ofTrees);
  return [hooks, config, ...ofTrees, ...namedIn(text, git, tree)];
}

/** Other files and folders that a configuration names as hooks or as further configuration. */
function namedIn(config: string, git: string, tree: string | null): string[] {
  const hooks = [...config.matchAll(/^\s*hooksPath\s*=\s*"?([^"\n]+?)"?\s*$/gim)];
  const included = [...config.matchAll(/^\s*path\s*=\s*"?([^"\n]+?)"?\s*$/gim)];
  const paths = [
    ...hooks.map((match) => resolve(tree ?? git, match[1]!)),
    ...included.map((match) => resolve(git, match[1]!)),
  ];
  // Agents write in no other folder.
  return paths.filter((path) => isAbove(tree ?? git, path) || isAbove(git, path));
}

function makeAll(folder: string, files: readonly string[]): void {
  try {
    if (!existsSync(folder)) mkdirSync(folder);
    for (const file of files) if (!existsSync(file)) writeFileSync(file, '', { flag: 'wx' });
  } catch {
    // An agent cannot write either where this process cannot.
  }
}

function worktreesIn(git: string): string[] {
  return foldersIn(join(git, 'worktrees')).map((name) => join('worktrees', name));
}

/** The repositories of submodules, and of their submodules: a name can have several parts. */
function modulesIn(folder: string): string[] {
  return foldersIn(folder).flatMap((name) => {
    const path = join(folder, name);
    return existsSync(join(path, 'HEAD')) ? [path, ...modulesIn(join(path, 'modules'))] : modulesIn(path);
  });
}

function workingTreeOf(git: string): string | null {
  const named = /^\s*worktree\s*=\s*(.+?)\s*$/m.exec(textOf(join(git, 'config')))?.[1];
  return named === undefined ? null : resolve(git, named);
}

function foldersIn(folder: string): string[] {
  return entriesOf(folder).flatMap((each) => (each.isDirectory() ? [each.name] : []));
}

function namesIn(folder: string): string[] {
  return entriesOf(folder).map(({ name }) => name);
}

function entriesOf(folder: string): Dirent[] {
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
