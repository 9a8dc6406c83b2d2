import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { gfm } from 'micromark-extension-gfm';
import type { Root, RootContent } from 'mdast';

/** More signs of quotes and lists at the beginning of a line cost time and say nothing. */
const tooDeep = /^(?:[ \t]{0,3}(?:>|[-+*]|\d{1,9}[.)])[ \t]?){8}/m;

/** Each bracket that opens may look through all that follow. */
const mostBrackets = 1_000;

/** HTML is what it says: text, and the Markdown inside it is drawn. */
const withoutHtml = { disable: { null: ['htmlFlow', 'htmlText'] } };

/** The syntax tree of Markdown; null: it is not worth one, or would cost too much. */
export function treeOf(text: string): Root | null {
  if (tooDeep.test(text) || text.split('[').length > mostBrackets) return null;
  const tree = fromMarkdown(text, { extensions: [gfm(), withoutHtml], mdastExtensions: [gfmFromMarkdown()] });
  return tree.children.every(isPlain) ? null : tree;
}

function isPlain(node: RootContent): boolean {
  return node.type === 'paragraph' && node.children.every(({ type }) => type === 'text');
}
