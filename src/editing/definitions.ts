import { isJsonObject, type Json } from '../kernel/json.ts';
import type { Path } from '../yaml/yaml.ts';
import type { NameKind } from '../languages/shared/editor.ts';
import type { Languages } from '../languages/shared/workflow-language.ts';
import { grammarOf, type Grammar } from './grammar.ts';

/** A name that a value defines. */
interface NamedPart {
  readonly name: string;
  /** Of the part that has the name: of the step, not of its `id`. */
  readonly path: Path;
}

/** The names of a kind that a value defines, in their order. */
export function definitionsIn(value: Json, names: Grammar['names'], kind: NameKind): NamedPart[] {
  const places = names.filter((place) => place.kind === kind && place.defines === true);
  const found: NamedPart[] = [];
  const visit = (here: Json, path: Path, tag: Json): void => {
    const way = path.join('/');
    if (Array.isArray(here))
      for (const [index, item] of here.entries()) visit(item, [...path, index], here[0]!);
    else if (isJsonObject(here))
      for (const [key, inner] of Object.entries(here)) {
        const there = [...path, key];
        if (places.some((place) => place.isKey === true && place.path.test(there.join('/'))))
          found.push({ name: key, path: there });
        visit(inner, there, null);
      }
    else if (typeof here === 'string')
      for (const place of places)
        if (place.isKey !== true && place.path.test(way) && (place.tag === undefined || place.tag === tag))
          found.push({ name: here, path: path.slice(0, -1) });
  };
  if (places.length > 0) visit(value, [], null);
  return found;
}

/** Where each step of a workflow's own body stands in its definition, by its name. */
export function stepPaths(definition: Json, languages: Languages): ReadonlyMap<string, Path> {
  const paths = new Map<string, Path>();
  const { names } = grammarOf('workflow', definition, languages);
  for (const { name, path } of definitionsIn(definition, names, 'step')) {
    const known = paths.get(name);
    // A step of a loop may have the name of one outside.
    if (known === undefined || path.length < known.length) paths.set(name, path);
  }
  return paths;
}
