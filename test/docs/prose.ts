import ts from 'typescript';
import { parse, readTree } from '../architecture/tree.ts';

/** Words that people read, with the place where they stand. */
export interface Prose {
  readonly file: string;
  readonly line: number;
  readonly text: string;
  readonly kind: 'page' | 'message' | 'comment';
}

/** The documentation, without code. */
export function pages(): Prose[] {
  const tree = [...readTree(['.'], ['.md'])].filter(([file]) =>
    /^(docs\/.+|README|CHANGELOG)\.md$/.test(file),
  );
  return tree.flatMap(([file, text]) =>
    withoutCode(text)
      .split('\n')
      .map((content, index) => ({ file, line: index + 1, text: content, kind: 'page' as const })),
  );
}

/** What projects start from: role texts, protocols, workflows and examples. */
export function starters(): Prose[] {
  const tree = readTree(['templates', 'workflows', 'protocols', 'agents'], ['.md', '.yaml']);
  return [...tree].flatMap(([file, text]) =>
    text
      .split('\n')
      .map((content, index) => ({ file, line: index + 1, text: content, kind: 'page' as const })),
  );
}

/**
 * Comments of the program and of scripts, and their strings that have a space: help, diagnostics,
 * prompts, descriptions of schemas, the text of the page.
 */
export function program(): Prose[] {
  const tree = readTree(['src', 'scripts', 'agents', 'templates'], ['.ts', '.tsx', '.mjs']);
  return [...tree].flatMap(([file, text]) => proseOf(file, text));
}

/** The comments of a source file, with their indentation, and its sentences. */
export function proseOf(file: string, text: string): Prose[] {
  const source = parse(file, text);
  const found: Prose[] = [];
  const add = (kind: Prose['kind'], from: number, content: string): void => {
    const first = source.getLineAndCharacterOfPosition(from).line + 1;
    content.split('\n').forEach((part, index) => {
      found.push({ file, line: first + index, text: part, kind });
    });
  };
  const descend = (node: ts.Node): void => {
    const sentence = sentenceOf(node);
    if (sentence !== null) add('message', node.getStart(source), sentence);
    if (!ts.isTemplateExpression(node)) ts.forEachChild(node, descend);
    else for (const { expression } of node.templateSpans) descend(expression);
  };
  descend(source);
  for (const { pos, end } of commentsOf(source)) {
    const indentation = /^ *$/m.exec(text.slice(text.lastIndexOf('\n', pos - 1) + 1, pos))?.[0] ?? '';
    add('comment', pos, indentation + text.slice(pos, end));
  }
  return found.toSorted((one, other) => one.line - other.line);
}

/** Every comment lies before a token; those on the line of the token before count as trailing. */
function commentsOf(source: ts.SourceFile): ts.CommentRange[] {
  const found = new Map<number, ts.CommentRange>();
  const descend = (node: ts.Node): void => {
    if (ts.isJSDoc(node)) return;
    const children = node.getChildren(source);
    children.forEach(descend);
    if (children.length > 0) return;
    const [before, after] = [ts.getTrailingCommentRanges, ts.getLeadingCommentRanges];
    for (const range of [...(before(source.text, node.pos) ?? []), ...(after(source.text, node.pos) ?? [])])
      found.set(range.pos, range);
  };
  descend(source);
  return [...found.values()];
}

/** A string with a space in it; in the place of what a template inserts, an ellipsis. */
function sentenceOf(node: ts.Node): string | null {
  const text = ts.isStringLiteralLike(node)
    ? node.text
    : ts.isJsxText(node)
      ? node.text.trim()
      : ts.isTemplateExpression(node)
        ? [node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)].join('…')
        : '';
  return /\S\s\S/.test(text) ? text.replace(/`[^`]*`/g, '``') : null;
}

/** A page with its code emptied, its lines kept. */
export function withoutCode(page: string): string {
  const emptied = (code: string): string => code.replace(/[^\n]/g, '');
  return page
    .replace(/^( *)(```+|~~~+)[^]*?^ *\2$/gm, emptied)
    .replace(/^ {4}\S.*$/gm, emptied)
    .replace(/(`+)[^`]+?\1/g, emptied)
    .replace(/\]\([^)]*\)/g, ']');
}
