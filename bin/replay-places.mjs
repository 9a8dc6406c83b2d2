// Where a recording may write: below the workspace, by no link, and nothing that Mailroom, git or
// an agent obeys. A recording may be a stranger's.
import { closeSync, constants, existsSync, lstatSync, mkdirSync, openSync } from 'node:fs';
import { dirname, isAbsolute, join, relative } from 'node:path';

/** Opens a descriptor that only names a folder; node:fs lacks the constant. */
const O_PATH = 0o10000000;
const hasDescriptorPaths = process.platform === 'linux' && existsSync('/proc/self/fd');

/** The parts of a path below the workspace; throws for any other. */
export function partsOf(path) {
  const parts = typeof path === 'string' ? path.split('/') : [];
  if (
    parts.length === 0 ||
    parts.some((part) => part === '' || part === '.' || part === '..' || part.includes('\0'))
  )
    throw refused(path, 'leaves the workspace');
  return parts;
}

function refused(path, why) {
  return new Error(`${String(path)} ${why}, so none of the recorded changes were made`);
}

/**
 * Throws for a path that no honest recording has. The guard has the names of rules, those that git
 * obeys, and the files and folders that configure agents; null for these: its role may configure
 * agents.
 */
export function expectHarmless(path, { rules, git, settings }, { workspace, project }) {
  const names = partsOf(path).map(plainName);
  if (names.some((name) => name === '.git' || /^git~\d+$/.test(name) || git.includes(name)))
    throw refused(path, 'is a file of git');
  const topOf = (folder) => plainName(relative(folder, join(workspace, path)).split('/')[0]);
  // These make any folder a project.
  const isProject = names.some((name) => name === '.mailroom' || name === 'mailroom.yaml');
  if (isProject || projectsIn(workspace, project).some((folder) => rules.includes(topOf(folder))))
    throw refused(path, 'is a rule of the project');
  if (settings !== null && names.some((name, index) => isSetting(name, index === names.length - 1, settings)))
    throw refused(path, 'configures agents');
}

/** The folders at whose top rules lie: the project, and what a worktree or a folder of it has of it. */
function projectsIn(workspace, project) {
  if (isIn(join(project, '.mailroom'), workspace)) return [workspace, join(workspace, prefixOf(project))];
  return isIn(project, workspace) || isIn(workspace, project) ? [workspace, project] : [project];
}

/** The path of a project in its repository. */
function prefixOf(project) {
  for (let folder = project; folder !== dirname(folder); folder = dirname(folder))
    if (existsSync(join(folder, '.git'))) return relative(folder, project);
  return '';
}

function isIn(folder, path) {
  return `${path}/`.startsWith(`${folder}/`);
}

/** A name as the least careful of file systems reads it. */
function plainName(name) {
  const seen = name.normalize('NFKC').replaceAll(/[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu, '');
  return seen
    .toLowerCase()
    .replace(/:.*$/, '')
    .replace(/[. ]+$/, '');
}

function isSetting(name, isLast, { folders, files }) {
  const matches = (pattern) =>
    pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern;
  return folders.includes(name) || (isLast && files.some(matches));
}

/** Throws where one of these paths lies below another: that would be written by way of a link. */
export function expectApart(paths) {
  const all = new Set(paths);
  for (const path of all)
    for (let at = path.indexOf('/'); at !== -1; at = path.indexOf('/', at + 1))
      if (all.has(path.slice(0, at)))
        throw refused(path, `lies below ${path.slice(0, at)}, a file of the recording`);
}

/**
 * Calls `act` with a path of the folder of a file, which leads to this very folder whatever is put
 * in its place meanwhile, and the name of the file; null: the folder does not exist. `makes` a
 * missing folder. Throws for a link on the way.
 */
export function inFolder(workspace, path, { makes = false }, act) {
  const parts = partsOf(path);
  const name = parts.pop();
  const opened = [];
  const enter = (at) => {
    if (!hasDescriptorPaths) return at;
    opened.push(
      openSync(at, O_PATH | constants.O_DIRECTORY | (opened.length > 0 ? constants.O_NOFOLLOW : 0)),
    );
    return `/proc/self/fd/${opened.at(-1)}`;
  };
  try {
    let folder = enter(workspace);
    for (const [index, part] of parts.entries()) {
      const next = `${folder}/${part}`;
      const stats = lstatSync(next, { throwIfNoEntry: false });
      if (stats?.isSymbolicLink()) throw byLink(path, parts, index);
      if (stats === undefined && !makes) return null;
      if (stats === undefined) mkdirSync(next);
      else if (!stats.isDirectory() && !makes) return null;
      folder = enter(next);
    }
    return act(folder, name);
  } finally {
    for (const descriptor of opened.toReversed()) closeSync(descriptor);
  }
}

function byLink(path, parts, index) {
  return refused(path, `leaves the workspace by the link ${parts.slice(0, index + 1).join('/')}`);
}

/** The path below the workspace of an absolute one; null: it lies elsewhere. */
export function belowWorkspace(workspace, path) {
  const below =
    isAbsolute(path) && path.startsWith(join(workspace, '/')) ? path.slice(join(workspace, '/').length) : '';
  return below === '' ? null : below;
}
