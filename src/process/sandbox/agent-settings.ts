import { existsSync, lstatSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, extname, join, resolve } from 'node:path';
import { settingsFolders } from '../../providers/agent-settings.ts';
import { MailroomError } from '../../kernel/errors.ts';
import { refuseLink } from './guarded-places.ts';
import { repositoryOf } from './repository-place.ts';
import type { AgentAccess } from '../types.ts';
import type { CommandLine } from '../../providers/provider.ts';

/**
 * The files and folders that configure agents in a workspace. Missing ones are protected too,
 * unless a CLI fails on an empty folder.
 */
const HELD = [...settingsFolders, '.mcp.json'];
const HELD_IF_THERE = /^(?:opencode\.jsonc?|\.env.*)$/;

/** An agent's access, from the settings that its command line lists. */
export function agentReach({ settings = [], shuns = [] }: CommandLine, mayConfigure: boolean): AgentAccess {
  return { settings, shuns, mayConfigure };
}

/**
 * Paths in a workspace that an agent must not write, absolute. Links are left out: only the
 * repository says where they lead, and a sandbox shows their targets. Where the agent can write
 * beside one it could replace it: throws `E_PATH`, except for variables.
 */
export function workspaceSettings(
  workspace: string,
  { mayConfigure }: AgentAccess,
  changes: boolean,
): string[] {
  if (mayConfigure) return [];
  const there = namesIn(workspace).filter((name) => HELD_IF_THERE.test(name));
  const all = [...HELD, ...there].map((name) => join(workspace, name));
  if (changes) for (const path of all) if (!basename(path).startsWith('.env')) refuseLink(path);
  return all.filter((path) => !isLink(path));
}

/**
 * The user's own settings that an agent must not write. Missing ones are created empty, since a
 * sandbox can protect only existing paths and an agent would create them.
 */
export function ownSettings({ settings }: AgentAccess): string[] {
  for (const path of settings) make(path);
  return settings.filter((path) => existsSync(path) || isLink(path));
}

/**
 * The paths of a folder that a program can write although its settings lie there. The whole folder,
 * unless one of the settings is a link: a sandbox cannot protect a link, so the folder becomes
 * read-only and the other entries writable.
 */
export function writableBeside(settings: readonly string[], folder: string): string[] {
  if (!settings.some((path) => dirname(path) === folder && isLink(path))) return [folder];
  return namesIn(folder)
    .map((name) => join(folder, name))
    .filter((path) => !settings.includes(path) && !isLink(path));
}

/**
 * The existing paths of these names in a workspace and in the folders above it, up to the top of
 * its repository; outside one up to the root, as CLIs search for settings. Leaves out the user's
 * home, whose settings are the user's own.
 */
export function settingsAround(workspace: string, home: string, names: readonly string[]): string[] {
  const top = repositoryOf(workspace, resolve(home))?.top ?? '/';
  return foldersUpTo(top, workspace)
    .filter((folder) => folder !== resolve(home))
    .flatMap((folder) => names.map((name) => join(folder, name)))
    .filter((path) => existsSync(path));
}

function foldersUpTo(top: string, folder: string): string[] {
  const above = dirname(folder);
  return folder === top || above === folder ? [folder] : [folder, ...foldersUpTo(top, above)];
}

/**
 * Rejects a program that would run what a repository configures, where no sandbox hides that.
 * Throws `E_PROVIDER`.
 */
export function refuseShunned(
  provider: string,
  command: CommandLine,
  { workspace, env }: { readonly workspace: string; readonly env: Readonly<Record<string, string>> },
): void {
  if (command.shuns === undefined) return;
  const [path] = settingsAround(workspace, env['HOME'] ?? '/', command.shuns);
  if (path === undefined) return;
  throw new MailroomError(
    'E_PROVIDER',
    `${provider} runs plug-ins that ${path} may hold or name, and only a sandbox keeps it from that; install bubblewrap and leave \`sandbox\` at auto, or remove it from the workspace`,
  );
}

function make(path: string): void {
  if (lstatSync(path, { throwIfNoEntry: false }) !== undefined) return;
  try {
    const isFile = extname(path) !== '' || path.endsWith('/.env');
    mkdirSync(isFile ? dirname(path) : path, { recursive: true });
    if (isFile) writeFileSync(path, /\.jsonc?$/.test(path) ? '{}\n' : '', { flag: 'wx' });
  } catch {
    // An agent cannot write either where this process cannot.
  }
}

function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
