import { existsSync, lstatSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, extname, join, resolve } from 'node:path';
import { settingsFolders } from '../../providers/agent-settings.ts';
import { MailroomError } from '../../kernel/errors.ts';
import { refuseLink } from './guarded-places.ts';
import { repositoryOf } from './repository-place.ts';
import type { AgentAccess } from '../types.ts';
import type { CommandLine } from '../../providers/provider.ts';

/** What configures agents in a workspace. What is not there is held, too, where no CLI stumbles over an empty folder. */
const HELD = [...settingsFolders, '.mcp.json'];
const HELD_IF_THERE = /^(?:opencode\.jsonc?|\.env.*)$/;

/** What a command line says of the settings of its program. */
export function agentReach({ settings = [], shuns = [] }: CommandLine, mayConfigure: boolean): AgentAccess {
  return { settings, shuns, mayConfigure };
}

/**
 * What in a workspace an agent must not write, absolute. A link is none of it: nobody but the repository says where it leads,
 * and a sandbox shows what it holds. Where the agent writes beside one it could replace it: throws `E_PATH`, but for variables.
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
 * The person's own settings that an agent must not write. What is not there yet is made, with nothing in it, since a sandbox
 * can hold only what it shows and an agent would make it.
 */
export function ownSettings({ settings }: AgentAccess): string[] {
  for (const path of settings) make(path);
  return settings.filter((path) => existsSync(path) || isLink(path));
}

/**
 * What of a folder a program may write where its settings lie in it. All of it, unless one of them is a link: a sandbox holds
 * none, so that the folder can only be read, and what lies in it besides is written.
 */
export function writableBeside(settings: readonly string[], folder: string): string[] {
  if (!settings.some((path) => dirname(path) === folder && isLink(path))) return [folder];
  return namesIn(folder)
    .map((name) => join(folder, name))
    .filter((path) => !settings.includes(path) && !isLink(path));
}

/**
 * What of these names is there, in a workspace and in the folders above it, up to the top of its repository; outside of one
 * up to the root, as CLIs look for settings there. The person's home is left out: what lies there is their own.
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

/** Refuses a program that would run what a repository wants, where no sandbox hides that. Throws `E_PROVIDER`. */
export function refuseShunned(
  provider: string,
  command: CommandLine,
  { workspace, env }: { readonly workspace: string; readonly env: Readonly<Record<string, string>> },
): void {
  const [path] = settingsAround(workspace, env['HOME'] ?? '/', command.shuns ?? []);
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
    // Where we may not write, neither may an agent.
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
