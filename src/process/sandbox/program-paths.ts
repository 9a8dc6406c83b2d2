import { existsSync, lstatSync, readlinkSync, realpathSync } from 'node:fs';
import { basename, delimiter, dirname, isAbsolute, join, resolve } from 'node:path';
import process from 'node:process';
import { SYSTEM } from './bubblewrap.ts';
import { ownValue } from '../../kernel/own.ts';

/**
 * Folders of users' tools and their settings below the home folder; none of them contains a login.
 */
const TOOLS = `
  .gitconfig .config/git .nvm/versions .fnm .volta .asdf .local/share/mise .pyenv .rbenv .rustup .cargo/bin go/bin
  .sdkman/candidates .deno/bin .bun/bin`
  .trim()
  .split(/\s+/);

/**
 * Variables that name a file or folder that a program reads: its settings, its key, its trusted
 * authorities.
 */
const NAMED = `
  MAILROOM_RECORDING OPENCODE_CONFIG OPENCODE_CONFIG_DIR GOOGLE_APPLICATION_CREDENTIALS CODEX_CA_CERTIFICATE NODE_EXTRA_CA_CERTS
  SSL_CERT_FILE SSL_CERT_DIR`
  .trim()
  .split(/\s+/);

interface Program {
  readonly argv: readonly string[];
  /** Further programs that it starts; missing: none. */
  readonly programs?: readonly string[];
  /** The program's working directory. */
  readonly workspace: string;
  /** Its complete environment: `PATH`, `HOME` and the variables that name files matter here. */
  readonly env: Readonly<Record<string, string>>;
}

/**
 * The paths outside the system's folders that a program needs: the folders of `PATH`, its own
 * package, Node, Mailroom itself, the user's tools, and paths in variables. Never the home folder
 * or one above it.
 */
export function programPaths({ argv, programs: others = [], workspace, env }: Program): string[] {
  const home = resolve(env['HOME'] ?? '/');
  const search = (env['PATH'] ?? '').split(delimiter).filter((folder) => isAbsolute(folder));
  const programs = [argv[0] ?? '', ...others, process.execPath, process.argv[1] ?? ''];
  const found = programs.flatMap((program) => located(program, workspace, search));
  const paths = [
    ...search,
    ...found.flatMap(namesOf).map((each) => packageOf(each, home)),
    ...TOOLS.map((name) => join(home, name)),
    ...NAMED.map((name) => ownValue(env, name) ?? '').filter((path) => isAbsolute(path)),
  ];
  return [...new Set(paths)].filter((path) => !isAbove(path, home) && !isSystem(path));
}

function located(program: string, workspace: string, search: readonly string[]): string[] {
  const names = program.includes('/')
    ? [resolve(workspace, program)]
    : search.map((folder) => join(folder, program));
  const file = names.find((name) => program !== '' && existsSync(name));
  return file === undefined ? [] : [file];
}

/**
 * Every name of a path while the system follows its links, one after the other, up to its real
 * path.
 */
function namesOf(path: string): string[] {
  const names = [path];
  for (let next = followed(path); next !== null; next = followed(next)) names.push(next);
  return [...names, realpathSync(path)];
}

/** The path after following its first link; null: it contains none. */
function followed(path: string): string | null {
  const parts = path.split('/');
  const places = parts.map((_, index) => parts.slice(0, index + 1).join('/')).slice(1);
  const link = places.find((place) => lstatSync(place, { throwIfNoEntry: false })?.isSymbolicLink() === true);
  return link === undefined
    ? null
    : resolve(dirname(link), readlinkSync(link), `.${path.slice(link.length)}`);
}

/** The folder of a program's package, or the parent of its `bin`; otherwise only the file. */
function packageOf(file: string, home: string): string {
  const packages = file.indexOf('/node_modules/');
  if (packages > 0) return file.slice(0, packages + '/node_modules'.length);
  const folder = dirname(file);
  const around = basename(folder) === 'bin' ? dirname(folder) : folder;
  const tooMuch = isAbove(around, home) || around === join(home, '.local');
  return tooMuch ? file : around;
}

/** Whether a path is the folder or one of its parents. */
export function isAbove(path: string, folder: string): boolean {
  return `${folder}/`.startsWith(path === '/' ? path : `${path}/`);
}

function isSystem(path: string): boolean {
  return SYSTEM.some((folder) => path === folder || path.startsWith(`${folder}/`));
}
