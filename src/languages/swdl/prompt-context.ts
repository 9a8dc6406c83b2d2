import type { Path } from '../../yaml/yaml.ts';
import type { Lowering } from './facts.ts';
import { seekModule, seekSkill, type Sought } from './project-files.ts';
import { memoryQuery, packMemories } from './memory.ts';
import type { StageContext, WorkflowContext, WorkInput } from './schema.ts';

/** Reports a reference that was not found: a warning in a check, but an error for a run. */
export function reportMissing(
  lowering: Lowering,
  path: Path,
  reference: string,
  looked: readonly string[],
): void {
  const kind = { agent: 'an agent', skill: 'a skill', ctx: 'a context module' };
  const what = kind[reference.split(':')[0] as keyof typeof kind];
  lowering.diagnostics.problems.push({
    code: 'E_REFERENCE',
    severity: 'warning',
    message: `\`${reference}\` is ${what} that is not there`,
    place: lowering.diagnostics.placeOf(path),
    hint: `looked for ${looked.join(', ')}; \`mailroom init --for FILE\` writes a stub`,
  });
}

/**
 * The context of a stage's prompt besides its instructions: modules, memories, tools. Empty: none.
 */
export function promptContext(input: WorkInput, path: Path, lowering: Lowering): string {
  const { file } = lowering;
  const texts = modulesOf(input.context, file.context).flatMap(({ name, from, index }) => {
    const at =
      from === 'workflow' ? ['context', 'global_modules', index] : [...path, 'context', 'modules', index];
    const found = expectFound(lowering, at, name, (word) => seekModule(lowering.context.files, word));
    return found === null ? [] : [`### ${name}\n\n${found.body}`];
  });
  const query = memoryQuery(input.context?.memory, file.context?.memory);
  const memories = query === null ? null : packMemories(lowering.context.files, query);
  for (const left of memories?.unsure ?? [])
    lowering.diagnostics.warn(
      input.context?.memory === undefined ? ['context', 'memory'] : [...path, 'context', 'memory'],
      `${left} is left out: its \`confidence\` is not a number from 0 to 1`,
      'write a number such as 0.8, or remove `confidence`',
    );
  return [
    section('Context', texts.join('\n\n')),
    section('What is remembered', memories?.text ?? ''),
    section('Tools', tools(input, path, lowering).join('\n')),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

/**
 * The modules of a prompt in their order: those of the workflow first, each once. `index`: in the
 * list of the stage, else in that of the workflow.
 */
export function modulesOf(stage: StageContext | undefined, workflow: WorkflowContext | undefined) {
  const [shared, own] = [workflow?.global_modules ?? [], stage?.modules ?? []];
  return [...new Set([...shared, ...own])].map((name) => {
    const index = own.lastIndexOf(name);
    if (index === -1) return { name, from: 'workflow' as const, index: shared.lastIndexOf(name) };
    return { name, from: shared.includes(name) ? ('both' as const) : ('step' as const), index };
  });
}

function section(title: string, body: string): string {
  return body === '' ? '' : `## ${title}\n\n${body}`;
}

function tools({ roles }: WorkInput, path: Path, lowering: Lowering): string[] {
  const { files } = lowering.context;
  return (roles?.tools ?? []).flatMap((reference, index) => {
    const at = [...path, 'roles', 'tools', index];
    if (reference.startsWith('mcp:')) return [`- the MCP server \`${nameIn(reference)}\``];
    const found = expectFound(lowering, at, reference, (word) => seekSkill(files, word));
    if (found === null) return [];
    const { description } = found.front;
    const about = typeof description === 'string' ? `: ${description}` : '';
    return [`- the skill \`${nameIn(reference)}\` (\`${found.path}\`)${about}`];
  });
}

/** Shortens `ctx:repo-rules` to `repo-rules`. */
export function nameIn(reference: string): string {
  return reference.slice(reference.indexOf(':') + 1);
}

function expectFound<T>(
  lowering: Lowering,
  path: Path,
  reference: string,
  seek: (name: string) => Sought<T>,
): T | null {
  const sought = seek(nameIn(reference));
  if (!('looked' in sought)) return sought.found;
  reportMissing(lowering, path, reference, sought.looked);
  return null;
}
