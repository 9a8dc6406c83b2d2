import type { Diagnostic } from '../../src/kernel/diagnostic.ts';
import type { Json } from '../../src/kernel/json.ts';
import type { Workflow } from '../../src/workflow/model.ts';
import { parseWorkflow, promptContextsOf } from '../../src/languages/parse.ts';
import { type LanguageContext } from '../../src/languages/shared/context.ts';
import type { FoundWorkflow } from '../../src/project/definition/contracts.ts';
import { nowhere } from '../support/nowhere.ts';
import { World, type WorldOptions } from '../workflow/machine/world.ts';

/*
 * Stages of the swdl language in a few words, and what becomes of them.
 */

export type Files = Readonly<Record<string, string>>;

const roles = { primary: { artifact: 'agent:x' } };

/** A stage that the agent `x` does, unless it is of another type. */
export function stage(id: string, more: object = {}): object {
  return { id, ...('type' in more ? {} : { roles }), ...more };
}

function contextWith(files: Files): LanguageContext {
  const all: Files = { 'agents/x/role.md': 'You are x.\n', ...files };
  const within = (folder: string) => Object.keys(all).filter((path) => path.startsWith(`${folder}/`));
  return {
    ...nowhere,
    files: {
      read: (path) => all[path] ?? null,
      list: (folder) => within(folder).map((path) => path.slice(folder.length + 1)),
      tracked: Array.from({ length: 5_001 }, (_none, index) => `${String(index)}.ts`),
    },
  };
}

/** A file with these stages, as a project reads it. */
export function found(
  stages: readonly object[],
  top: object = {},
  files: Files = {},
): Pick<FoundWorkflow, 'checked' | 'promptContexts'> {
  const file = { workflow: { id: 'w', name: 'W', version: '1.0.0' }, ...top, stages };
  const [text, context] = [JSON.stringify(file), contextWith(files)];
  return {
    checked: parseWorkflow(text, 'w.json', context),
    promptContexts: () => promptContextsOf(text, 'w.json', context),
  };
}

/** The workflow of these stages; throws what is wrong with it. */
export function swdl(stages: readonly object[], top: object = {}, files: Files = {}): Workflow {
  const result = found(stages, top, files).checked;
  if (!result.ok) throw new Error(told(result.problems));
  return result.value;
}

/** Everything that is said of these stages, warnings as well. */
export function said(stages: readonly object[], top: object = {}, files: Files = {}): string {
  const result = found(stages, top, files).checked;
  return told(result.ok ? result.warnings : result.problems);
}

function told(problems: readonly Diagnostic[]): string {
  return problems.map(({ severity, message, hint }) => `${severity}: ${message} (${hint ?? ''})`).join('\n');
}

/** The step that a stage becomes. */
export function stepOf(more: object, top: object = {}, files: Files = {}) {
  return swdl([stage('one', more)], top, files).body.steps[0]!;
}

/** What the prompt of the only stage says of its own. */
export function promptOf(more: object, top: object = {}, files: Files = {}): string {
  const { work } = stepOf(more, top, files);
  const parts = work.kind === 'agent' ? work.instructions : [];
  return parts.map((part) => (part.kind === 'text' ? part.text : '')).join('');
}

export function world(stages: readonly object[], top: object = {}, options: WorldOptions = {}): World {
  return new World(swdl(stages, top), options);
}

/** The values that a stage is given, by name; those that are absent are not here. */
export function takenBy(place: World, name: string): Record<string, Json> {
  return Object.fromEntries(place.launch(name).promptInputs.map((taken) => [taken.name, taken.value]));
}

/** Whether the condition holds after `a` has made `{ n: 5, list: [7], text: 'ab' }`. */
export function holds(condition: string): boolean {
  const outputs = { n: { type: 'integer' }, list: { type: 'array' }, text: { type: 'string' } };
  const top = { config: { parameters: { p: { type: 'string', default: 'x' } }, env: { E: 'e' } } };
  const after = stage('b', { depends_on: ['a'], condition: `\${{ ${condition} }}` });
  const env = { E: 'e' };
  const given = { parameters: { p: 'x' }, context: { c: 1 }, env };
  const place = world([stage('a', { outputs }), after], top, { given });
  place.done('a', { values: { n: 5, list: [7], text: 'ab' } });
  return place.running.includes('b');
}
