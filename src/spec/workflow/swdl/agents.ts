import type { Json } from '../../../core/json.ts';
import { capabilities as allCapabilities, type Capability } from '../../../core/mail/protocol.ts';
import type { Surroundings } from '../surroundings.ts';
import { firstOf, type Sought } from './materials.ts';

/** Who plays an agent, and what is said of it. */
export interface Player {
  readonly provider: string;
  /** Null: what the provider's program takes by itself. */
  readonly model: string | null;
  readonly capabilities: readonly Capability[];
  /** Who the agent is, in its own words. */
  readonly text: string;
}

/** What an agent may do of which nothing is said. */
const usualRights: readonly Capability[] = ['READ', 'EDIT', 'RUN_TESTS'];
/** The model of an agent of which nothing is said, where its program knows it. */
const usualModel = 'opus';

/** Rights behind the tools that Claude Code names. */
const rightsOfTools: Readonly<Record<string, readonly Capability[]>> = {
  Edit: ['EDIT'],
  MultiEdit: ['EDIT'],
  Write: ['EDIT'],
  NotebookEdit: ['EDIT'],
  Bash: ['RUN_TESTS', 'RUN_COMMANDS'],
};

/**
 * Who plays `agent:<name>`: the protocol's role of that name, else what role.md or Claude's agent file of that name says, else
 * the defaults of the project. `model`: what the stage says.
 */
export function seekPlayer(
  name: string,
  model: string | null,
  { protocol, agents, players, files }: Surroundings,
): Sought<Player> {
  const ours = `agents/${name}/role.md`;
  const claudes = `.claude/agents/${name}.md`;
  const role = protocol?.roles.get(name);
  const file = firstOf(files, [ours, claudes]);
  if (role === undefined && file.found === null)
    return { found: null, looked: ['the roles of the protocol', ours, claudes] };
  const isClaudes = file.found?.path === claudes;
  const front = file.found?.front ?? {};
  const provider =
    role?.provider ?? (isClaudes ? 'claude' : (text(front['provider']) ?? players.provider ?? 'claude'));
  const rights = isClaudes ? rightsOf(front['tools']) : listOf(front['capabilities']);
  const own = text(front['model']);
  const usual = provider === 'claude' ? usualModel : agents.model;
  return {
    found: {
      provider,
      model: model ?? role?.model ?? (own === 'inherit' ? null : own) ?? usual,
      capabilities: role?.capabilities ?? rights ?? players.capabilities ?? usualRights,
      text: file.found?.body ?? '',
    },
  };
}

function text(value: Json | undefined): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

/** Names of rights; null: none are told. */
function listOf(value: Json | undefined): readonly Capability[] | null {
  if (!Array.isArray(value)) return null;
  return allCapabilities.filter((each) => value.includes(each));
}

/** The rights behind a list of tools, as Claude Code writes it: `Read, Edit, Bash(npm test:*)`. */
function rightsOf(value: Json | undefined): readonly Capability[] | null {
  const names =
    typeof value === 'string' ? value.split(',') : Array.isArray(value) ? value.map(String) : null;
  if (names === null) return null;
  const given = names.flatMap((each) => rightsOfTools[/^\s*(\w+)/.exec(each)?.[1] ?? ''] ?? []);
  return allCapabilities.filter((each) => each === 'READ' || given.includes(each));
}
