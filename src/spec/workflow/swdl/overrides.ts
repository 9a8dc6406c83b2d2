import type { Diagnostic } from '../../../core/diagnostic.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../core/json.ts';
import { didYouMean } from '../../../core/nearest.ts';
import { parseYaml, type Path, type YamlDocument } from '../../yaml.ts';
import type { ProjectFiles } from '../surroundings.ts';

/** Where a project changes shared workflows without touching them; what comes later wins. */
export const overrideFiles = ['.skillmeat-workflow-overrides.yaml', 'workflows/overrides.yaml'] as const;

interface Override {
  readonly document: YamlDocument;
  /** Where it says something of this workflow. */
  readonly path: Path;
  readonly value: JsonObject;
}

/**
 * A workflow with what the project changes in it. Maps are merged, everything else is replaced; `stages` is a map by id there.
 * Problems stand where the wrong part was written.
 */
export function overridden(
  base: YamlDocument,
  files: ProjectFiles,
): { readonly document: YamlDocument; readonly problems: readonly Diagnostic[] } {
  const id = idOf(base.value);
  const problems: Diagnostic[] = [];
  const overrides =
    id === null ? [] : overrideFiles.flatMap((file) => readOverride(file, id, files, problems));
  if (overrides.length === 0) return { document: base, problems };
  let { value } = base;
  for (const override of overrides) value = apply(value, override, problems);
  return { document: new Overridden(value, base, overrides), problems };
}

function idOf(value: Json): string | null {
  const workflow = isJsonObject(value) ? value['workflow'] : null;
  const id = isJsonObject(workflow) ? workflow['id'] : null;
  return typeof id === 'string' ? id : null;
}

function readOverride(file: string, id: string, files: ProjectFiles, problems: Diagnostic[]): Override[] {
  const text = files.read(file);
  if (text === null || text.trim() === '') return [];
  const read = parseYaml(text, file);
  if (!read.ok) {
    problems.push(...read.problems);
    return [];
  }
  const document = read.value;
  const tell = (path: Path, message: string) => {
    const place = document.place(path);
    problems.push({ code: 'E_VALUE', severity: 'error', message, place, hint: null });
    return [];
  };
  const all = isJsonObject(document.value) ? document.value['overrides'] : null;
  if (!isJsonObject(all)) return tell(['overrides'], '`overrides` must be a map of workflows by id');
  const value = all[id];
  if (value === undefined) return [];
  const path = ['overrides', id];
  return isJsonObject(value) ? [{ document, path, value }] : tell(path, `\`${id}\` must be a map`);
}

function apply(base: Json, { document, path, value }: Override, problems: Diagnostic[]): Json {
  const { stages, ...rest } = value;
  const merged = merge(base, rest);
  if (stages === undefined || !isJsonObject(merged)) return merged;
  const given = merged['stages'];
  if (!isJsonObject(stages)) {
    const message = '`stages` must be a map by stage id in an override';
    const place = document.place([...path, 'stages']);
    problems.push({ code: 'E_VALUE', severity: 'error', message, place, hint: null });
    return merged;
  }
  const list = Array.isArray(given) ? given : [];
  const ids = list.map((stage) => (isJsonObject(stage) ? stage['id'] : null));
  for (const id of Object.keys(stages).filter((each) => !ids.includes(each))) {
    const known = ids.filter((each) => typeof each === 'string');
    const hint = didYouMean(id, known) ?? `there is ${known.map((each) => `\`${each}\``).join(', ')}`;
    const place = document.place([...path, 'stages', id], 'key');
    problems.push({
      code: 'E_UNKNOWN_NAME',
      severity: 'error',
      message: `no stage is called \`${id}\``,
      place,
      hint,
    });
  }
  const changed = list.map((stage, index) => {
    const id = ids[index];
    return typeof id === 'string' && Object.hasOwn(stages, id) ? merge(stage, stages[id]!) : stage;
  });
  return { ...merged, stages: changed };
}

/** Maps are merged; a list or a single value replaces what was there. */
function merge(base: Json, change: Json): Json {
  if (!isJsonObject(base) || !isJsonObject(change)) return change;
  const keys = Object.keys(change).map((key): [string, Json] => {
    const before = Object.hasOwn(base, key) ? base[key]! : null;
    return [key, merge(before, change[key]!)];
  });
  return { ...base, ...Object.fromEntries(keys) };
}

/** Knows of each part which file it was written in. */
class Overridden implements YamlDocument {
  readonly value: Json;
  private readonly base: YamlDocument;
  private readonly overrides: readonly Override[];

  constructor(value: Json, base: YamlDocument, overrides: readonly Override[]) {
    this.value = value;
    this.base = base;
    this.overrides = overrides;
  }

  place: YamlDocument['place'] = (path, part) => {
    const { document, path: there } = this.source(path);
    return document.place(there, part);
  };

  placeWithin: YamlDocument['placeWithin'] = (path, start, end) => {
    const { document, path: there } = this.source(path);
    return document.placeWithin(there, start, end);
  };

  sourceOf: YamlDocument['sourceOf'] = (path) => {
    const { document, path: there } = this.source(path);
    return document.sourceOf(there);
  };

  isPlain: YamlDocument['isPlain'] = (path) => {
    const { document, path: there } = this.source(path);
    return document.isPlain(there);
  };

  private source(path: Path): { document: YamlDocument; path: Path } {
    const [first, index, ...rest] = path;
    const stages = isJsonObject(this.value) ? this.value['stages'] : null;
    const stage =
      first === 'stages' && typeof index === 'number' && Array.isArray(stages) ? stages[index] : null;
    const id = stage != null && isJsonObject(stage) ? stage['id'] : null;
    const within = typeof id === 'string' ? ['stages', id, ...rest] : path;
    for (const { document, path: root, value } of this.overrides.toReversed())
      if (holds(value, within)) return { document, path: [...root, ...within] };
    return { document: this.base, path };
  }
}

function holds(value: Json, path: Path): boolean {
  let here: Json | undefined = value;
  for (const key of path) {
    if (typeof here !== 'object' || here === null || !Object.hasOwn(here, key)) return false;
    here = (here as Record<string | number, Json>)[key];
  }
  // Of a map only parts were changed.
  return path.length > 0 && !isJsonObject(here ?? null);
}
