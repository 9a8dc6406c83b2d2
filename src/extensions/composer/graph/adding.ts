import { isJsonObject, valueAt, type Json, type JsonObject } from '../../../kernel/json.ts';
import { applyPatches, type Operation } from '../../../yaml/edit/edit.ts';
import { parseYaml } from '../../../yaml/yaml.ts';
import { occurrencesIn } from '../../../editing/occurrences.ts';
import { renameAt } from '../../../editing/rename.ts';
import type { Act, CopiedStep } from './documents.ts';
import { edited, refused, type Acted, type Acting } from './acting.ts';
import type { Layout } from '../../../languages/shared/editor.ts';
import { writtenSteps } from './written.ts';
import { copied } from './places.ts';

/* Steps that a workflow did not have: new ones, and copies of others. */

/** Adds a new step of a kind, or with a value. */
export function add(
  { text, file, steps, layout }: Acting,
  wish: Omit<Extract<Act, { do: 'add' }>, 'do'>,
): Acted {
  const { kind, needs = [], position } = wish;
  const id = freeName(
    wish.id ?? kind.replaceAll('_', '-'),
    steps.map((step) => step.id),
  );
  const like = steps.map(({ value }) => value);
  const body = wish.value ?? layout.kinds.find(({ name }) => name === kind)?.make(id, like) ?? null;
  if (body === null) return refused(`write a step of the kind \`${kind}\` in the text`);
  const value = {
    ...(needs.length > 0 && { depends_on: [...needs] }),
    ...body,
    ...(position !== undefined && { ui: { position: position.map(Math.round) } }),
  };
  return edited(text, adding(file, layout, [{ id, value }], steps.length));
}

/** Operations that add steps behind all others; `count`: how many there are. */
function adding(
  file: Json,
  layout: Layout,
  added: readonly CopiedStep[],
  count: number,
): readonly Operation[] {
  const { steps: key, id: idKey } = layout;
  const there = valueAt(file, [key]);
  if (there === undefined || there === null)
    return [{ do: there === undefined ? 'add' : 'set', path: [key], value: asFile(layout, added)[key]! }];
  return added.map((step, index) =>
    idKey === null
      ? { do: 'add', path: [key, step.id], value: step.value }
      : { do: 'add', path: [key, count + index], value: asItem(idKey, step) },
  );
}

/** A file with these steps and nothing else. */
function asFile({ steps: key, id: idKey }: Layout, steps: readonly CopiedStep[]): JsonObject {
  if (idKey === null) return { [key]: Object.fromEntries(steps.map(({ id, value }) => [id, value])) };
  return { [key]: steps.map((step) => asItem(idKey, step)) };
}

/** With its name first. */
function asItem(idKey: string, { id, value }: CopiedStep): JsonObject {
  const { [idKey]: _before, ...rest } = value;
  return { [idKey]: id, ...rest };
}

/** The name, or with the first number behind it that makes it free. */
function freeName(name: string, taken: readonly string[]): string {
  let free = name;
  for (let number = 2; taken.includes(free); number += 1) free = `${name}-${String(number)}`;
  return free;
}

/** Copies steps beside them. */
export function duplicate(acting: Acting, names: readonly string[]): Acted {
  const originals = names.map((name) => acting.steps.find((step) => step.id === name)!);
  return copies(acting, originals, (name) => `${name}-copy`);
}

/**
 * Adds steps that were copied here or in another workflow of the language. Those whose names are
 * taken get others.
 */
export function paste(acting: Acting, language: string, steps: readonly CopiedStep[]): Acted {
  const { name } = acting.grammar;
  if (language !== name)
    return refused(`steps of the language ${language} do not fit into a workflow of the language ${name}`);
  return copies(acting, steps, (id) => id);
}

/**
 * Adds copies under free names. A copy waits for and reads the other copies, not their originals;
 * what it waits for that exists nowhere here is left out and named.
 */
function copies(acting: Acting, originals: readonly CopiedStep[], nameOf: (id: string) => string): Acted {
  const { text, file, steps, layout } = acting;
  const renamed = renamedApart(acting, originals, nameOf);
  if (renamed === null) return refused('the names of these steps cannot be changed: copy them in the text');
  const known = new Set([...steps, ...renamed].map(({ id }) => id));
  const notes: string[] = [];
  const added = renamed.map(({ id, value }): CopiedStep => {
    const needs = value['depends_on'];
    if (!Array.isArray(needs)) return { id, value: copied(value) };
    const lost = needs.filter((need: Json) => !known.has(neededBy(need)));
    notes.push(
      ...lost.map((need: Json) => `\`${id}\` does not wait for \`${neededBy(need)}\`, which is not here`),
    );
    const { depends_on: _needs, ...rest } = value;
    const kept = needs.filter((need: Json) => !lost.includes(need));
    return { id, value: copied(kept.length === 0 ? rest : { ...value, depends_on: kept }) };
  });
  return edited(text, adding(file, layout, added, steps.length), notes);
}

function neededBy(need: Json): string {
  const step = isJsonObject(need) ? need['step'] : need;
  return typeof step === 'string' ? step : '';
}

/**
 * The steps under names that are free here, with every reference among them; null: one of the names
 * cannot be changed. JSON is YAML, so what renames steps of a file does it.
 */
function renamedApart(
  { steps, layout, grammar }: Acting,
  originals: readonly CopiedStep[],
  nameOf: (id: string) => string,
): readonly CopiedStep[] | null {
  let text = JSON.stringify(asFile(layout, originals));
  const stepNames = () => occurrencesIn(text, grammar).filter(({ kind }) => kind === 'step');
  const here = steps.map(({ id }) => id);
  const taken = [...here, ...stepNames().map(({ name }) => name)];
  for (const [index, { id }] of originals.entries()) {
    const wanted = nameOf(id);
    if (wanted === id && !here.includes(id)) continue;
    const name = freeName(wanted, taken);
    taken.push(name);
    const at = layout.id === null ? id : index;
    const definition = stepNames().find(
      ({ defines, name: own, path }) => defines && own === id && path[1] === at,
    );
    const result = definition === undefined ? null : renameAt(text, definition.from, name, grammar);
    if (result?.ok !== true) return null;
    text = applyPatches(text, result.patches);
  }
  const read = parseYaml(text, '', 1, text.length + 1);
  if (!read.ok) return null;
  return writtenSteps(read.value.value, layout);
}
