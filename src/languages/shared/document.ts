import type { Checked } from '../../kernel/diagnostic.ts';
import type { JsonObject } from '../../kernel/json.ts';
import { Source } from '../../yaml/source.ts';
import { parseYaml, type YamlDocument } from '../../yaml/yaml.ts';
import { readPlainText } from '../../yaml/plain-blocks.ts';

/** The size limit of a workflow in characters: instructions can be long. */
const largestWorkflow = 4 * 1024 * 1024;

/** Above this length, in characters, parsing speed matters. */
const long = 16 * 1024;

/** Reads a workflow file as a document. */
export function readDocument(text: string, file: string): Checked<YamlDocument> {
  const plain = text.length > long && text.length <= largestWorkflow ? readPlainText(text) : null;
  if (plain === null) return parseYaml(text, file, 1, largestWorkflow);
  return { ok: true, value: new PlainDocument(plain, text, file), warnings: [] };
}

/**
 * A document that was read without the YAML parser: it is parsed only if it has an error, to find
 * the place.
 */
class PlainDocument implements YamlDocument {
  readonly value: JsonObject;
  readonly #text: string;
  readonly #file: string;
  #parsed: YamlDocument | null = null;

  constructor(value: JsonObject, text: string, file: string) {
    this.value = value;
    this.#text = text;
    this.#file = file;
  }

  place: YamlDocument['place'] = (path, part) => this.#document().place(path, part);
  placeWithin: YamlDocument['placeWithin'] = (path, start, end) =>
    this.#document().placeWithin(path, start, end);
  isPlain: YamlDocument['isPlain'] = (path) => this.#document().isPlain(path);

  /** Unquoted numbers are integers here, whose source text equals their value. */
  sourceOf: YamlDocument['sourceOf'] = (path) => {
    let value: unknown = this.value;
    for (const key of path) value = (value as Record<string, unknown> | undefined)?.[key];
    return ['string', 'number', 'boolean'].includes(typeof value) ? String(value) : null;
  };

  #document(): YamlDocument {
    if (this.#parsed !== null) return this.#parsed;
    const read = parseYaml(this.#text, this.#file, 1, largestWorkflow);
    this.#parsed = read.ok ? read.value : beginning(this.value, this.#text, this.#file);
    return this.#parsed;
  }
}

/** A document whose only known place is the beginning. */
function beginning(value: JsonObject, text: string, file: string): YamlDocument {
  const place = () => new Source(file, text).place(0, 1);
  return { value, place, placeWithin: place, sourceOf: () => null, isPlain: () => false };
}
