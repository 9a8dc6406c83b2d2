import { capabilities as all, type Capability } from '../kernel/capabilities.ts';
import { enumerate } from '../kernel/enumerate.ts';
import { isJsonObject, type Json, type JsonObject } from '../kernel/json.ts';

/** What a file of an agent grants, in the words of roles. */
interface Granted {
  readonly capabilities: readonly Capability[];
  /** What of it no capability stands for, a sentence each. */
  readonly said: readonly string[];
}

/** What a file says of a tool. `limited`: of some of its uses; `ask`: a person decides at each. */
interface Rule {
  readonly tool: string;
  readonly effect: 'allow' | 'deny' | 'ask' | 'limited';
}

/** The capabilities of an agent whose file names no tools, which means all to its program. */
const usual: readonly Capability[] = ['READ', 'EDIT', 'RUN_TESTS'];

/** The tools for each purpose, as the agent programs call them, in lower case. */
const reading =
  'read notebookread view grep glob ls list search read_file read_many_files list_directory grep_search search_file_content'.split(
    ' ',
  );
const editing = 'edit multiedit write notebookedit patch apply_patch write_file replace'.split(' ');
const running = 'bash shell execute powershell run_shell_command'.split(' ');

const byTool: ReadonlyMap<string, readonly Capability[]> = new Map([
  ['*', all],
  ...reading.map((tool) => [tool, ['READ']] as const),
  ...editing.map((tool) => [tool, ['EDIT']] as const),
  ...running.map((tool) => [tool, ['RUN_TESTS', 'RUN_COMMANDS']] as const),
]);

/**
 * The capabilities for the front matter of an agent: its `tools` (names, or by name true and
 * false), `disallowedTools`, `permission` and `permissions`, of which a later one counts. Every
 * agent may read. What is allowed in part, or after a question, is not granted.
 */
export function capabilitiesOf(front: JsonObject): Granted {
  const { tools } = front;
  const names = namesIn(tools);
  const isOdd = tools !== undefined && tools !== null && names === null && !isJsonObject(tools);
  const granted = new Set<Capability>(names !== null || isOdd ? ['READ'] : usual);
  const [strange, partly] = [new Set<string>(), new Set<string>()];
  for (const { tool, effect } of rulesIn(front, names ?? [])) {
    const [, name = '', part] = /^\s*([^\s(/]*)([(/].*)?$/s.exec(tool) ?? [];
    const capabilities = byTool.get(name.toLowerCase());
    if (capabilities === undefined) {
      if (effect === 'allow') strange.add(tool.trim());
      continue;
    }
    const isPart = effect === 'limited' || effect === 'ask' || part?.startsWith('(') === true;
    const runsTests = effect === 'allow' && isPart && /test\b/.test(part ?? '');
    if (isPart && !runsTests) partly.add(effect === 'allow' ? tool.trim() : name);
    for (const each of runsTests ? (['RUN_TESTS'] as const) : capabilities)
      if (effect === 'allow' && (!isPart || runsTests)) granted.add(each);
      else if (effect !== 'allow' && each !== 'READ') granted.delete(each);
  }
  const capabilities = all.filter((each) => granted.has(each));
  const found = rulesIn(front, names ?? []).length > 0 || names !== null;
  return {
    capabilities,
    said: [
      ...(isOdd ? ['`tools` is not a list of names: it may only read'] : []),
      ...(found || isOdd ? [] : [`RUN_COMMANDS: it names no tools, and has ${capabilities.join(', ')}`]),
      ...(strange.size === 0 ? [] : [`no capability stands for ${enumerate([...strange])}`]),
      ...(partly.size === 0 ? [] : [`no capability stands for a part of a tool: ${[...partly].join(', ')}`]),
    ],
  };
}

/** A list of names, in YAML or with commas; null: there is none. */
function namesIn(value: Json | undefined): readonly string[] | null {
  const names = typeof value === 'string' ? value.split(/,(?![^(]*\))/) : value;
  if (!Array.isArray(names) || !names.every((each) => typeof each === 'string')) return null;
  return names.filter((each) => each.trim() !== '');
}

function rulesIn(front: JsonObject, names: readonly string[]): readonly Rule[] {
  const { tools, permission, permissions } = front;
  return [
    ...names.map((tool): Rule => ({ tool, effect: 'allow' })),
    ...entriesOf(tools).map(([tool, value]): Rule => ({ tool, effect: value === true ? 'allow' : 'deny' })),
    ...(typeof permission === 'string' ? [{ tool: '*', effect: effectOf(permission) }] : []),
    ...entriesOf(permission).map(([tool, value]): Rule => ({ tool, effect: effectOf(value) })),
    ...(Array.isArray(permissions) ? permissions : [])
      .filter(isJsonObject)
      .map(({ action, resource, effect }): Rule => ({
        tool: typeof action === 'string' ? action : '*',
        effect: resource === '*' ? effectOf(effect) : 'limited',
      })),
    ...(namesIn(front['disallowedTools']) ?? []).map((tool): Rule => ({ tool, effect: 'deny' })),
  ];
}

function entriesOf(value: Json | undefined): [string, Json][] {
  return isJsonObject(value) ? Object.entries(value) : [];
}

/** A mapping says it of some uses: `bash: { "git *": allow }`. */
function effectOf(value: Json | undefined): Rule['effect'] {
  if (value === 'allow' || value === 'deny' || value === 'ask') return value;
  const each = new Set(entriesOf(value).map(([, one]) => effectOf(one)));
  const [only] = each;
  return each.size === 1 && only === 'deny' ? 'deny' : 'limited';
}
