import { isScalar } from 'yaml';
import type { Json } from '../../kernel/json.ts';
import type { Patch } from './patches.ts';
import { blockText, flowText, indented, quoted, scalarText, type Style } from './print.ts';
import { isBlockScalar, isCollection, quotesOf, type EditableText, type Slot } from './tree.ts';

/*
 * Changes of mappings and lists that are written in lines. Each function returns the ways to make a
 * change, best first: the caller takes the first that says what is meant.
 */

/** A new line for a pair or item before the one with this index. `write` gets its column. */
export function addToBlock(
  text: EditableText,
  slots: readonly Slot[],
  index: number,
  style: Style,
  write: (column: number) => string,
): Patch[][] {
  const first = slots[0]!;
  const column = text.column(first.start);
  const spaces = ' '.repeat(column);
  if (index > 0) {
    const { end } = slots[index - 1]!;
    const at = text.lineEnd(end);
    return text.endsLine(end) ? [[{ from: at, to: at, insert: style.eol + spaces + write(column) }]] : [];
  }
  const above = text.beginsLine(first.start) ? text.commentsAbove(first.start) : 0;
  // Comments at the head of the file are about the file.
  const isHead = above === 0;
  const at = isHead ? first.start : above;
  const insert = isHead ? write(column) + style.eol + spaces : spaces + write(column) + style.eol;
  return [[{ from: at, to: at, insert }]];
}

/** Removes a pair or item that is not the only one, with its comments. */
export function removeFromBlock(text: EditableText, slots: readonly Slot[], index: number): Patch[][] {
  const { start, end } = slots[index]!;
  if (!text.endsLine(end)) return [];
  if (!text.beginsLine(start)) {
    // It follows a dash, and what comes next takes its place there.
    const next = slots[index + 1];
    if (next === undefined) return [];
    const gap = text.text.slice(text.nextLine(end), next.start);
    const to = text.nextLine(end) + (/^\s*/.exec(gap)?.[0].length ?? 0);
    return [[{ from: start, to, insert: '' }]];
  }
  const to = text.nextLine(end);
  let from = text.commentsAbove(start);
  const previous = slots[index - 1];
  if (previous !== undefined) from = Math.max(from, text.nextLine(previous.end));
  // A text without a newline at its end keeps none.
  const isLast = to === text.text.length && text.lineEnd(end) === to && from > 0;
  return [[{ from: isLast ? from - (text.text[from - 2] === '\r' ? 2 : 1) : from, to, insert: '' }]];
}

/** Another value behind the colon or the dash of a slot. */
export function setInBlock(text: EditableText, slot: Slot, value: Json, style: Style): Patch[][] {
  const { mark, end, value: node } = slot;
  if (mark === null) return [];
  const after = slot.key === null ? '-' : ':';
  const written = blockText(value, style, text.column(slot.start), after);
  const simple = replaceLines(text, slot, mark, written, style);
  // A block scalar would take a comment that is indented further as a part of it.
  const flow = replaceLines(text, slot, mark, ` ${flowText(value, style)}`, style);
  if (!isScalar(node) || typeof value !== 'string') return [simple, flow];
  if (isBlockScalar(node)) return [...inBlockScalar(text, slot, value, style), simple, flow];
  const quotes = quotesOf(node);
  const isWritten = end > node.range[0];
  if (!isWritten || (value.includes('\n') && quotes === null)) return [simple, flow];
  const same = quotes === null ? scalarText(value, style, false) : quoted(value, quotes);
  return [[{ from: node.range[0], to: end, insert: same }], simple, flow];
}

/**
 * Replaces what follows a mark. Its first line goes where the first line was, before the comment
 * there, and the other lines behind the comment.
 */
function replaceLines(
  text: EditableText,
  { value: node, end }: Slot,
  mark: number,
  written: string,
  { eol }: Style,
): Patch[] {
  const line = text.lineEnd(mark);
  const cut = written.indexOf(eol);
  const head = cut === -1 ? written : written.slice(0, cut);
  const tail = cut === -1 ? '' : written.slice(cut);
  const isBelow = node !== null && isCollection(node) && node.range[0] > line;
  const header = isBlockScalar(node) ? /^[ \t]*[|>][-+\d]*/.exec(text.text.slice(mark, line)) : null;
  if (end > line && (isBelow || header !== null))
    return [
      { from: mark, to: mark + (header?.[0].length ?? 0), insert: head },
      { from: line, to: end, insert: tail },
    ];
  const last = text.lineEnd(end);
  if (tail === '' || last === end) return [{ from: mark, to: end, insert: written }];
  return [
    { from: mark, to: end, insert: head },
    { from: last, to: last, insert: tail },
  ];
}

/** The lines of a block scalar, with its header kept; else with another way to end. */
function inBlockScalar(text: EditableText, slot: Slot, value: string, style: Style): Patch[][] {
  const { value: node, end } = slot;
  const start = node!.range[0];
  const line = text.lineEnd(start);
  const body = text.text.slice(line, end).replace(/^\r?\n/, '');
  const first = body.split(/\r?\n/).find((each) => each.trim() !== '');
  const spaces = first === undefined ? null : /^ */.exec(first)![0].length;
  const indent = spaces ?? text.column(slot.start) + style.unit;
  const isFolded = isScalar(node) && node.type === 'BLOCK_FOLDED';
  const unended = value.replace(/\n$/, '');
  const lines = isFolded ? unended.replaceAll(/(?<=\S)\n+(?=\S)/g, (breaks) => `${breaks}\n`) : unended;
  const written = { from: line, to: end, insert: style.eol + indented(lines, indent, style.eol) };
  const header = /^[|>]([-+\d]*)/.exec(text.text.slice(start, line))?.[1] ?? '';
  const chomping = header.replaceAll(/[-+]/g, '');
  const others = ['', '-', '+'].map((end_): Patch[] => [
    { from: start + 1, to: start + 1 + header.length, insert: chomping + end_ },
    written,
  ]);
  return [[written], ...others];
}
