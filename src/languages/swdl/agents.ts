import type { Json } from '../../kernel/json.ts';
import { didYouMean } from '../../kernel/nearest.ts';
import type { Path } from '../../yaml/yaml.ts';
import type { LanguageContext } from '../shared/context.ts';
import { nameIn, reportMissing } from './prompt-context.ts';
import type { Lowering } from './facts.ts';
import type { WorkInput } from './schema.ts';
import { firstOf, type Sought } from './project-files.ts';
import { capabilities as allCapabilities, type Capability } from '../../kernel/capabilities.ts';
import { ownValue } from '../../kernel/own.ts';

/** An agent's provider and settings. */
export interface AgentDefinition {
  readonly provider: string;
  /** Null: the default model of the provider's program. */
  readonly model: string | null;
  readonly capabilities: readonly Capability[];
  /** The agent's description of itself. */
  readonly text: string;
  /** Tools that its file names and that its capabilities do not include. */
  readonly dropped: readonly string[];
}

/** The default permissions of an agent. */
const defaultPermissions: readonly Capability[] = ['READ', 'EDIT', 'RUN_TESTS'];
/** The default model of an agent, if its program knows it. */
const usualModel = 'opus';

/** The permissions for the tools of Claude Code. */
const permissionsOfTools: Readonly<Record<string, readonly Capability[]>> = {
  Read: ['READ'],
  Grep: ['READ'],
  Glob: ['READ'],
  LS: ['READ'],
  Edit: ['EDIT'],
  MultiEdit: ['EDIT'],
  Write: ['EDIT'],
  NotebookEdit: ['EDIT'],
  Bash: ['RUN_TESTS', 'RUN_COMMANDS'],
};

/**
 * The agent of a stage. Reports a missing agent, tools that it does not get, and restrictions that
 * are not enforced.
 */
export function playerOf({ roles }: WorkInput, path: Path, lowering: Lowering): AgentDefinition {
  const { artifact, model = null } = roles!.primary;
  const sought = seekPlayer(nameIn(artifact), model, lowering.context);
  if (sought.found === null) {
    reportMissing(lowering, [...path, 'roles', 'primary', 'artifact'], artifact, sought.looked);
    return { provider: 'claude', model, capabilities: ['READ'], text: '', dropped: [] };
  }
  reportDropped(sought.found, artifact, path, lowering);
  if (isThere(sought.found, artifact, path, lowering)) return sought.found;
  return { ...sought.found, provider: 'claude', capabilities: [] };
}

/** Reports tools that the agent's own file names and that it does not get. */
function reportDropped(
  { dropped }: AgentDefinition,
  artifact: string,
  path: Path,
  { diagnostics }: Lowering,
): void {
  if (dropped.length === 0) return;
  const servers = dropped.some((tool) => tool.startsWith('mcp__'));
  diagnostics.warn(
    [...path, 'roles', 'primary', 'artifact'],
    `\`${artifact}\` is not given ${dropped.join(', ')}: no capability stands for it`,
    servers
      ? 'name MCP servers under `roles.tools`: `mcp:<name>`'
      : 'remove it from `tools` of the file of the agent',
  );
}

/** Whether the agent has a program; reports a missing one. */
function isThere(
  { provider }: AgentDefinition,
  artifact: string,
  path: Path,
  { context, diagnostics }: Lowering,
): boolean {
  const known = [...context.broaderThanRequested.keys()].filter((name) => name !== 'human');
  if (known.length === 0 || known.includes(provider)) return true;
  const isPerson = provider === 'human';
  const why = isPerson ? 'a person, who has no program' : `the provider \`${provider}\`, which is not there`;
  const hint = isPerson ? 'let a stage of the type gate ask' : didYouMean(provider, known);
  diagnostics.error(
    'E_UNKNOWN_NAME',
    [...path, 'roles', 'primary', 'artifact'],
    `\`${artifact}\` is played by ${why}`,
    hint ?? `there is ${known.join(', ')}`,
  );
  return false;
}

/**
 * The definition of `agent:<name>`: the protocol's role of that name, otherwise role.md or Claude's
 * agent file of that name, otherwise the defaults of the project. `model`: the stage's model.
 */
export function seekPlayer(
  name: string,
  model: string | null,
  {
    protocol,
    agents,
    agentDefaults,
    files,
  }: Pick<LanguageContext, 'protocol' | 'agents' | 'agentDefaults' | 'files'>,
): Sought<AgentDefinition> {
  const ours = `agents/${name}/role.md`;
  const claudes = `.claude/agents/${name}.md`;
  const role = protocol?.roles.get(name);
  const file = firstOf(files, [ours, claudes]);
  if (role === undefined && file.found === null)
    return { found: null, looked: ['the roles of the protocol', ours, claudes] };
  const isClaudes = file.found?.path === claudes;
  const front = file.found?.front ?? {};
  const provider =
    role?.provider ??
    (isClaudes ? 'claude' : (text(front['provider']) ?? agentDefaults.provider ?? 'claude'));
  const tools = isClaudes ? toolsOf(front['tools']) : null;
  const permissions = isClaudes ? tools && permissionsOf(tools) : listOf(front['capabilities']);
  const own = text(front['model']);
  const usual = provider === 'claude' ? usualModel : agents.model;
  return {
    found: {
      provider,
      model: model ?? role?.model ?? (own === 'inherit' ? null : own) ?? usual,
      capabilities: role?.capabilities ?? permissions ?? agentDefaults.capabilities ?? defaultPermissions,
      text: [role?.instructions ?? '', file.found?.body ?? ''].filter((each) => each !== '').join('\n\n'),
      dropped: (tools ?? []).filter((tool) => !Object.hasOwn(permissionsOfTools, tool)),
    },
  };
}

function text(value: Json | undefined): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

/** Names of permissions; null: none are listed. */
function listOf(value: Json | undefined): readonly Capability[] | null {
  if (!Array.isArray(value)) return null;
  return allCapabilities.filter((each) => value.includes(each));
}

/**
 * The names in a list of tools in Claude Code's notation: `Read, Edit, Bash(npm test:*)`; null:
 * there is no list.
 */
function toolsOf(value: Json | undefined): readonly string[] | null {
  const entries =
    typeof value === 'string' ? value.split(',') : Array.isArray(value) ? value.map(String) : null;
  return entries?.flatMap((entry) => /^\s*([\w-]+)/.exec(entry)?.[1] ?? []) ?? null;
}

/** The permissions for tools. */
function permissionsOf(tools: readonly string[]): readonly Capability[] {
  const given = tools.flatMap((tool) => ownValue(permissionsOfTools, tool) ?? []);
  return allCapabilities.filter((each) => each === 'READ' || given.includes(each));
}
