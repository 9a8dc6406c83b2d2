import { existsSync, lstatSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, extname, join, resolve } from 'node:path';
import { MailroomError } from '../core/errors.ts';
import type { CommandLine } from '../core/ports.ts';
import { repositoryOf } from './repository-place.ts';
import type { AgentReach } from './types.ts';

/** What configures agents in a workspace. What is not there is held, too, where no CLI stumbles over an empty folder. */
const HELD = ['.claude', '.codex', '.gemini', '.opencode', '.mcp.json'];
const HELD_IF_THERE = /^(?:opencode\.jsonc?|\.env.*)$/;

/** What a command line says of the settings of its program. */
export function agentReach({ settings = [], shuns = [] }: CommandLine, mayConfigure: boolean): AgentReach {
  return { settings, shuns, mayConfigure };
}

/** What in a workspace an agent must not write, absolute. A link is none of it: it cannot be held, nor what it leads to. */
export function workspaceSettings(workspace: string, { mayConfigure }: AgentReach): string[] {
  if (mayConfigure) return [];
  const there = namesIn(workspace).filter((name) => HELD_IF_THERE.test(name));
  return [...HELD, ...there].map((name) => join(workspace, name)).filter((path) => !isLink(path));
}

/**
 * The person's own settings that an agent must not write. What is not there yet is made, with nothing in it, since a sandbox
 * can hold only what it shows and an agent would make it. A link cannot be held.
 */
export function ownSettings({ settings }: AgentReach): string[] {
  for (const path of settings) make(path);
  return settings.filter((path) => existsSync(path) && !isLink(path));
}

/** What of the shunned names is there, in the workspace and the folders above it, up to the top of its repository. */
export function shunned(workspace: string, top: string | null, { shuns }: AgentReach): string[] {
  const folders = [workspace];
  if (top !== null) {
    for (let at = workspace; at !== top && at !== dirname(at); at = dirname(at)) folders.push(dirname(at));
  }
  return folders
    .flatMap((folder) => shuns.map((name) => join(folder, name)))
    .filter((path) => existsSync(path));
}

/** Refuses a program that would run what a repository wants, where no sandbox hides that. Throws `E_PROVIDER`. */
export function refuseShunned(
  provider: string,
  command: CommandLine,
  { workspace, env }: { readonly workspace: string; readonly env: Readonly<Record<string, string>> },
): void {
  const repository = repositoryOf(workspace, resolve(env['HOME'] ?? '/'));
  const [path] = shunned(workspace, repository?.top ?? null, agentReach(command, false));
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
