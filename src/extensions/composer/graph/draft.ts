import { formatDuration } from '../../../kernel/duration.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../kernel/json.ts';
import { EditableText, isCollection } from '../../../yaml/edit/tree.ts';
import { blockFinder } from '../../../yaml/blocks.ts';
import type { Path } from '../../../yaml/yaml.ts';
import type { Layout } from '../../../languages/shared/editor.ts';
import type { DraftGraph, DraftStep } from './documents.ts';
import { needsOf, writtenSteps, type WrittenStep } from './written.ts';

/** The graph of a file of a language with dependencies, as far as the file can be read. */
export function draftGraph(file: Json, text: string, layout: Layout): DraftGraph {
  const steps = writtenSteps(file, layout);
  const names = new Set(steps.map(({ id }) => id));
  const linesOf = lineFinder(text);
  const notes = isJsonObject(file) ? finalNote(file['finally']) : [];
  return {
    steps: steps.map((step) => draftStep(step, layout, linesOf(step.path), notes)),
    edges: steps.flatMap(({ id, value }) =>
      needsOf(value)
        .filter(({ step }) => names.has(step))
        .map(({ step, when }) => ({ from: step, to: id, when, implied: false })),
    ),
    notes,
  };
}

/** What runs whatever happened is not in the graph. */
function finalNote(steps: Json | undefined): string[] {
  if (!isJsonObject(steps) || Object.keys(steps).length === 0) return [];
  const names = Object.keys(steps).map((id) => `\`${id}\``);
  return [`after all of these, whatever happened: ${names.join(', ')} (\`finally\`, in the text)`];
}

function draftStep(
  { id, path, value }: WrittenStep,
  layout: Layout,
  lines: DraftStep['lines'],
  notes: string[],
): DraftStep {
  const ui = isJsonObject(value['ui']) ? value['ui'] : {};
  const condition = value[layout.condition];
  const position = positionIn(ui);
  if (ui['position'] !== undefined && position === null)
    notes.push(`\`ui.position\` of \`${id}\` is not \`[x, y]\`: it is placed automatically`);
  return {
    id,
    name: textOr(value['name']),
    kind: layout.kinds.find(({ fits }) => fits(value))?.name ?? 'step',
    path,
    lines,
    badges: badgesOf(value),
    condition: typeof condition === 'boolean' ? String(condition) : textOr(condition),
    position,
    color: textOr(ui['color']),
    icon: textOr(ui['icon']),
  };
}

function textOr(value: Json | undefined): string | null {
  return typeof value === 'string' ? value : null;
}

/** The farthest place, in pixels from the origin. */
const farthest = 1e6;

function positionIn({ position }: JsonObject): readonly [number, number] | null {
  if (!Array.isArray(position) || position.length !== 2) return null;
  const [x, y] = position;
  const isPlace = (at: Json | undefined): at is number => typeof at === 'number' && Math.abs(at) <= farthest;
  return isPlace(x) && isPlace(y) ? [x, y] : null;
}

function badgesOf(step: JsonObject): string[] {
  const policy = isJsonObject(step['error_policy']) ? step['error_policy'] : {};
  const timeout = step['timeout'] ?? policy['timeout'];
  const retries = step['max_retries'];
  const loop = step['for_each'] ?? step['while'] ?? step['fan_out'];
  const inner = isJsonObject(loop) && isJsonObject(loop['steps']) ? Object.keys(loop['steps']).length : 0;
  return [
    ...(policy['retry'] !== undefined || (typeof retries === 'number' && retries > 0) ? ['retry'] : []),
    ...(typeof timeout === 'string' ? [`timeout ${timeout}`] : []),
    ...(typeof timeout === 'number' ? [`timeout ${formatDuration(timeout)}`] : []),
    ...(inner > 0 ? [`${String(inner)} inside`] : []),
  ];
}

/** Finds the first and last line of what is at a path. */
function lineFinder(text: string): (path: Path) => readonly [number, number] | null {
  const plain = text.replace(/^\ufeff/, '');
  const starts = lineStarts(plain);
  const blockAt = blockFinder(plain);
  // Parsing takes most of the time, and most texts show by their lines where steps begin.
  let tree: EditableText | null = null;
  const slotAt = (path: Path): readonly [number, number] | null => {
    tree ??= new EditableText(plain);
    const slot = tree.slotIn(tree.nodeAt(path.slice(0, -1)), path.at(-1) ?? '');
    return slot === undefined ? null : [slot.start, slot.end];
  };
  return (path) => {
    const found = blockAt(path) ?? slotAt(path);
    return found && [lineOf(starts, found[0]), lineOf(starts, found[1])];
  };
}

function lineStarts(text: string): number[] {
  return [0, ...[...text.matchAll(/\n/g)].map(({ index }) => index + 1)];
}

/** The number of the line with an offset, from 1. */
function lineOf(starts: readonly number[], offset: number): number {
  let low = 0;
  let high = starts.length;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (starts[middle]! <= offset) low = middle;
    else high = middle;
  }
  return low + 1;
}

/** Finds the path of the smallest pair or item around a place; lines and columns count from 1. */
export function pathFinder(text: string): (line: number, column: number) => Path {
  const tree = new EditableText(text.replace(/^\ufeff/, ''));
  const starts = lineStarts(tree.text);
  return (line, column) => {
    const at = (starts[line - 1] ?? 0) + column - 1;
    const path: (string | number)[] = [];
    let node = tree.root;
    while (isCollection(node)) {
      const slots = tree.slotsOf(node);
      const index = slots.findLastIndex(({ start }) => start <= at);
      const slot = slots[index];
      if (slot === undefined || at > slot.end) return path;
      path.push(slot.name ?? index);
      node = slot.value;
    }
    return path;
  };
}
