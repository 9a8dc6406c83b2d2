import { readTree } from '../architecture/tree.ts';

/** A fenced block of a page. */
export interface Block {
  /** Its path in the repository. */
  readonly page: string;
  /** Of its fence, from 1. */
  readonly line: number;
  /** What stands behind the fence: the language, and for some a name. */
  readonly info: string;
  /** Without the indentation of its fence. */
  readonly text: string;
  /** The path that its first line names in a comment, for a file of a project. */
  readonly file: string | null;
  /** The number of its section of the second level. */
  readonly section: number;
}

export function blocksOf(page: string, text: string): Block[] {
  const found = text.matchAll(/^( *)(```+)(.*)\n([^]*?)^\1\2 *$/gm);
  return [...found].map(({ index, 1: indent = '', 3: info = '', 4: inside = '' }) => {
    const code = inside.replaceAll(new RegExp(`^${indent}`, 'gm'), '');
    const before = text.slice(0, index);
    return {
      page,
      line: before.split('\n').length,
      info,
      text: code,
      file: /^(?:#|\/\/) (\S*[./]\S*)\n/.exec(code)?.[1] ?? null,
      section: before.split(/^## /m).length,
    };
  });
}

export const pages: ReadonlyMap<string, string> = new Map(
  [...readTree(['.'], ['.md'])].filter(([path]) => /^(docs\/.+|README)\.md$/.test(path)),
);

export const blocks: readonly Block[] = [...pages].flatMap(([page, text]) => blocksOf(page, text));

/** The first document that a page shows. */
export function documentOf(page: string): unknown {
  return JSON.parse(blocks.find((each) => each.page === page && /^json\b/.test(each.info))?.text ?? '');
}
