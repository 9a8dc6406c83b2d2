import type { Diagnostic } from '../../kernel/diagnostic.ts';
import { isJsonObject, type Json, type JsonObject } from '../../kernel/json.ts';
import { didYouMean } from '../../kernel/nearest.ts';
import { ownValue } from '../../kernel/own.ts';
import type { AppliedOverride } from '../../workflow/model.ts';
import { checkShape } from '../../yaml/issues.ts';
import { parseYaml, type Path, type YamlDocument } from '../../yaml/yaml.ts';
import type { Effective, OverriddenValue, OverridesContext } from '../shared/workflow-language.ts';
import { OverriddenDocument, type Override } from './overridden-document.ts';
import { overridesShape } from './overrides-schema.ts';

/** Files in which a project changes shared workflows without editing them; the later one wins. */
const overrideFiles = ['.skillmeat-workflow-overrides.yaml', 'workflows/overrides.yaml'] as const;

/** The keys that identify a workflow and its version: an override must not change them. */
const fixed = ['id', 'version'] as const;

interface OverrideFile {
  readonly file: string;
  readonly text: string;
  readonly isNamed: boolean;
}

/**
 * A workflow with the overrides of the project and then of the user. Mappings are merged, all other
 * values replaced; `stages` is a mapping by id there. Problems have the place of the wrong part.
 * `applied` lists the changes of each file.
 */
export function overridden(
  base: YamlDocument,
  context: OverridesContext,
): {
  readonly document: YamlDocument;
  readonly problems: readonly Diagnostic[];
  readonly applied: readonly AppliedOverride[];
  readonly overrides: readonly Override[];
} {
  const id = idOf(base.value);
  const problems: Diagnostic[] = [];
  const applied: AppliedOverride[] = [];
  if (id === null) return { document: base, problems, applied, overrides: [] };
  const overrides = filesFor(context).flatMap((file) => readOverride(file, id, context, problems));
  let { value } = base;
  for (const override of overrides) {
    const changed = apply(value, override, problems);
    const changes = changesBetween(value, changed, override.value);
    applied.push({ file: override.document.place([]).file, isNamed: override.isNamed, changes });
    value = changed;
  }
  if (overrides.length === 0) return { document: base, problems, applied, overrides };
  return { document: new OverriddenDocument(value, base, overrides), problems, applied, overrides };
}

/** The definition with its overrides, and where each overridden value stands. */
export function effective(base: YamlDocument, context: OverridesContext): Effective {
  const { document, overrides } = overridden(base, context);
  const found = new Map<string, OverriddenValue>();
  for (const { document: source, path: root, value } of overrides)
    for (const path of leavesOf(value)) {
      const there = pathIn(document.value, path);
      const { file, line } = source.place([...root, ...path]);
      if (there !== null) found.set(JSON.stringify(there), { path: there, file, line });
    }
  return { value: document.value, overridden: [...found.values()] };
}

/** The paths of the values of an override that are not mappings of further ones. */
function leavesOf(value: Json, path: Path = []): Path[] {
  if (!isJsonObject(value) || Object.keys(value).length === 0) return path.length === 0 ? [] : [path];
  return Object.entries(value).flatMap(([key, inner]) => leavesOf(inner, [...path, key]));
}

/** The path in a definition, which has a list of stages; null: it has no such stage. */
function pathIn(definition: Json, path: Path): Path | null {
  const [first, id, ...rest] = path;
  if (first !== 'stages' || id === undefined) return path;
  const stages = isJsonObject(definition) ? definition['stages'] : null;
  const index = Array.isArray(stages)
    ? stages.findIndex((stage) => isJsonObject(stage) && stage['id'] === id)
    : -1;
  return index === -1 ? null : ['stages', index, ...rest];
}

function filesFor({ files, overrides }: OverridesContext): OverrideFile[] {
  const own = overrideFiles.flatMap((file) => {
    const text = files.read(file);
    return text === null || text.trim() === '' ? [] : [{ file, text, isNamed: false }];
  });
  return [...own, ...overrides.map((each) => ({ ...each, isNamed: true }))];
}

function idOf(value: Json): string | null {
  const workflow = isJsonObject(value) ? value['workflow'] : null;
  const id = isJsonObject(workflow) ? workflow['id'] : null;
  return typeof id === 'string' ? id : null;
}

function readOverride(
  { file, text, isNamed }: OverrideFile,
  id: string,
  context: OverridesContext,
  problems: Diagnostic[],
): Override[] {
  const read = parseYaml(text, file);
  if (!read.ok) {
    problems.push(...read.problems);
    return [];
  }
  const document = read.value;
  const shape = checkShape(overridesShape, document, {
    keys: { 'overrides file': { [id.replaceAll('-', '_')]: 'it stands under `overrides`' } },
  });
  problems.push(...shape.problems);
  const all = isJsonObject(document.value) ? document.value['overrides'] : null;
  if (!isJsonObject(all)) return [];
  refuseUnknown(all, id, document, context, problems);
  const value = ownValue(all, id);
  const path = ['overrides', id];
  if (!isJsonObject(value ?? null)) return [];
  return [{ document, path, value: withoutFixed(value as JsonObject, document, path, problems), isNamed }];
}

/** Rejects overrides of unknown workflows; reports nothing while a file cannot be read. */
function refuseUnknown(
  overrides: JsonObject,
  own: string,
  document: YamlDocument,
  context: OverridesContext,
  problems: Diagnostic[],
): void {
  const others = Object.keys(overrides).filter((id) => id !== own);
  if (others.length === 0) return;
  const workflows = context.workflows();
  if (workflows.some(({ isReadable }) => !isReadable)) return;
  const known = [...new Set([own, ...workflows.flatMap(({ id }) => id ?? [])])];
  for (const id of others.filter((each) => !known.includes(each)))
    problems.push(unknown(document, ['overrides', id], `no workflow has the id \`${id}\``, id, known));
}

function unknown(
  document: YamlDocument,
  path: Path,
  message: string,
  word: string,
  known: readonly string[],
): Diagnostic {
  const hint = didYouMean(word, known) ?? `there is ${known.map((each) => `\`${each}\``).join(', ')}`;
  return { code: 'E_UNKNOWN_NAME', severity: 'error', message, place: document.place(path, 'key'), hint };
}

function apply(base: Json, { document, path, value }: Override, problems: Diagnostic[]): Json {
  const { stages, ...rest } = value;
  const merged = merge(base, rest);
  if (stages === undefined || !isJsonObject(merged)) return merged;
  const given = merged['stages'];
  if (!isJsonObject(stages)) {
    const message = '`stages` must be a mapping by stage id in an override';
    const place = document.place([...path, 'stages']);
    problems.push({ code: 'E_VALUE', severity: 'error', message, place, hint: null });
    return merged;
  }
  const list = Array.isArray(given) ? given : [];
  const ids = list.map((stage) => (isJsonObject(stage) ? stage['id'] : null));
  const known = ids.filter((each) => typeof each === 'string');
  for (const id of Object.keys(stages).filter((each) => !known.includes(each)))
    problems.push(unknown(document, [...path, 'stages', id], `no stage is called \`${id}\``, id, known));
  const changed = list.map((stage, index) => {
    const id = ids[index];
    return typeof id === 'string' && Object.hasOwn(stages, id) ? merge(stage, stages[id]!) : stage;
  });
  return { ...merged, stages: changed };
}

/** An override without the keys that it must not change, which are an error. */
function withoutFixed(
  value: JsonObject,
  document: YamlDocument,
  path: Path,
  problems: Diagnostic[],
): JsonObject {
  const { workflow } = value;
  if (!isJsonObject(workflow ?? null)) return value;
  const rest = { ...(workflow as JsonObject) };
  for (const key of fixed.filter((each) => Object.hasOwn(rest, each))) {
    problems.push({
      code: 'E_VALUE',
      severity: 'error',
      message: `an override must not change \`workflow.${key}\``,
      place: document.place([...path, 'workflow', key], 'key'),
      hint: 'records of runs name the workflow by its id and version; change them in its own file',
    });
    delete rest[key];
  }
  return { ...value, workflow: rest };
}

/** Merges mappings; a list or a scalar replaces the previous value. */
function merge(base: Json, change: Json): Json {
  if (!isJsonObject(base) || !isJsonObject(change)) return change;
  const keys = Object.keys(change).map((key): [string, Json] => {
    const before = Object.hasOwn(base, key) ? base[key]! : null;
    return [key, merge(before, change[key]!)];
  });
  return { ...base, ...Object.fromEntries(keys) };
}

/**
 * The changes of an override, one line per value: `stages.plan.roles.primary.model: "opus" →
 * "sonnet"`.
 */
function changesBetween(before: Json, after: Json, override: Json, words: readonly string[] = []): string[] {
  if (isJsonObject(override) && Object.keys(override).length > 0)
    return Object.keys(override).flatMap((key) =>
      changesBetween(part(before, key), part(after, key), override[key]!, [...words, key]),
    );
  const [old, now] = [before, after].map((value) => JSON.stringify(value ?? null));
  if (old === now) return [];
  return [`${words.join('.')}: ${old === 'null' ? '' : `${old} → `}${now ?? 'null'}`];
}

/** A field of a mapping, or a stage of the list by its id. */
function part(value: Json, key: string): Json {
  if (Array.isArray(value)) return value.find((each) => isJsonObject(each) && each['id'] === key) ?? null;
  return isJsonObject(value) && Object.hasOwn(value, key) ? value[key]! : null;
}
