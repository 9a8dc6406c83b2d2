import { Composer, CST, Lexer, Parser } from 'yaml';
import type { Document } from 'yaml';
import type { Checked, Place } from '../kernel/diagnostic.ts';
import type { Json, Path } from '../kernel/json.ts';
import { Source } from './source.ts';
import { Reader, type Range } from './yaml-nodes.ts';
import { syntaxProblems } from './yaml-problems.ts';
import type { Refused, Seen } from './yaml-problems.ts';
import { composing } from './composing.ts';

export type { Path } from '../kernel/json.ts';

/** A document's value, and where in the text each part of it is. */
export interface Located {
  readonly value: Json;
  /**
   * The place of the value at the path, or of its key. A block of lines is marked at its key; for a
   * missing path, the nearest existing ancestor is marked, at its key.
   */
  place(path: Path, part?: 'key' | 'value'): Place;
  /**
   * The source text at the path: `1.0` where the value is 1; null where it is not a single word.
   * Missing: unknown.
   */
  readonly sourceOf?: (path: Path) => string | null;
}

/** A document that can also locate ranges within its strings. */
export interface YamlDocument extends Located {
  /** The place of a range of the string at the path; offsets count in the parsed string. */
  placeWithin(path: Path, start: number, end: number): Place;
  readonly sourceOf: (path: Path) => string | null;
  /** Whether the string at the path is written without quotes and on one line. */
  isPlain(path: Path): boolean;
}

/**
 * The maximum size of a file, in characters: a mapping of 40,000 keys still takes less than a
 * second.
 */
export const largestYaml = 256 * 1024;

/**
 * Reads one YAML 1.2 document of the core schema (`yes` and `off` are strings, `<<` is an ordinary
 * key). Refuses whatever makes YAML text mean something else than it shows: directives, anchors,
 * aliases, tags and duplicate keys. Reports every error at once. `firstLine` is the line of the
 * file on which the text begins; text of more than `largest` characters is refused.
 */
export function parseYaml(
  text: string,
  file: string,
  firstLine = 1,
  largest = largestYaml,
): Checked<YamlDocument> {
  const source = new Source(file, normalized(text), firstLine);
  if (text.length > largest) {
    const message = `the file has ${text.length} characters; at most ${largest} are read`;
    const place = { file, line: firstLine, column: 1, length: 1, text: '' };
    return { ok: false, problems: [{ code: 'E_YAML', severity: 'error', message, place, hint: null }] };
  }
  const read = readNodes(source);
  if (!read.ok) return read;
  const { value, ranges } = read.value;
  return { ok: true, value: withPlaces(source, value, ranges), warnings: [] };
}

/** The text without its byte order mark and with line feeds: offsets count in this one. */
function normalized(text: string): string {
  return text.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n');
}

/** Where the parts of a document are, by offsets in its text. */
export interface Ranges extends Pick<YamlDocument, 'sourceOf' | 'isPlain'> {
  range(path: Path, part?: 'key' | 'value'): Range;
  /** Of a range of the string at the path. */
  rangeWithin(path: Path, start: number, end: number): Range;
}

/** A document by its value and its ranges. */
export function withPlaces(source: Source, value: Json, ranges: Ranges): YamlDocument {
  const { sourceOf, isPlain } = ranges;
  const placeOf = ([start, end]: Range): Place => source.place(start, end);
  return {
    value,
    place: (path, part) => placeOf(ranges.range(path, part)),
    placeWithin: (path, start, end) => placeOf(ranges.rangeWithin(path, start, end)),
    sourceOf,
    isPlain,
  };
}

/** Reads a whole text of at most the largest size. */
export function readNodes(source: Source): Checked<{ readonly value: Json; readonly ranges: Ranges }> {
  const seen: Seen = { refused: [], quotes: [] };
  const documents = compose(source, seen);
  const root = documents[0]?.contents ?? null;
  const reader = new Reader(source);
  const syntax = syntaxProblems(source, documents, seen);
  // After a syntax error the structure is unreliable: errors in its parts would be noise.
  const value = syntax.length === 0 ? reader.read(root) : null;
  const problems = [...syntax, ...reader.problems];
  if (problems.length > 0) return { ok: false, problems };
  const ranges: Ranges = {
    range: (path, part) => reader.range(root, path, part),
    rangeWithin: (path, start, end) => reader.rangeWithin(root, path, start, end),
    sourceOf: (path) => reader.sourceOf(root, path),
    isPlain: (path) => reader.isPlain(root, path),
  };
  return { ok: true, value: { value, ranges }, warnings: [] };
}

const refusedTokens: Readonly<Record<string, Refused['kind']>> = {
  'directive-line': 'directive',
  anchor: 'anchor',
  alias: 'alias',
  tag: 'tag',
};

/**
 * Feeds the parser token by token, so that refused syntax is found at its place without a second
 * pass.
 */
function* tokens(source: Source, { refused, quotes }: Seen): Generator<CST.Token> {
  const parser = new Parser();
  let offset = 0;
  let scalar = false;
  for (const word of new Lexer().lex(source.text)) {
    const type: CST.Token['type'] | null = scalar ? null : CST.tokenType(word);
    const kind = type === null ? undefined : refusedTokens[type];
    if (kind !== undefined) refused.push({ kind, start: offset, text: word });
    if (type === 'double-quoted-scalar' || type === 'single-quoted-scalar') quotes.push(offset);
    // The lexer announces documents, flow ends and scalars by tokens of one control character,
    // which have no length.
    const announcement: boolean =
      !scalar && (type === 'doc-mode' || type === 'flow-error-end' || type === 'scalar');
    if (!announcement) offset += word.length;
    scalar = announcement && type === 'scalar';
    yield* parser.next(word);
  }
  yield* parser.end();
}

function compose(source: Source, seen: Seen): Document.Parsed[] {
  const composer = new Composer(composing);
  return [...composer.compose(tokens(source, seen), true, source.text.length)];
}
