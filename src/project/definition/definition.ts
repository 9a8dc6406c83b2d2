import { createHash } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';

import { replaying, type Config } from '../../config/config.ts';
import type { Checked, Diagnostic } from '../../kernel/diagnostic.ts';
import { MailroomError } from '../../kernel/errors.ts';
import type { Protocol } from '../../mail/format/protocol.ts';
import { listWorkflowFiles, readConfigFile, readRoleFile, type TextFile } from './project-files.ts';
import { fingerprintOf, type Confirmable } from './confirmed.ts';
import { readProtocol } from './protocol-files.ts';
import { headBranch } from '../../git/head-branch.ts';
import type { Disk } from '../../disk/disk.ts';
import { RealDisk } from '../../disk/real-disk.ts';
import { listRuns } from '../../workflow/files/run-folders.ts';
import type { Hooks } from './hooks.ts';
import type { Capability } from '../../kernel/capabilities.ts';
import type { Provider, TurnTools } from '../../providers/provider.ts';

export interface Definition {
  readonly protocol: Protocol;
  readonly config: Config;
  /** The hash of the protocol as it was read. */
  readonly hash: () => string;
}

/** What the protocol and settings are confirmed by. */
export const rulesKey = 'protocols';

/** The program around a project. */
export interface Surroundings {
  /** The folder of the installed program. */
  readonly packageRoot: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** What extensions add; default: nothing. */
  readonly hooks?: readonly Hooks[];
}

/** The current protocol and settings, to be compared with what `up` has confirmed. */
export function rulesOf(disk: Disk): Confirmable {
  const texts = readTexts(disk);
  return rulesWith(disk, () => fingerprintOfTexts(texts));
}

/** The same as they were read. */
export function rulesWith({ root }: Disk, fingerprint: () => string): Confirmable {
  return { file: join(root, rulesKey), path: `${rulesKey}/`, fingerprint };
}

/** The hash of the current protocol and settings. */
export function hashOf(disk: Disk): string {
  return hashOfTexts(readTexts(disk));
}

/** The files of the protocol and settings, as they were read together. */
interface Texts {
  readonly settings: TextFile | null;
  readonly agents: TextFile | null;
  readonly protocol: ReturnType<typeof readProtocol>;
}

function readTexts(disk: Disk): Texts {
  const [settings, agents] = [readConfigFile(disk, 'mailroom.yaml'), readConfigFile(disk, 'agents.yaml')];
  return { settings, agents, protocol: readProtocol(disk) };
}

function hashOfTexts(texts: Texts): string {
  return createHash('sha256').update(joined(texts)).digest('hex').slice(0, 16);
}

function fingerprintOfTexts(texts: Texts): string {
  return fingerprintOf(new Map(filesOf(texts).flatMap((file) => (file ? [[file.path, file.text]] : []))));
}

function joined(texts: Texts): string {
  return filesOf(texts)
    .map((file) => `${file?.path}\n${file?.text}`)
    .join('\0');
}

function filesOf({ settings, agents, protocol }: Texts): (TextFile | null)[] {
  return [settings, agents, ...protocol.files.map(({ file, text }) => ({ path: file, text }))];
}

/** Reads mailroom.yaml, agents.yaml and protocols/, with all their problems. */
export async function readDefinition(
  disk: Disk,
  reader: SettingsReader,
  replay: string | null = null,
): Promise<Checked<Wired>> {
  const settings = await reader.read(replay);
  if (!settings.ok) return settings;
  const { protocol, ...rest } = settings.value;
  if (protocol !== null) {
    const warnings = [...settings.warnings, ...unreadableRoles(disk, protocol)];
    return { ...settings, value: { ...rest, protocol }, warnings };
  }
  // Workflows and their runs do not need a protocol: without one the only role is `user`, and there
  // are no messages to others.
  if (listWorkflowFiles(disk).length === 0 && listRuns(disk).length === 0)
    return { ok: false, problems: [noProtocol(disk.root)] };
  const nobody = await protocolOfNobody(rest.config);
  return nobody.ok ? { ...settings, value: { ...rest, protocol: nobody.value } } : nobody;
}

/** The roles whose role.md cannot be read. Their mail waits, so nothing else needs to stop. */
function unreadableRoles(disk: Disk, { roles }: Protocol): Diagnostic[] {
  return [...roles.keys()].flatMap((role): Diagnostic[] => {
    try {
      readRoleFile(disk, role);
      return [];
    } catch (error) {
      if (!(error instanceof MailroomError)) throw error;
      const { code, message } = error;
      const hint = `the mail of ${role} waits until agents/${role}/role.md is a text file of at most 256 KiB, or is removed`;
      return [{ code, severity: 'warning', message, place: null, hint }];
    }
  });
}

/** The protocol without protocols/: only `user`, and no messages to others. */
export async function protocolOfNobody(config: Config): Promise<Checked<Protocol>> {
  const { parseProtocol } = await import('../../mail/protocol/read.ts');
  return parseProtocol([], config, { cores: availableParallelism() });
}

/**
 * Reads the same where a protocol is optional. While the files are the same they are not parsed
 * again: a server asks for them with every document.
 */
export class SettingsReader {
  readonly environment: Surroundings['environment'];
  readonly hooks: readonly Hooks[];
  readonly #disk: Disk;
  readonly #packageRoot: string;
  #last: { readonly of: string; readonly parsed: Checked<Parsed> } | null = null;

  constructor(disk: Disk, { packageRoot, environment, hooks = [] }: Surroundings) {
    this.environment = environment;
    this.hooks = hooks;
    this.#disk = disk;
    this.#packageRoot = packageRoot;
  }

  /** `replay`: the folder of a recording that answers for all providers. */
  async read(replay: string | null = null): Promise<Checked<Settings>> {
    if (replay !== null && !holdsRecording(replay)) return { ok: false, problems: [noRecording(replay)] };
    const parsed = await this.#parsed(replay);
    if (!parsed.ok) return parsed;
    const { protocol: own, ...settings } = parsed.value;
    const tools = toolsOf(this.#disk, this.#packageRoot);
    const value = { ...settings, environment: this.environment, hooks: this.hooks, tools };
    if (own === null) return { ok: true, value: { ...value, protocol: null }, warnings: parsed.warnings };
    const { withRoleSettings } = await import('./obeyed-settings.ts');
    const protocol = await withRoleSettings(own, { ...value, root: this.#disk.root });
    if (!protocol.ok) return protocol;
    const warnings = [...parsed.warnings, ...protocol.warnings];
    return { ok: true, value: { ...value, protocol: protocol.value }, warnings };
  }

  async #parsed(replay: string | null): Promise<Checked<Parsed>> {
    const texts = readTexts(this.#disk);
    const head = checkedOut(this.#disk.root);
    const of = JSON.stringify([joined(texts), texts.protocol.problems, replay, head]);
    if (this.#last?.of === of) return this.#last.parsed;
    const parsed = await parse(texts, providerEnvironment(this.#packageRoot, this.environment), replay, head);
    this.#last = { of, parsed };
    return parsed;
  }
}

/** The branch that is checked out in a folder; null: none. */
export function checkedOut(root: string): string | null {
  const head = headBranch(root);
  return head === 'none' ? null : head.branch;
}

/** What the texts alone say. */
interface Parsed extends Omit<Settings, 'protocol' | 'tools' | 'environment' | 'hooks'> {
  /** Null: there is none. */
  readonly protocol: Checked<Protocol> | null;
}

/** Loads the slow readers only now. */
async function parse(
  texts: Texts,
  environment: ReturnType<typeof providerEnvironment>,
  replay: string | null,
  head: string | null,
): Promise<Checked<Parsed>> {
  const [{ parseConfig }, { parseProtocol }, { providersOf }] = await Promise.all([
    import('../../config/read.ts'),
    import('../../mail/protocol/read.ts'),
    import('../../providers/index.ts'),
  ]);
  const { settings: file, agents } = texts;
  const { files, problems } = texts.protocol;
  const read = parseConfig(file?.text ?? '', file?.path ?? 'mailroom.yaml', agents);
  if (!read.ok) {
    const alone = parseProtocol(files, null, { problems });
    return alone.ok ? read : { ok: false, problems: [...read.problems, ...alone.problems] };
  }
  const config = replay === null ? read.value : replaying(read.value);
  const providers = providersOf(config.providers.values(), {
    ...environment,
    prices: config.prices,
    ...(replay !== null && { recording: replay }),
  });
  const broaderThanRequested = broaderByProvider(providers, config.sandbox === 'required');
  const extended = files.map((each) => each.file).filter((path) => !path.startsWith('protocols/'));
  const cores = availableParallelism();
  const withoutMcp = withoutMcpOf(providers);
  const withoutTools = new Map([...withoutMcp].filter(([name]) => providers.get(name)?.tools === false));
  const askers = new Map(
    [...providers.values()].flatMap(({ name, asks }) => (asks === undefined ? [] : [[name, asks] as const])),
  );
  const protocol =
    files.length === 0
      ? null
      : parseProtocol(files, config, {
          problems,
          cores,
          broaderThanRequested,
          withoutMcp,
          withoutTools,
          askers,
          checkedOut: head,
        });
  let known: string | undefined;
  const hash = () => (known ??= hashOfTexts(texts));
  const fingerprint = () => fingerprintOfTexts(texts);
  const value = { config, hash, fingerprint, providers, broaderThanRequested, extended, protocol };
  return { ok: true, value, warnings: read.warnings };
}

/** By provider name: the permissions it gives an agent beyond the requested ones, in words. */
function broaderByProvider(
  providers: ReadonlyMap<string, Provider>,
  sandboxed: boolean,
): Settings['broaderThanRequested'] {
  return new Map(
    [...providers].map(
      ([name, provider]) =>
        [name, (permissions) => provider.restrict(permissions, sandboxed).broaderThanRequested] as const,
    ),
  );
}

/** By provider name: why its agents cannot use MCP servers, in words. */
export function withoutMcpOf(providers: ReadonlyMap<string, Provider>): ReadonlyMap<string, string> {
  return new Map([...providers].flatMap(([name, { mcp }]) => (mcp === true ? [] : [[name, mcp] as const])));
}

/** The settings of a project. */
export interface Settings extends Omit<Wired, 'protocol'> {
  readonly protocol: Protocol | null;
}

/** What the program needs of a definition besides the commands' view. */
export interface Wired extends Definition {
  /** Of the process that read it, for secrets and programs. */
  readonly environment: Surroundings['environment'];
  readonly hooks: readonly Hooks[];
  /** Of the files of the protocol and settings as they were read. */
  readonly fingerprint: () => string;
  readonly providers: ReadonlyMap<string, Provider>;
  /** The files outside of protocols/ that the protocol extends, relative to the project. */
  readonly extended: readonly string[];
  /** By provider name: the permissions it gives an agent beyond these, in words. */
  readonly broaderThanRequested: ReadonlyMap<
    string,
    (capabilities: readonly Capability[]) => readonly string[]
  >;
  /** The tools of Mailroom, for the roles that have them. */
  readonly tools: TurnTools;
}

/** Mailroom's own program. A package in the project is visible to every agent in it. */
function toolsOf({ root }: Disk, packageRoot: string): TurnTools {
  const command = [process.execPath, join(packageRoot, 'bin', 'mailroom'), 'mcp'];
  const inside = packageRoot === root || packageRoot.startsWith(join(root, '/'));
  return { command, readable: [process.execPath, ...(inside ? [] : [packageRoot])] };
}

function providerEnvironment(packageRoot: string, variables: Surroundings['environment']) {
  return {
    variables,
    node: process.execPath,
    replayAgent: join(packageRoot, 'bin', 'replay-agent.mjs'),
    acpAgent: join(packageRoot, 'bin', 'acp-agent.mjs'),
    piExtension: join(packageRoot, 'bin', 'pi-policy.mjs'),
  };
}

function holdsRecording(folder: string): boolean {
  try {
    return (new RealDisk(folder).list('') ?? []).some((name) => name.endsWith('.json'));
  } catch {
    // The folder does not exist, or is not readable.
    return false;
  }
}

function noRecording(folder: string): Diagnostic {
  return {
    code: 'E_USAGE',
    severity: 'error',
    message: `there is no recording in ${folder}`,
    place: null,
    hint: '`up --record` and `run --record` make one',
  };
}

function noProtocol(root: string): Diagnostic {
  return {
    code: 'E_NO_PROJECT',
    severity: 'error',
    message: `${root} has no protocol: protocols/ holds no .yaml file, and workflows/ no workflow`,
    place: null,
    hint: '`mailroom init` makes a project that runs',
  };
}
