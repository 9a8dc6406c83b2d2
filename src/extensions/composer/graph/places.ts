import { isJsonObject, valueAt, type Json, type JsonObject } from '../../../kernel/json.ts';
import { ownValue } from '../../../kernel/own.ts';
import { applyPatches } from '../../../yaml/edit/edit.ts';
import type { Operation } from '../../../yaml/edit/edit.ts';
import { isSame, valueAfter } from '../../../yaml/edit/operation.ts';
import { EditableText, isCollection, type Slot } from '../../../yaml/edit/tree.ts';
import { parseYaml, type Path } from '../../../yaml/yaml.ts';
import { refused, type Acted, type Acting } from './acting.ts';
import { writtenSteps } from './written.ts';

/* Where steps are: on the canvas, and in the file. */

/** Operations that place steps on the canvas, in pixels. */
export function move(
  { steps }: Acting,
  positions: Readonly<Record<string, readonly [number, number]>>,
): Operation[] {
  return steps.flatMap(({ id, path, value }): Operation[] => {
    const place = ownValue(positions, id)?.map(Math.round);
    if (place === undefined) return [];
    const { ui } = value;
    const own = [...path, 'ui'];
    if (!isJsonObject(ui))
      return [{ do: ui === undefined ? 'add' : 'set', path: own, value: { position: place } }];
    const isNew = ui['position'] === undefined;
    return [{ do: isNew ? 'add' : 'set', path: [...own, 'position'], value: place }];
  });
}

/** Operations after which the layout places all steps. */
export function arrange({ steps }: Acting): Operation[] {
  return steps.flatMap(({ path, value: { ui } }): Operation[] => {
    if (!isJsonObject(ui) || ui['position'] === undefined) return [];
    const own = [...path, 'ui'];
    return [{ do: 'remove', path: Object.keys(ui).length === 1 ? own : [...own, 'position'] }];
  });
}

/** How far a copy is shown from its original, in pixels. */
const beside = 40;

/** The step as a copy of it is placed. */
export function copied(step: JsonObject): JsonObject {
  const { ui } = step;
  if (!isJsonObject(ui) || !Array.isArray(ui['position'])) return step;
  const position = ui['position'].map((at: Json) => (typeof at === 'number' ? at + beside : at));
  return { ...step, ui: { ...ui, position } };
}

/**
 * Moves the lines of a step, with the comments directly above it, before another one; null: behind
 * the last. Only steps with lines of their own.
 */
export function reorder({ text, file, steps, layout }: Acting, step: string, before: string | null): Acted {
  if (step === before) return { ok: true, patches: [], notes: [] };
  const bom = text.startsWith('\ufeff') ? 1 : 0;
  const tree = new EditableText(text.slice(bom));
  const byHand = refused('these steps are not in lines of their own: move them in the text');
  const own = linesOf(tree, slotOf(tree, step));
  const last = steps.at(-1)!.id;
  const target = linesOf(tree, slotOf(tree, before ?? last));
  if (own === null || target === null || !tree.text.endsWith('\n')) return byHand;
  const at = before === null ? target.to : target.from;
  const lines = tree.text.slice(own.from, own.to);
  const patches = [
    { from: own.from, to: own.to, insert: '' },
    { from: at, to: at, insert: lines },
  ]
    .toSorted((a, b) => a.from - b.from)
    .map(({ from, to, insert }) => ({ from: from + bom, to: to + bom, insert }));
  const read = parseYaml(applyPatches(text, patches), '', 1, text.length + 1);
  const others = steps.map(({ id }) => id).filter((id) => id !== step);
  const wanted = others.toSpliced(before === null ? others.length : others.indexOf(before), 0, step);
  if (!read.ok) return byHand;
  const after = writtenSteps(read.value.value, layout);
  const isKept = (id: string) =>
    JSON.stringify(after.find((each) => each.id === id)?.value) ===
    JSON.stringify(steps.find((each) => each.id === id)?.value);
  const says = after.map(({ id }) => id);
  if (says.join('\n') !== wanted.join('\n') || !wanted.every(isKept)) return byHand;
  return isSameBeside(file, read.value.value, layout.steps) ? { ok: true, patches, notes: [] } : byHand;

  function slotOf(from: EditableText, id: string): Slot | undefined {
    const { path } = steps.find((each) => each.id === id)!;
    return from.slotIn(from.nodeAt(path.slice(0, -1)), path.at(-1)!);
  }
}

/**
 * The item of a list changes places with the one before it: in a block with its line and the
 * comments above it.
 */
export function swap({ text, file }: Acting, path: Path): Acted {
  const bom = text.startsWith('\ufeff') ? 1 : 0;
  const tree = new EditableText(text.slice(bom));
  const [list, index] = [path.slice(0, -1), Number(path.at(-1))];
  const [value, parent] = [valueAt(file, list), tree.nodeAt(list)];
  if (!Array.isArray(value) || !isCollection(parent))
    return refused(`there is no list \`${list.join('.')}\``);
  const rangeOf = (key: number) => {
    const slot = tree.slotIn(parent, key);
    return parent.flow === true ? slot && { from: slot.start, to: slot.end } : linesOf(tree, slot);
  };
  const [above, own] = [rangeOf(index - 1), rangeOf(index)];
  const byHand = refused('these items cannot change places here: move them in the text');
  if (above == null || own == null) return byHand;
  const patches = [
    { ...above, insert: tree.text.slice(own.from, own.to) },
    { ...own, insert: tree.text.slice(above.from, above.to) },
  ].map(({ from, to, insert }) => ({ from: from + bom, to: to + bom, insert }));
  const read = parseYaml(applyPatches(text, patches), '', 1, text.length + 1);
  const [before, moved] = [value[index - 1]!, value[index]!];
  const wanted = value.with(index - 1, moved).with(index, before);
  return read.ok && isSame(read.value.value, valueAfter(file, { do: 'set', path: list, value: wanted }))
    ? { ok: true, patches, notes: [] }
    : byHand;
}

/** The lines of a step or an item with its comments; null: other things are in them, too. */
function linesOf(
  tree: EditableText,
  slot: Slot | undefined,
): { readonly from: number; readonly to: number } | null {
  if (slot === undefined || !tree.beginsLine(slot.start) || !tree.endsLine(slot.end)) return null;
  return { from: tree.commentsAbove(slot.start), to: tree.nextLine(slot.end) };
}

function isSameBeside(one: Json, other: Json, key: string): boolean {
  const rest = (file: Json) => (isJsonObject(file) ? { ...file, [key]: null } : file);
  return JSON.stringify(rest(one)) === JSON.stringify(rest(other));
}
