import { oneLine } from '../../kernel/one-line.ts';
import { layers, type Cell, type Edge } from '../graph.ts';
import { ArrowMarker } from '../parts/arrow-marker.tsx';

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

interface GraphEdge extends Edge {
  readonly label: string;
}

const box = { width: 150, height: 44 };
const gap = { x: 48, y: 14 };
/** The share of its size to which a drawing that is too wide shrinks; a wider one scrolls. */
const smallest = 0.75;
/** Above this number of steps a drawing is not read any more; the table has them all. */
const mostDrawn = 200;

/** The steps and what each needs, from left to right; the table below it has the same. */
export function StepGraph({
  steps,
  edges,
}: {
  readonly steps: readonly GraphStep[];
  readonly edges: readonly GraphEdge[];
}) {
  if (steps.length < 2 || steps.length > mostDrawn) return null;
  const names = steps.map(({ id }) => id);
  const cells = layers(names, edges);
  const size = (of: (cell: Cell) => number) => Math.max(...[...cells.values()].map(of)) + 1;
  const hasJumps = edges.some(({ from, to }) => isBack(cells, from, to));
  const [width, height] = [
    size(({ column }) => column) * (box.width + gap.x) - gap.x + 4,
    size(({ row }) => row) * (box.height + gap.y) - gap.y + (hasJumps ? 32 : 4),
  ];
  return (
    <div class="scroll graph" tabIndex={0} role="group" aria-label="Graph of the steps">
      <svg
        viewBox={`0 0 ${String(width)} ${String(height)}`}
        style={{ maxWidth: width, minWidth: Math.min(width, Math.max(width * smallest, 300)) }}
      >
        <defs>
          <ArrowMarker id="step-arrow" />
        </defs>
        {edges.map((edge) => (
          <Connection key={`${edge.from} ${edge.to} ${edge.label}`} edge={edge} cells={cells} />
        ))}
        {steps.map((step) => (
          <Node key={step.id} step={step} cell={cells.get(step.id)!} />
        ))}
      </svg>
    </div>
  );
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
  const d = isBack(cells, edge.from, edge.to) ? jump(from, to) : line(from, to);
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
  return `M${String(x1)} ${String(y1)}C${String(x1 + bend)} ${String(y1)} ${String(x2 - bend)} ${String(y2)} ${String(x2)} ${String(y2)}`;
}

/** Back below the boxes, to an earlier step or the same one. */
function jump(from: Place, to: Place): string {
  const isSame = from.x === to.x && from.y === to.y;
  const shift = isSame ? 24 : 0;
  const [x1, y1] = [from.x + box.width / 2 + shift, from.y + box.height];
  const [x2, y2] = [to.x + box.width / 2 - shift, to.y + box.height];
  const low = Math.max(y1, y2) + 26;
  return `M${String(x1)} ${String(y1)}C${String(x1)} ${String(low)} ${String(x2)} ${String(low)} ${String(x2)} ${String(y2)}`;
}

function Node({ step, cell }: { readonly step: GraphStep; readonly cell: Cell }) {
  const { id, about, tone, shape, href } = step;
  const { x, y } = placeOf(cell);
  const drawn = (
    <g class={`node ${tone} ${shape}`}>
      <title>{`${oneLine(id, 120)}: ${oneLine(about, 120)}`}</title>
      {shape === 'body' && <rect x={x + 3} y={y + 3} width={box.width} height={box.height - 2} rx="7" />}
      <rect x={x} y={y} width={box.width} height={box.height - 2} rx={shape === 'gate' ? 20 : 7} />
      <text x={x + 12} y={y + 18}>
        {oneLine(id, 18)}
      </text>
      <text class="sub" x={x + 12} y={y + 33}>
        {oneLine(about, 22)}
      </text>
    </g>
  );
  if (href === null) return drawn;
  return <a href={href}>{drawn}</a>;
}
