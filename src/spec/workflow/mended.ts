import * as z from 'zod';
import { isJsonObject, type JsonObject } from '../../core/json.ts';
import { mend, pathText, underKnownKeys, type Mended } from '../mend.ts';
import type { Path, YamlDocument } from '../yaml.ts';
import { Scribe } from './scribe.ts';

/** The shape of a file whose steps are a list. */
export interface ListedShape<T> {
  readonly file: z.ZodObject;
  readonly list: string;
  readonly item: z.ZodType<T>;
}

/** What of such a file can be used: each item is looked at by itself, so that one that is hopeless takes no other with it. */
export interface Listed<T> {
  /** The map around the list, without it. */
  readonly around: JsonObject;
  readonly items: readonly { readonly input: T; readonly path: Path }[];
  /** What could not be used. */
  readonly lost: readonly Path[];
  readonly scribe: Scribe;
}

export function mendListed<T>(document: YamlDocument, { file, list, item }: ListedShape<T>): Listed<T> {
  const { [list]: all, ...rest } = isJsonObject(document.value) ? document.value : {};
  const { value: around, ...top } = mend(file, rest);
  const renamed = new Map(top.renamed);
  const lost = [...top.lost];
  const items = (Array.isArray(all) ? all : []).flatMap((each, index) => {
    const path: Path = [list, index];
    const right = z.safeParse(item, each);
    if (right.success) return [{ input: right.data, path }];
    const mended = isJsonObject(each) ? mend(item as unknown as z.ZodObject, each) : null;
    const read = mended && z.safeParse(item, mended.value);
    if (!read?.success) {
      lost.push(path);
      return [];
    }
    for (const [key, written] of mended!.renamed)
      renamed.set(pathText([...path, ...(JSON.parse(key) as Path)]), written);
    lost.push(...mended!.lost.map((way) => [...path, ...way]));
    return [{ input: read.data, path }];
  });
  const { value } = document;
  const known = underKnownKeys(document, { value, renamed, lost } as Mended);
  const partial = new Set(lost.map((path) => pathText(path.slice(0, -1))));
  return { around, items, lost, scribe: new Scribe(known, partial) };
}
