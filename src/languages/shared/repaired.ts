import * as z from 'zod';
import { isJsonObject, type JsonObject } from '../../kernel/json.ts';
import { repair, pathText, underKnownKeys, type Repaired } from '../../yaml/repair.ts';
import type { Path, YamlDocument } from '../../yaml/yaml.ts';
import { Diagnostics } from './diagnostics.ts';

/** The shape of a file whose steps are a list. */
interface ListedShape<T> {
  readonly file: z.ZodObject;
  readonly list: string;
  readonly item: z.ZodType<T>;
}

/**
 * The valid parts of such a file: each item is checked separately, so that an invalid one does not
 * affect the others.
 */
export interface Listed<T> {
  /** The mapping around the list, without the list. */
  readonly around: JsonObject;
  readonly items: readonly { readonly input: T; readonly path: Path }[];
  /** The parts that could not be used. */
  readonly lost: readonly Path[];
  readonly diagnostics: Diagnostics;
}

export function repairListed<T>(document: YamlDocument, { file, list, item }: ListedShape<T>): Listed<T> {
  const { [list]: all, ...rest } = isJsonObject(document.value) ? document.value : {};
  const { value: around, ...top } = repair(file, rest);
  const renamed = new Map(top.renamed);
  const lost = [...top.lost];
  const items = (Array.isArray(all) ? all : []).flatMap((each, index) => {
    const path: Path = [list, index];
    const right = z.safeParse(item, each);
    if (right.success) return [{ input: right.data, path }];
    const repaired = isJsonObject(each) ? repair(item as unknown as z.ZodObject, each) : null;
    const read = repaired && z.safeParse(item, repaired.value);
    if (!read?.success) {
      lost.push(path);
      return [];
    }
    for (const [key, written] of repaired!.renamed)
      renamed.set(pathText([...path, ...(JSON.parse(key) as Path)]), written);
    lost.push(...repaired!.lost.map((way) => [...path, ...way]));
    return [{ input: read.data, path }];
  });
  const { value } = document;
  const known = underKnownKeys(document, { value, renamed, lost } as Repaired);
  const partial = new Set(lost.map((path) => pathText(path.slice(0, -1))));
  return { around, items, lost, diagnostics: new Diagnostics(known, partial) };
}
