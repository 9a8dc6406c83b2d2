import { isMap } from 'yaml';
import type { Json } from '../../kernel/json.ts';
import type { Patch } from './patches.ts';
import { flowText, quoted, type Style } from './print.ts';
import { quotesOf, type Collection, type EditableText, type Slot } from './tree.ts';

/* Changes of collections between brackets, JSON among them. As in block.ts: the best way first. */

/** A new pair or item before the one with this index. */
export function addToFlow(
  text: EditableText,
  collection: Collection,
  index: number,
  style: Style,
  write: (indent: number | null) => string,
): Patch[][] {
  const slots = text.slotsOf(collection);
  const [start, close] = [collection.range[0] + 1, collection.range[1] - 1];
  const first = slots[0];
  if (first === undefined) {
    const padding = isMap(collection) && !style.json ? style.padding : '';
    return [[{ from: start, to: close, insert: padding + write(null) + padding }]];
  }
  const gap = gapOf(text, slots, start);
  const isInLines = gap.includes('\n');
  const indent = isInLines ? text.column(first.start) : null;
  const written = write(indent);
  if (index < slots.length) {
    const at = slots[index]!.start;
    return [[{ from: at, to: at, insert: `${written},${gap}` }]];
  }
  const { end } = slots.at(-1)!;
  const line = text.lineEnd(end);
  const rest = text.text.slice(end, Math.min(line, close));
  // A comment stays with the item before it.
  if (isInLines && /^,?[ \t]+#/.test(rest)) {
    const comma = rest.startsWith(',') ? [] : [{ from: end, to: end, insert: ',' }];
    return [[...comma, { from: line, to: line, insert: gap + written }]];
  }
  return [[{ from: end, to: end, insert: `,${gap}${written}` }]];
}

/** The white space behind a comma. */
function gapOf(text: EditableText, slots: readonly Slot[], start: number): string {
  const [first, second] = slots;
  const between = second === undefined ? '' : text.text.slice(first!.end, second.start);
  if (/^\s*,\s*$/.test(between)) return between.slice(between.indexOf(',') + 1);
  const before = text.text.slice(start, first!.start);
  const newline = before.lastIndexOf('\n');
  if (newline === -1) return ' ';
  return before.slice(before[newline - 1] === '\r' ? newline - 1 : newline);
}

/** Removes a pair or item, with one comma and, in lines, with its comments. */
export function removeFromFlow(text: EditableText, collection: Collection, index: number): Patch[][] {
  const slots = text.slotsOf(collection);
  const { start, end } = slots[index]!;
  if (slots.length === 1)
    return [[{ from: collection.range[0] + 1, to: collection.range[1] - 1, insert: '' }]];
  const [previous, next] = [slots[index - 1], slots[index + 1]];
  const comma = text.text.startsWith(',', end) ? end + 1 : end;
  if (text.beginsLine(start) && text.endsLine(comma)) {
    const above = text.commentsAbove(start);
    const from = Math.max(above, previous === undefined ? 0 : text.nextLine(previous.end));
    const lines = { from, to: text.nextLine(end), insert: '' };
    const isClosed = previous === undefined || next !== undefined || comma > end;
    const before = isClosed ? [] : commaBetween(text, previous.end, from);
    return [[...before, lines]];
  }
  if (next !== undefined) return [[{ from: start, to: next.start, insert: '' }]];
  return [[{ from: previous!.end, to: end, insert: '' }]];
}

function commaBetween(text: EditableText, from: number, to: number): Patch[] {
  const at = text.text.slice(from, to).indexOf(',');
  return at === -1 ? [] : [{ from: from + at, to: from + at + 1, insert: '' }];
}

/** Another value for a pair or item. */
export function setInFlow(text: EditableText, slot: Slot, value: Json, style: Style): Patch[][] {
  const { value: node, mark, end, start } = slot;
  const isInLines = text.beginsLine(start);
  const written = flowText(value, style, isInLines ? text.column(start) : null);
  if (node === null || node.range[0] === node.range[1]) {
    const insert = mark === null ? `: ${written}` : ` ${written}`;
    return [[{ from: end, to: end, insert }]];
  }
  const patch = (insert: string): Patch[] => [{ from: node.range[0], to: end, insert }];
  if (typeof value !== 'string' || style.json) return [patch(written)];
  const quotes = quotesOf(node);
  return [patch(quotes === null ? written : quoted(value, quotes)), patch(JSON.stringify(value))];
}
