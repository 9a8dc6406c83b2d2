import { isMap, isScalar } from 'yaml';
import type { Style } from './print.ts';
import { isCollection, type Collection, type EditableText } from './tree.ts';

/** How a source text is written; where it does not show that, two spaces and double quotes. */
export function styleOf(text: EditableText, json: boolean): Style {
  const seen = { single: 0, double: 0, unit: null as number | null, padding: null as '' | ' ' | null };
  const waiting: Collection[] = isCollection(text.root) ? [text.root] : [];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    const inFlow = node.flow === true;
    const slots = text.slotsOf(node);
    if (inFlow && isMap(node) && slots.length > 0)
      seen.padding ??= text.text[node.range[0] + 1] === ' ' ? ' ' : '';
    for (const { value, start, key } of slots) {
      for (const scalar of [key, value]) {
        if (!isScalar(scalar)) continue;
        if (scalar.type === 'QUOTE_SINGLE') seen.single += 1;
        if (scalar.type === 'QUOTE_DOUBLE') seen.double += 1;
      }
      if (!isCollection(value)) continue;
      waiting.push(value);
      const inner = text.slotsOf(value)[0];
      const isInLines = inner !== undefined && key !== null && text.beginsLine(inner.start);
      if (isInLines && text.beginsLine(start) && seen.unit === null)
        seen.unit = text.column(inner.start) - text.column(start) || null;
    }
  }
  return {
    json,
    quote: seen.single > seen.double ? "'" : '"',
    eol: text.text.includes('\r\n') ? '\r\n' : '\n',
    unit: seen.unit !== null && seen.unit > 0 ? seen.unit : 2,
    padding: seen.padding ?? ' ',
  };
}
