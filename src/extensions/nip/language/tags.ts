import { didYouMean, nearest } from '../../../kernel/nearest.ts';
import type { Json } from '../../../kernel/json.ts';
import type { Path, YamlDocument } from '../../../yaml/yaml.ts';
import type { Diagnostics } from '../../../languages/shared/diagnostics.ts';

/** The tags of a definition; other tags of an event are ignored. */
export const tagNames = ['d', 'name', 'version', 'step', 'edge', 'input', 'output'] as const;
type TagName = (typeof tagNames)[number];

/** A tag with its words as written, and its place. */
export interface Tag {
  readonly name: TagName;
  /** The words after the name; the first is `words[0]`. */
  readonly words: readonly string[];
  readonly path: Path;
}

/** The words of each tag as written: what YAML reads as a number or a boolean is a string here. */
export function wordsOf(tags: Json | undefined, document: YamlDocument): string[][] {
  if (!Array.isArray(tags)) return [];
  return tags.map((tag, index) =>
    Array.isArray(tag)
      ? tag.map((word, at) =>
          typeof word === 'string' ? word : (document.sourceOf(['tags', index, at]) ?? ''),
        )
      : [],
  );
}

/** The place of the n-th word after a tag's name. */
export function wordAt({ path }: Pick<Tag, 'path'>, index: number): Path {
  return [...path, index + 1];
}

/** The known tags in their order. Reports likely misspellings. */
export function readTags(tags: readonly (readonly string[])[], diagnostics: Diagnostics): Tag[] {
  return tags.flatMap(([name = '', ...words], index): Tag[] => {
    const path = ['tags', index];
    if ((tagNames as readonly string[]).includes(name)) return [{ name: name as TagName, words, path }];
    const near = name.length > 2 ? nearest(name, tagNames) : null;
    if (near !== null)
      diagnostics.warn([...path, 0], `the tag \`${name}\` has no effect`, `did you mean \`${near}\`?`);
    return [];
  });
}

/** The word of a tag that occurs once; null if it is missing, and reported if it is required. */
export function single(
  tags: readonly Tag[],
  name: 'd' | 'name' | 'version',
  diagnostics: Diagnostics,
): string | null {
  const [first, ...more] = tags.filter((tag) => tag.name === name);
  for (const { path } of more)
    diagnostics.error('E_DUPLICATE', path, `there are two tags \`${name}\``, 'keep one');
  if (first === undefined) {
    if (name !== 'version')
      diagnostics.error(
        'E_MISSING_KEY',
        ['tags'],
        `the tag \`${name}\` is missing`,
        `add ["${name}", "…"]`,
        'key',
      );
    return null;
  }
  const [word = ''] = first.words;
  if (word === '') {
    diagnostics.error('E_VALUE', first.path, `the tag \`${name}\` is empty`, `write ["${name}", "…"]`);
    return null;
  }
  expectLength(first, 1, 1, diagnostics);
  return word;
}

/** Whether a tag has an allowed number of words; reports it otherwise. */
export function expectLength(tag: Tag, least: number, most: number, diagnostics: Diagnostics): boolean {
  const { name, words, path } = tag;
  if (words.length < least) {
    diagnostics.error('E_MISSING_KEY', path, `the tag \`${name}\` is too short`, `it is ${forms[name]}`);
    return false;
  }
  if (words.length <= most) return true;
  const message = `the tag \`${name}\` ends before \`${words[most]!}\``;
  diagnostics.error('E_VALUE', wordAt(tag, most), message, `it is ${forms[name]}`);
  return true;
}

/** The form of each tag. */
export const forms: Readonly<Record<TagName, string>> = {
  d: '["d", "<id>"]',
  name: '["name", "<name>"]',
  version: '["version", "1.0.0"]',
  step: '["step", "<id>", "<kind>", "input:<source>", "output:<name>"]',
  edge: '["edge", "<from>", "<to>", "<condition>"]',
  input: '["input", "<name>", "string | number | boolean | object", "true | false"]',
  output: '["output", "<name>", "<type>"]',
};

/** One of the allowed words; null, and reported, for any other. */
export function oneOf<T extends string>(
  tag: Tag,
  index: number,
  what: string,
  allowed: readonly T[],
  diagnostics: Diagnostics,
): T | null {
  const word = tag.words[index] ?? '';
  const found = allowed.find((each) => each === word);
  if (found !== undefined) return found;
  const hint = didYouMean(word, allowed) ?? `it is ${allowed.join(', ')}`;
  diagnostics.error('E_VALUE', wordAt(tag, index), `\`${word}\` is not a ${what}`, hint);
  return null;
}
