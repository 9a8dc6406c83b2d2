import { isScalar, isSeq, type ParsedNode, type Scalar } from 'yaml';
import { tokenize } from '../expressions/lexer.ts';
import { parseTokens } from '../expressions/parser.ts';
import { SyntaxProblem } from '../expressions/problem.ts';
import { referencesOf, type Segment } from '../expressions/references.ts';
import { EditableText, isCollection } from '../yaml/edit/tree.ts';
import type { Path } from '../yaml/yaml.ts';
import { sourceOffset } from '../yaml/yaml-scalars.ts';
import type { NameKind, NamePlace } from '../languages/shared/editor.ts';
import type { Grammar } from './grammar.ts';

/** A name where it is defined or referred to. Offsets count UTF-16 units of the whole text. */
export interface Occurrence {
  readonly kind: NameKind;
  readonly name: string;
  readonly from: number;
  readonly to: number;
  readonly defines: boolean;
  /** The pair or item that has it. */
  readonly path: Path;
  /** Quotes around it are not part of the range. */
  readonly inString: boolean;
}

/** Every name in the order of the text; of a source text with errors, those that can be read. */
export function occurrencesIn(
  text: string,
  { names, expressions }: Pick<Grammar, 'names' | 'expressions'>,
): Occurrence[] {
  const { plain, rawOffset } = plainText(text);
  const tree = new EditableText(plain);
  const found: Occurrence[] = [];
  const add = (occurrence: Occurrence): void => {
    const { from, to } = occurrence;
    found.push({ ...occurrence, from: rawOffset(from), to: rawOffset(to) });
  };
  const named = (node: Scalar, path: Path, isKey: boolean, tag: string): void => {
    const occurrence = nameAt(names, node, path, isKey, tag);
    if (occurrence !== null) add(occurrence);
  };
  const visit = (node: ParsedNode | null, path: Path, tag: string): void => {
    if (isCollection(node)) {
      const first = isSeq(node) ? node.items[0] : null;
      const word = isScalar(first) && typeof first.value === 'string' ? first.value : '';
      for (const [index, { key, name, value }] of tree.slotsOf(node).entries()) {
        const way = [...path, name ?? index];
        if (key !== null) named(key, way, true, '');
        visit(value, way, word);
      }
      return;
    }
    if (!isScalar(node) || typeof node.value !== 'string') return;
    named(node, path, false, tag);
    if (expressions === null) return;
    for (const { segment, kind } of referencesInString(node.value, path, expressions))
      add({
        kind,
        name: segment.name ?? '',
        from: sourceOffset(node, plain, segment.span.start, 'start'),
        to: sourceOffset(node, plain, segment.span.end, 'end'),
        defines: false,
        path,
        inString: true,
      });
  };
  visit(tree.root, [], '');
  return found;
}

/** A scalar as a name; null: names do not stand there. `tag`: the first word of its list. */
function nameAt(
  names: readonly NamePlace[],
  { value, range, type }: Scalar,
  path: Path,
  isKey: boolean,
  tag: string,
): Occurrence | null {
  const way = path.join('/');
  const place = names.find(
    (each) =>
      (each.isKey ?? false) === isKey && each.path.test(way) && (each.tag === undefined || each.tag === tag),
  );
  if (place === undefined || range == null || typeof value !== 'string') return null;
  if (place.also?.includes(value) === true) return null;
  const quotes = type === 'QUOTE_DOUBLE' || type === 'QUOTE_SINGLE' ? 1 : 0;
  const { kind, defines = false } = place;
  return {
    kind,
    name: value,
    from: range[0] + quotes,
    to: range[1] - quotes,
    defines,
    path,
    inString: false,
  };
}

/** The text without its byte order mark and with line feeds, and what each offset was before. */
function plainText(text: string): { plain: string; rawOffset: (offset: number) => number } {
  const bom = text.startsWith('\ufeff') ? 1 : 0;
  const returns: number[] = [];
  for (let at = text.indexOf('\r\n'); at !== -1; at = text.indexOf('\r\n', at + 2))
    returns.push(at - bom - returns.length);
  const rawOffset = (offset: number): number => {
    let low = 0;
    let high = returns.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (returns[middle]! < offset) low = middle + 1;
      else high = middle;
    }
    return offset + low + bom;
  };
  return { plain: text.slice(bom).replaceAll('\r\n', '\n'), rawOffset };
}

interface Named {
  readonly segment: Segment;
  readonly kind: 'step' | 'parameter';
}

/** The steps and parameters that the expressions of a string read. */
function referencesInString(
  text: string,
  path: Path,
  expressions: NonNullable<Grammar['expressions']>,
): Named[] {
  const { opening, language, bare, vocabulary } = expressions;
  if (opening !== '${{') return variablesIn(text);
  const isBare = !text.includes(opening) && bare?.test(path.join('/')) === true;
  const starts = isBare ? [0] : openingsIn(text, opening);
  return starts.flatMap((start) => {
    try {
      const tokens = tokenize(text, { start, closed: !isBare, syntax: language });
      const references = referencesOf(parseTokens(tokens, language.comparing), language);
      return references.flatMap((reference): Named[] => {
        const own = reference.path[0]?.name === 'previous' ? reference.path.slice(1) : reference.path;
        const [namespace, named] = own;
        if (named?.name == null || named.span.end <= named.span.start) return [];
        const segment = withoutQuotes(text, named);
        if (namespace?.name === vocabulary.steps) return [{ segment, kind: 'step' }];
        return namespace?.name === 'parameters' ? [{ segment, kind: 'parameter' }] : [];
      });
    } catch (error) {
      if (error instanceof SyntaxProblem) return [];
      throw error;
    }
  });
}

function openingsIn(text: string, opening: string): number[] {
  const starts: number[] = [];
  for (let at = text.indexOf(opening); at !== -1; at = text.indexOf(opening, at + 1))
    if (text[at - 1] !== '\\') starts.push(at + opening.length);
  return starts;
}

/** `steps['build']` names `build`. */
function withoutQuotes(text: string, segment: Segment): Segment {
  const { start, end } = segment.span;
  const inner = /^["']/.test(text.slice(start, end)) ? 1 : 0;
  return { ...segment, span: { start: start + inner, end: end - inner } };
}

/** `${steps.Build.output}`. */
function variablesIn(text: string): Named[] {
  return [...text.matchAll(/(?<!\$)\$\{steps\.([\w-]+)/g)].map(({ index, 0: whole, 1: name = '' }) => {
    const end = index + whole.length;
    return { segment: { name, span: { start: end - name.length, end } }, kind: 'step' };
  });
}
