import { isMap, isScalar } from 'yaml';
import { parseJson, type Json } from '../../kernel/json.ts';
import { parseYaml } from '../yaml.ts';
import { addToBlock, removeFromBlock, setInBlock } from './block.ts';
import { addToFlow, removeFromFlow, setInFlow } from './flow.ts';
import { isSame, positionAfter, smallestOperations, Unfit, valueAfter, type Operation } from './operation.ts';
import { applyPatches, composePatches, type Patch } from './patches.ts';
import { blockText, flowText, quoted, scalarText, type Style } from './print.ts';
import { EditableText, isCollection, quotesOf, type Collection, type Slot } from './tree.ts';

export type { Operation } from './operation.ts';
export { applyPatches, invertPatches, type Patch } from './patches.ts';

/** The patches in order, and the text after them; or why it must be edited by hand. */
type Edited =
  | { readonly ok: true; readonly patches: readonly Patch[]; readonly text: string }
  | { readonly ok: false; readonly why: string };

/** The largest text that is edited, in characters. */
const largest = 4 * 1024 * 1024;

const byHand = 'this part cannot be changed here: edit it as text';

/**
 * Changes the value of a source text in YAML or JSON, by patches that touch only the changed pairs
 * and items: every other byte stays, comments, quotes, indentation and line ends included. The
 * result is parsed and compared with what is meant; if they differ, nothing changes.
 */
export function edit(text: string, ...operations: readonly Operation[]): Edited {
  const bom = text.startsWith('\ufeff') ? 1 : 0;
  const original = text.slice(bom);
  let here = original;
  let patches: readonly Patch[] = [];
  for (const operation of operations) {
    const changed = editOnce(here, operation);
    if (!changed.ok) return changed;
    patches = composePatches(original, patches, changed.patches);
    here = changed.text;
  }
  const moved = patches.map(({ from, to, insert }) => ({ from: from + bom, to: to + bom, insert }));
  return { ok: true, patches: moved, text: text.slice(0, bom) + here };
}

function editOnce(text: string, operation: Operation): Edited {
  const before = valueOf(text);
  if (before === undefined) return { ok: false, why: 'the text has errors: correct them first' };
  try {
    const wanted = valueAfter(before, operation);
    let value = before;
    let here = text;
    let patches: readonly Patch[] = [];
    for (const step of smallestOperations(before, operation)) {
      const next = valueAfter(value, step);
      const found = firstThatSays(here, step, next);
      if (found === null) return { ok: false, why: byHand };
      patches = composePatches(text, patches, found);
      here = applyPatches(here, found);
      value = next;
    }
    return isSame(value, wanted) ? { ok: true, patches, text: here } : { ok: false, why: byHand };
  } catch (error) {
    if (!(error instanceof Unfit)) throw error;
    return { ok: false, why: error.message };
  }
}

/** Undefined: the text has errors. */
function valueOf(text: string): Json | undefined {
  const read = parseYaml(text, '', 1, largest);
  return read.ok ? read.value.value : undefined;
}

/** The first way to make a change after which the text says what is meant. */
function firstThatSays(text: string, operation: Operation, wanted: Json): readonly Patch[] | null {
  const isJson = parseJson(text) !== undefined;
  for (const patches of waysTo(new EditableText(text), operation, isJson)) {
    const changed = applyPatches(text, patches);
    const says = valueOf(changed);
    if (says !== undefined && isSame(says, wanted) && (!isJson || parseJson(changed) !== undefined))
      return patches;
  }
  return null;
}

function waysTo(text: EditableText, operation: Operation, isJson: boolean): readonly Patch[][] {
  const { path } = operation;
  const parent = text.nodeAt(path.slice(0, -1));
  const key = path.at(-1);
  if (key === undefined) return operation.do === 'set' ? setRoot(text, operation.value, isJson) : [];
  if (!isCollection(parent)) return [];
  if (operation.do === 'add') return waysToAdd(text, parent, operation, isJson);
  const slot = text.slotIn(parent, key);
  if (slot === undefined) return [];
  const style = styleOf(text, isJson);
  switch (operation.do) {
    case 'set':
      return (parent.flow === true ? setInFlow : setInBlock)(text, slot, operation.value, style);
    case 'rename':
      return rename(slot, operation.name, style, parent.flow === true);
    case 'remove':
      return waysToRemove(text, parent, slot, path.slice(0, -1), isJson);
  }
}

function rename({ key }: Slot, name: string, style: Style, inFlow: boolean): Patch[][] {
  if (key?.range == null) return [];
  const [from, to] = key.range;
  const quotes = quotesOf(key);
  const written = quotes === null ? scalarText(name, style, inFlow) : quoted(name, quotes);
  return [[{ from, to, insert: written }], [{ from, to, insert: JSON.stringify(name) }]];
}

function waysToRemove(
  text: EditableText,
  parent: Collection,
  slot: Slot,
  path: Operation['path'],
  isJson: boolean,
): readonly Patch[][] {
  const slots = text.slotsOf(parent);
  const index = slots.indexOf(slot);
  if (parent.flow === true) return removeFromFlow(text, parent, index);
  if (slots.length > 1) return removeFromBlock(text, slots, index);
  // The last pair of a mapping leaves `{}`: nothing would mean null.
  const value = isMap(parent) ? {} : [];
  return waysTo(text, { do: 'set', path, value }, isJson);
}

function waysToAdd(
  text: EditableText,
  parent: Collection,
  operation: Extract<Operation, { do: 'add' }>,
  isJson: boolean,
): readonly Patch[][] {
  const { path, value } = operation;
  const slots = text.slotsOf(parent);
  const key = path.at(-1)!;
  const style = styleOf(text, isJson);
  const names = slots.map(({ name }) => name ?? '');
  const index = isMap(parent) ? positionAfter(names, operation.after) : Number(key);
  const name = (inFlow: boolean) => `${scalarText(String(key), style, inFlow)}:`;
  if (parent.flow !== true)
    return addToBlock(text, slots, index, style, (column) =>
      isMap(parent)
        ? name(false) + blockText(value, style, column, ':')
        : `-${blockText(value, style, column, '-')}`,
    );
  const flow = addToFlow(text, parent, index, style, (indent) => {
    const written = flowText(value, style, indent);
    return isMap(parent) ? `${name(true)} ${written}` : written;
  });
  if (slots.length > 0 || isJson) return flow;
  const whole = isMap(parent) ? { [String(key)]: value } : [value];
  return [...waysTo(text, { do: 'set', path: path.slice(0, -1), value: whole }, isJson), ...flow];
}

/** Another value for the whole text, behind the comments at its head. */
function setRoot(text: EditableText, value: Json, isJson: boolean): Patch[][] {
  const { root } = text;
  const style = styleOf(text, isJson);
  const written = isJson ? flowText(value, style, 0) : blockText(value, style, -style.unit, ':').trimStart();
  const isBlank = root === null || (isScalar(root) && root.range[0] === root.range[1]);
  const end = text.text.length;
  if (isBlank) return [[{ from: end, to: end, insert: written }]];
  return [[{ from: root.range[0], to: text.endOf(root), insert: written }]];
}

/** How a source text is written; where it does not show that, two spaces and double quotes. */
function styleOf(text: EditableText, json: boolean): Style {
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
