import { isJsonObject, type Json, type JsonObject } from '../../kernel/json.ts';
import { ownValue } from '../../kernel/own.ts';
import type { Path, YamlDocument } from '../../yaml/yaml.ts';

/** The part of an override file for one workflow. */
export interface Override {
  readonly document: YamlDocument;
  /** Its place in the file. */
  readonly path: Path;
  readonly value: JsonObject;
  /** Whether the user who started the run named the file. */
  readonly isNamed: boolean;
}

/** Knows the source file of each part. */
export class OverriddenDocument implements YamlDocument {
  readonly value: Json;
  readonly #base: YamlDocument;
  readonly #overrides: readonly Override[];

  constructor(value: Json, base: YamlDocument, overrides: readonly Override[]) {
    this.value = value;
    this.#base = base;
    this.#overrides = overrides;
  }

  place: YamlDocument['place'] = (path, part) => {
    const { document, path: there } = this.#source(path);
    return document.place(there, part);
  };

  placeWithin: YamlDocument['placeWithin'] = (path, start, end) => {
    const { document, path: there } = this.#source(path);
    return document.placeWithin(there, start, end);
  };

  sourceOf: YamlDocument['sourceOf'] = (path) => {
    const { document, path: there } = this.#source(path);
    return document.sourceOf(there);
  };

  isPlain: YamlDocument['isPlain'] = (path) => {
    const { document, path: there } = this.#source(path);
    return document.isPlain(there);
  };

  #source(path: Path): { document: YamlDocument; path: Path } {
    const [first, index, ...rest] = path;
    const stages = isJsonObject(this.value) ? this.value['stages'] : null;
    const stage =
      first === 'stages' && typeof index === 'number' && Array.isArray(stages) ? stages[index] : null;
    const id = stage != null && isJsonObject(stage) ? stage['id'] : null;
    const within = typeof id === 'string' ? ['stages', id, ...rest] : path;
    for (const { document, path: root, value } of this.#overrides.toReversed())
      if (holds(value, within)) return { document, path: [...root, ...within] };
    return { document: this.#base, path };
  }
}

function holds(value: Json, path: Path): boolean {
  let here: Json | undefined = value;
  for (const key of path) {
    if (typeof here !== 'object' || here === null || !Object.hasOwn(here, key)) return false;
    here = ownValue(here as Record<string | number, Json>, key);
  }
  // Only parts of a mapping were changed.
  return path.length > 0 && !isJsonObject(here ?? null);
}
