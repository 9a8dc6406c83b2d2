import { Composer, CST, isMap, isScalar, isSeq, Lexer, Parser } from 'yaml';
import type { Document, Node, Pair, ParsedNode, YAMLMap } from 'yaml';
import type { Checked, Diagnostic, Place } from '../core/diagnostic.ts';
import type { Json, JsonObject } from '../core/json.ts';
import { Source } from './source.ts';
import { syntaxProblems } from './yaml-problems.ts';
import type { Refused } from './yaml-problems.ts';

/** Keys and indexes that lead from the root of a document to a value. */
export type Path = readonly (string | number)[];

/** A document's value, and where in the text each part of it stands. */
export interface Located {
  readonly value: Json;
  /**
   * Where the value at the path stands, or its key. A block of lines is marked by its key; where the path leads nowhere,
   * the nearest part that holds it is marked.
   */
  place(path: Path, part?: 'key' | 'value'): Place;
}

/** The largest file that is read, in characters: a map of 40,000 keys still takes less than a second. */
export const largestYaml = 256 * 1024;

/**
 * Reads one YAML 1.2 document of the core schema (`yes` and `off` are strings, `<<` is an ordinary key), and nothing
 * that makes a text mean something else than it shows: directives, anchors, aliases, tags and duplicate keys are
 * refused. Reports every error of the text at once. `firstLine` is the line on which the text begins in its file.
 */
export function parseYaml(text: string, file: string, firstLine = 1): Checked<Located> {
  const source = new Source(file, text.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n'), firstLine);
  if (text.length > largestYaml) {
    const message = `the file has ${text.length} characters; at most ${largestYaml} are read`;
    const place = { file, line: firstLine, column: 1, length: 1, text: '' };
    return { ok: false, problems: [{ code: 'E_YAML', severity: 'error', message, place, hint: null }] };
  }
  const refused: Refused[] = [];
  const documents = compose(source, refused);
  const root = documents[0]?.contents ?? null;
  const reader = new Reader(source);
  const syntax = syntaxProblems(source, documents, refused);
  // After an error in the syntax the parts are not what they seem: what is wrong with them would be noise.
  const value = syntax.length === 0 ? reader.read(root) : null;
  const problems = [...syntax, ...reader.problems];
  if (problems.length > 0) return { ok: false, problems };
  return {
    ok: true,
    value: { value, place: (path, part) => reader.place(root, path, part ?? 'value') },
    warnings: [],
  };
}

const refusedTokens: Readonly<Record<string, Refused['kind']>> = {
  'directive-line': 'directive',
  anchor: 'anchor',
  alias: 'alias',
  tag: 'tag',
};

/** Feeds the parser word by word, so that what is refused is seen where it stands and costs no second pass. */
function* tokens(source: Source, refused: Refused[]): Generator<CST.Token> {
  const parser = new Parser();
  let offset = 0;
  let scalar = false;
  for (const word of new Lexer().lex(source.text)) {
    const type: CST.Token['type'] | null = scalar ? null : CST.tokenType(word);
    const kind = type === null ? undefined : refusedTokens[type];
    if (kind !== undefined) refused.push({ kind, start: offset, text: word });
    // The lexer announces documents, flow ends and scalars by words of one control character, which take no place.
    const announcement: boolean =
      !scalar && (type === 'doc-mode' || type === 'flow-error-end' || type === 'scalar');
    if (!announcement) offset += word.length;
    scalar = announcement && type === 'scalar';
    yield* parser.next(word);
  }
  yield* parser.end();
}

function compose(source: Source, refused: Refused[]): Document.Parsed[] {
  const composer = new Composer({
    schema: 'core',
    merge: false,
    uniqueKeys: false,
    prettyErrors: false,
    logLevel: 'silent',
  });
  return [...composer.compose(tokens(source, refused), true, source.text.length)];
}

type Parsed = ParsedNode | Node | null | undefined;
type Range = readonly [number, number];

function rangeOf(node: Parsed): Range | null {
  const range = node?.range;
  return range ? [range[0], range[1]] : null;
}

/** A key as its author wrote it: `1.0:` is the key `1.0`. */
function keyText(key: unknown): string | null {
  if (!isScalar(key)) return null;
  if (typeof key.value === 'string') return key.value;
  return key.source === undefined || key.source === '' ? null : key.source;
}

/** Turns nodes into plain values, and paths into places. */
class Reader {
  readonly problems: Diagnostic[] = [];
  private readonly source: Source;
  /** Where each key of a map stands; made when a place in that map is first asked for. */
  private readonly pairs = new Map<YAMLMap, Map<string, Pair>>();

  constructor(source: Source) {
    this.source = source;
  }

  read(node: unknown): Json {
    if (isMap(node)) return this.readMap(node);
    if (isSeq(node)) return node.items.map((item) => this.read(item));
    if (!isScalar(node)) return null;
    const { value } = node;
    if (typeof value === 'string' || typeof value === 'boolean') return value;
    if (typeof value !== 'number') return null;
    const whole = Number.isInteger(value) && /^[-+]?\d+$/.test(node.source ?? '');
    if (!Number.isFinite(value) || (whole && !Number.isSafeInteger(value) && String(value) !== node.source)) {
      const message = `\`${node.source}\` is a number that cannot be kept exactly`;
      this.problem('E_YAML', message, rangeOf(node), 'quote it, if it is a text');
    }
    return value === 0 ? 0 : value;
  }

  private readMap(map: YAMLMap): JsonObject {
    const object: JsonObject = {};
    const seen = new Map<string, Range | null>();
    for (const { key, value } of map.items) {
      const name = keyText(key);
      const range = rangeOf(key as Parsed) ?? rangeOf(map);
      if (name === null || name === '__proto__') {
        const message = name === null ? 'a key must be a text' : 'a key cannot be `__proto__`';
        this.problem('E_YAML', message, range, null);
        continue;
      }
      const first = seen.get(name);
      if (first !== undefined) {
        const line = this.source.place(first?.[0] ?? 0, 0).line;
        this.problem(
          'E_DUPLICATE',
          `the key \`${name}\` is given twice`,
          range,
          `the first one is on line ${line}`,
        );
      }
      seen.set(name, range);
      object[name] = this.read(value);
    }
    return object;
  }

  private problem(
    code: 'E_YAML' | 'E_DUPLICATE',
    message: string,
    range: Range | null,
    hint: string | null,
  ): void {
    const place = this.source.place(range?.[0] ?? 0, range?.[1] ?? 1);
    this.problems.push({ code, severity: 'error', message, place, hint });
  }

  place(root: Parsed, path: Path, part: 'key' | 'value'): Place {
    let node: unknown = root;
    let key: unknown = null;
    for (const step of path) {
      const pair = isMap(node) ? this.pairsOf(node).get(String(step)) : undefined;
      const item = isSeq(node) ? node.items[Number(step)] : undefined;
      if (pair === undefined && item === undefined) {
        part = 'value';
        break;
      }
      key = pair?.key ?? null;
      node = pair === undefined ? item : pair.value;
    }
    const block = (isMap(node) || isSeq(node)) && node.flow !== true;
    const marked = key !== null && (part === 'key' || block || rangeOf(node as Parsed) === null) ? key : node;
    const range = rangeOf(marked as Parsed) ?? [0, 1];
    return this.source.place(range[0], range[1]);
  }

  private pairsOf(map: YAMLMap): Map<string, Pair> {
    let pairs = this.pairs.get(map);
    if (pairs === undefined) {
      pairs = new Map(map.items.map((pair) => [keyText(pair.key) ?? '', pair]));
      this.pairs.set(map, pairs);
    }
    return pairs;
  }
}
