import type { Checked } from '../../kernel/diagnostic.ts';
import type { JsonObject } from '../../kernel/json.ts';
import { ownValue } from '../../kernel/own.ts';
import { Source } from '../../yaml/source.ts';
import { parseYaml, type YamlDocument } from '../../yaml/yaml.ts';
import type { ParsedParts } from '../../yaml/parts.ts';
import { readPlainText } from '../../yaml/plain-blocks.ts';

/** The size limit of a workflow in characters: instructions can be long. */
const largestWorkflow = 4 * 1024 * 1024;

/** Above this length, in characters, parsing speed matters. */
const long = 16 * 1024;

/** Reads a workflow file as a document. `parts`: what was read of texts like it. */
export function readDocument(
  text: string,
  file: string,
  parts: ParsedParts | null = null,
): Checked<YamlDocument> {
  const isLong = text.length > long && text.length <= largestWorkflow;
  const plain = isLong ? readPlainText(text) : null;
  if (plain !== null) return { ok: true, value: new PlainDocument(plain, text, file, parts), warnings: [] };
  const read = isLong ? (parts?.read(text, file) ?? null) : null;
  return read === null ? parseYaml(text, file, 1, largestWorkflow) : { ok: true, value: read, warnings: [] };
}

/**
 * A document that was read without the YAML parser: it is parsed only if it has an error, to find
 * the place.
 */
class PlainDocument implements YamlDocument {
  readonly value: JsonObject;
  readonly #text: string;
  readonly #file: string;
  readonly #parts: ParsedParts | null;
  #parsed: YamlDocument | null = null;

  constructor(value: JsonObject, text: string, file: string, parts: ParsedParts | null) {
    this.value = value;
    this.#text = text;
    this.#file = file;
    this.#parts = parts;
  }

  place: YamlDocument['place'] = (path, part) => this.#document().place(path, part);
  placeWithin: YamlDocument['placeWithin'] = (path, start, end) =>
    this.#document().placeWithin(path, start, end);
  isPlain: YamlDocument['isPlain'] = (path) => this.#document().isPlain(path);

  /** Unquoted numbers are integers here, whose source text equals their value. */
  sourceOf: YamlDocument['sourceOf'] = (path) => {
    let value: unknown = this.value;
    for (const key of path) value = ownValue(value as Record<string, unknown> | undefined, key);
    return ['string', 'number', 'boolean'].includes(typeof value) ? String(value) : null;
  };

  #document(): YamlDocument {
    if (this.#parsed !== null) return this.#parsed;
    this.#parsed = this.#parts?.read(this.#text, this.#file) ?? this.#whole();
    return this.#parsed;
  }

  #whole(): YamlDocument {
    const read = parseYaml(this.#text, this.#file, 1, largestWorkflow);
    return read.ok ? read.value : beginning(this.value, this.#text, this.#file);
  }
}

/** A document whose only known place is the beginning. */
function beginning(value: JsonObject, text: string, file: string): YamlDocument {
  const place = () => new Source(file, text).place(0, 1);
  return { value, place, placeWithin: place, sourceOf: () => null, isPlain: () => false };
}
