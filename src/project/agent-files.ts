import { join, type Disk } from '../disk/disk.ts';
import type { Capability } from '../kernel/capabilities.ts';
import type { Diagnostic, Place } from '../kernel/diagnostic.ts';
import { MailroomError } from '../kernel/errors.ts';
import type { RoleName } from '../kernel/ids.ts';
import { isJsonObject, type JsonObject } from '../kernel/json.ts';
import { oneLine } from '../kernel/one-line.ts';
import { splitFrontMatter } from '../mail/format/front-matter.ts';
import { builtInRoles, mailroom } from '../mail/format/message.ts';
import { name as roleName } from '../yaml/schema.ts';
import { parseYaml, type Located } from '../yaml/yaml.ts';
import { capabilitiesOf } from './agent-tools.ts';
import { readDefinition } from './definition/project-files.ts';
import { ProblemsError } from './definition/problems.ts';
import type { LeftOut } from './template.ts';

/** The folders in which agent programs look for agents of a repository, by provider. */
export const agentFolders = {
  claude: ['.claude/agents'],
  opencode: ['.opencode/agent', '.opencode/agents'],
  copilot: ['.github/agents'],
  gemini: ['.gemini/agents'],
} as const;

export type AgentProgram = keyof typeof agentFolders;

/** An agent as its file describes it. */
export interface FoundAgent {
  readonly name: RoleName;
  /** The file, relative to the project. */
  readonly path: string;
  readonly provider: AgentProgram;
  /** Null: that of the program. */
  readonly model: string | null;
  /** On one line; empty: there is none. */
  readonly description: string;
  /** Whether people talk to it, as its file says. */
  readonly isPrimary: boolean;
  readonly capabilities: readonly Capability[];
}

export interface FoundAgents {
  readonly agents: readonly FoundAgent[];
  /** Files that are not agents, and what of an agent is not taken, with the reason. */
  readonly leftOut: readonly LeftOut[];
}

/**
 * The agents in the folders of these programs, in this order, by file. Throws all problems of their
 * files, with their places: what cannot be read, broken front matter, names that no role can have,
 * and names that two of them have.
 */
export function findAgents(disk: Disk, programs: readonly AgentProgram[]): FoundAgents {
  const leftOut: LeftOut[] = [];
  const problems: Diagnostic[] = [];
  const agents = new Map<string, FoundAgent>();
  for (const { path, provider } of programs.flatMap((program) => filesOf(disk, program, problems))) {
    const read = readAgent(disk, path, provider);
    if ('problems' in read) problems.push(...read.problems);
    else if ('why' in read) leftOut.push({ path, why: read.why });
    else {
      const { agent, place, said } = read;
      // Two names that differ only in case are one folder on some disks.
      const first = agents.get(agent.name.toLowerCase());
      if (first === undefined) agents.set(agent.name.toLowerCase(), agent);
      else
        problems.push({
          code: 'E_DUPLICATE',
          severity: 'error',
          message: `there are two agents \`${agent.name}\``,
          place,
          hint: `the first one is ${first.path}; rename one, or take those of one program: \`--from-agents=${first.provider}\``,
        });
      leftOut.push(...said.map((why) => ({ path, why: oneLine(why, 300) })));
    }
  }
  if (problems.length > 0) throw new ProblemsError(problems);
  return { agents: [...agents.values()], leftOut };
}

interface File {
  readonly path: string;
  readonly provider: AgentProgram;
}

function filesOf(disk: Disk, provider: AgentProgram, problems: Diagnostic[]): File[] {
  return agentFolders[provider].flatMap((folder) => {
    try {
      const names = disk.look(folder) === null ? [] : (disk.list(folder) ?? []);
      const files = names.filter((name) => name.endsWith('.md')).toSorted();
      return files.map((name) => ({ path: join(folder, name), provider }));
    } catch (error) {
      problems.push(unreadable(folder, error));
      return [];
    }
  });
}

type Read =
  | { readonly problems: readonly Diagnostic[] }
  /** It is not an agent. */
  | { readonly why: string }
  | { readonly agent: FoundAgent; readonly place: Place; readonly said: readonly string[] };

function readAgent(disk: Disk, path: string, provider: AgentProgram): Read {
  try {
    const text = readDefinition(disk, path)?.text;
    if (text === undefined) return { problems: [problem('E_FILE', `${path} leads nowhere`, startOf(path))] };
    const split = splitFrontMatter(text, path);
    if (!split.ok) return { problems: [{ ...split.problem, code: 'E_YAML' }] };
    if (split.front === null) return { why: 'it has no front matter' };
    const yaml = parseYaml(split.front, path, 2);
    if (yaml.ok) return agentIn(yaml.value, path, provider);
    const read = parseYaml(asPrograms(split.front), path, 2);
    return read.ok ? agentIn(read.value, path, provider) : yaml;
  } catch (error) {
    return { problems: [unreadable(path, error)] };
  }
}

/** Programs take the rest of the line as the description, also where YAML does not: `a: b`. */
function asPrograms(front: string): string {
  return front.replace(
    /^(description:[ \t]+)(?!["'|>])(.+)$/m,
    (_, key, words) => key + JSON.stringify(words),
  );
}

/** What is not taken and worth no word. */
const silent: readonly string[] = [
  'name',
  'description',
  'tools',
  'disallowedTools',
  'permission',
  'permissions',
  'model',
  'mode',
  'kind',
  'target',
  'color',
  'hidden',
  'disable',
  'disabled',
];

function agentIn(located: Located, path: string, provider: AgentProgram): Read {
  const front = located.value ?? {};
  if (!isJsonObject(front))
    return { problems: [problem('E_VALUE', 'front matter must be a mapping', located.place([]))] };
  if (front['disable'] === true || front['disabled'] === true) return { why: 'it is disabled' };
  if (front['kind'] === 'remote') return { why: 'it runs elsewhere (`kind: remote`)' };
  const own = provider === 'claude' || provider === 'gemini' ? (front['name'] ?? null) : null;
  const file = path.slice(path.lastIndexOf('/') + 1).replace(/(?:\.agent)?\.md$/, '');
  const name = own ?? file;
  const place = own === null ? startOf(path) : located.place(['name']);
  const wrong = wrongName(name, place);
  if (wrong !== null || typeof name !== 'string') return { problems: wrong === null ? [] : [wrong] };
  const { capabilities, said } = capabilitiesOf(front);
  const model = modelOf(front);
  const others = Object.keys(front).filter((key) => !silent.includes(key));
  const description = typeof front['description'] === 'string' ? oneLine(front['description'], 90) : '';
  const isPrimary = front['mode'] === 'primary';
  return {
    agent: { name, path, provider, model: model.name, description, isPrimary, capabilities },
    place,
    said: [...said, ...model.said, ...(others.length === 0 ? [] : [`not taken: ${others.join(', ')}`])],
  };
}

function wrongName(name: unknown, place: Place): Diagnostic | null {
  const checked = roleName.safeParse(name);
  if (!checked.success) {
    const [issue] = checked.error.issues;
    const hint = `write ${issue?.message ?? 'another name'}`;
    return { ...problem('E_VALUE', `${JSON.stringify(name)} cannot be the name of a role`, place), hint };
  }
  const builtIn: readonly string[] = [...builtInRoles, mailroom];
  if (!builtIn.includes(checked.data.toLowerCase())) return null;
  const hint = 'give the agent another name';
  return { ...problem('E_DUPLICATE', `the role \`${checked.data}\` is built in`, place), hint };
}

/** The model's name as command lines have it; what follows `#` is its variant. */
function modelOf(front: JsonObject): { readonly name: string | null; readonly said: readonly string[] } {
  const model = front['model'] ?? null;
  if (model === null || model === 'inherit') return { name: null, said: [] };
  const [, name, variant] =
    (typeof model === 'string' ? /^([A-Za-z0-9][\w.:/@-]{0,99})(#.*)?$/.exec(model) : null) ?? [];
  if (name === undefined) return { name: null, said: [`not the name of a model: ${JSON.stringify(model)}`] };
  return { name, said: variant === undefined ? [] : [`not taken: the variant ${variant} of the model`] };
}

function startOf(file: string): Place {
  return { file, line: 1, column: 1, length: 1, text: '' };
}

function problem(code: Diagnostic['code'], message: string, place: Place): Diagnostic {
  return { code, severity: 'error', message, place, hint: null };
}

function unreadable(path: string, error: unknown): Diagnostic {
  if (!(error instanceof MailroomError)) throw error;
  return { ...problem(error.code, error.message, startOf(path)), hint: error.hint };
}
