import { useEffect, useRef } from 'preact/hooks';
import { oneLine } from '../../kernel/one-line.ts';
import { focusedStep, moveTo, onStepClick } from './run-choice.ts';
import { layers, neighbour, type Cell, type Edge } from '../graph.ts';
import { ArrowMarker } from '../parts/arrow-marker.tsx';
import { inLowerCase } from '../parts/text.tsx';

/** A step as the graph draws it. */
export interface GraphStep {
  readonly id: string;
  /** Below its name: who does it, or its status. */
  readonly about: string;
  readonly tone: string;
  readonly shape: 'step' | 'gate' | 'condition' | 'body';
  /** Where it leads; null: nowhere. */
  readonly href: string | null;
}

/** A kind of step in the words of the graph of a run. */
export function kindInWords(kind: string): string {
  return kind === 'CUSTOM' ? 'script' : inLowerCase(kind.replace(/_(CODE|CLI)$/, ''));
}

interface GraphEdge extends Edge {
  readonly label: string;
}

const box = { width: 142, height: 44 };
const gap = { x: 28, y: 14 };
/** The share of its size to which a drawing that is too wide shrinks; a wider one scrolls. */
const smallest = 0.75;
/** Above this number of steps a drawing is not read any more; the table has them all. */
const mostDrawn = 200;

/** Whether a graph of so many steps says more than a table. */
export function isDrawn(steps: number): boolean {
  return steps > 1 && steps <= mostDrawn;
}

interface Props {
  readonly steps: readonly GraphStep[];
  readonly edges: readonly GraphEdge[];
  /** The step that is chosen, of those that can be; null: none is. */
  readonly chosen?: string | null;
}

/** The steps and what each needs, from left to right. Arrow keys move the choice. */
export function StepGraph({ steps, edges, chosen = null }: Props) {
  const frame = useRef<HTMLDivElement>(null);
  useEffect(() => bringIntoSight(frame.current, chosen), [chosen]);
  if (!isDrawn(steps.length)) return null;
  const names = steps.map(({ id }) => id);
  const cells = layers(names, edges);
  const size = (of: (cell: Cell) => number) => Math.max(...[...cells.values()].map(of)) + 1;
  const hasJumps = edges.some(({ from, to }) => isBack(cells, from, to));
  const [width, height] = [
    size(({ column }) => column) * (box.width + gap.x) - gap.x + 4,
    size(({ row }) => row) * (box.height + gap.y) - gap.y + (hasJumps ? 32 : 4),
  ];
  const narrowest = Math.min(width, Math.max(width * smallest, 300));
  const onKeyDown = (event: KeyboardEvent) => {
    const from = focusedStep(event) ?? chosen;
    const next = from === null ? null : neighbour(cells, from, event.key);
    if (next === null) return;
    event.preventDefault();
    moveTo(next, event.currentTarget);
  };
  return (
    <div
      class="scroll graph fill"
      ref={frame}
      onKeyDown={onKeyDown}
      tabIndex={0}
      role="group"
      aria-label="Graph of the steps"
    >
      <svg
        viewBox={`0 0 ${String(width)} ${String(height)}`}
        style={{ maxWidth: `${String(width)}px`, minWidth: `${String(narrowest)}px` }}
      >
        <defs>
          <ArrowMarker id="step-arrow" />
        </defs>
        {edges.map((edge) => (
          <Connection key={`${edge.from} ${edge.to} ${edge.label}`} edge={edge} cells={cells} />
        ))}
        {steps.map((step) => (
          <Node key={step.id} step={step} cell={cells.get(step.id)!} isChosen={step.id === chosen} />
        ))}
      </svg>
    </div>
  );
}

/** Scrolls the graph, and nothing around it. */
function bringIntoSight(frame: HTMLElement | null, chosen: string | null): void {
  const found = [...(frame?.querySelectorAll('[data-path]') ?? [])];
  const node = found.find((each) => each.getAttribute('data-path') === chosen);
  if (frame === null || node === undefined) return;
  const [outer, inner] = [frame.getBoundingClientRect(), node.getBoundingClientRect()];
  const rim = 12;
  const by = (from: number, to: number, low: number, high: number) =>
    from < low + rim ? from - low - rim : Math.max(0, to - high + rim);
  frame.scrollLeft += by(inner.left, inner.right, outer.left, outer.right);
  frame.scrollTop += by(inner.top, inner.bottom, outer.top, outer.bottom);
}

function placeOf({ column, row }: Cell) {
  return { x: 2 + column * (box.width + gap.x), y: 2 + row * (box.height + gap.y) };
}

function isBack(cells: ReadonlyMap<string, Cell>, from: string, to: string): boolean {
  return (cells.get(to)?.column ?? 0) <= (cells.get(from)?.column ?? 0);
}

function Connection({
  edge,
  cells,
}: {
  readonly edge: GraphEdge;
  readonly cells: ReadonlyMap<string, Cell>;
}) {
  const [from, to] = [cells.get(edge.from), cells.get(edge.to)].map((cell) => cell && placeOf(cell));
  if (from === undefined || to === undefined) return null;
  const d = isBack(cells, edge.from, edge.to)
    ? jump(from, to)
    : isBlocked(cells, edge)
      ? detour(from, to)
      : line(from, to);
  return (
    <path class={`edge ${edge.label === '' ? '' : 'labelled'}`} d={d} marker-end="url(#step-arrow)">
      {edge.label !== '' && <title>{oneLine(edge.label, 80)}</title>}
    </path>
  );
}

interface Place {
  readonly x: number;
  readonly y: number;
}

/** From the end of a box to the start of a later one. */
function line(from: Place, to: Place): string {
  const [x1, y1] = [from.x + box.width, from.y + box.height / 2];
  const [x2, y2] = [to.x, to.y + box.height / 2];
  const bend = Math.max(20, Math.min(60, (x2 - x1) / 2));
  return ['M', x1, y1, 'C', x1 + bend, y1, x2 - bend, y2, x2, y2].join(' ');
}

/** Whether a box lies where the line of an edge would be. */
function isBlocked(cells: ReadonlyMap<string, Cell>, { from, to }: Edge): boolean {
  const [a, b] = [cells.get(from)!, cells.get(to)!];
  if (b.column - a.column < 2) return false;
  return [...cells.values()].some(({ column, row }) => {
    const along = (column - a.column) / (b.column - a.column);
    return along > 0 && along < 1 && Math.abs(a.row + along * (b.row - a.row) - row) < 1;
  });
}

/** Between two rows of boxes, where nothing lies. */
function detour(from: Place, to: Place): string {
  const [x1, y1] = [from.x + box.width, from.y + box.height / 2];
  const [x2, y2] = [to.x, to.y + box.height / 2];
  const between = to.y < from.y ? from.y - gap.y / 2 - 1 : from.y + box.height + gap.y / 2 - 1;
  const bend = gap.x / 2;
  const down = ['M', x1, y1, 'C', x1 + bend, y1, x1 + bend, between, x1 + gap.x, between];
  return [...down, 'H', x2 - gap.x, 'C', x2 - bend, between, x2 - bend, y2, x2, y2].join(' ');
}

/** Back below the boxes, to an earlier step or the same one. */
function jump(from: Place, to: Place): string {
  const isSame = from.x === to.x && from.y === to.y;
  const shift = isSame ? 24 : 0;
  const [x1, y1] = [from.x + box.width / 2 + shift, from.y + box.height];
  const [x2, y2] = [to.x + box.width / 2 - shift, to.y + box.height];
  const low = Math.max(y1, y2) + 26;
  return ['M', x1, y1, 'C', x1, low, x2, low, x2, y2].join(' ');
}

interface NodeProps {
  readonly step: GraphStep;
  readonly cell: Cell;
  readonly isChosen: boolean;
}

function Node({ step, cell, isChosen }: NodeProps) {
  const { id, about, tone, shape, href } = step;
  const { x, y } = placeOf(cell);
  const drawn = (
    <g class={`node ${tone} ${shape} ${isChosen ? 'chosen' : ''}`}>
      <title>{`${oneLine(id, 120)}: ${oneLine(about, 120)}`}</title>
      {shape === 'body' && <rect x={x + 3} y={y + 3} width={box.width} height={box.height - 2} rx="7" />}
      <rect x={x} y={y} width={box.width} height={box.height - 2} rx={shape === 'gate' ? 20 : 7} />
      <text x={x + 10} y={y + 18}>
        {oneLine(id, 17)}
      </text>
      <text class="sub" x={x + 10} y={y + 33}>
        {oneLine(about, 21)}
      </text>
    </g>
  );
  if (href === null) return drawn;
  return (
    <a
      href={href}
      data-row
      data-path={id}
      aria-current={isChosen ? 'true' : undefined}
      onClick={onStepClick(id)}
    >
      {drawn}
    </a>
  );
}
