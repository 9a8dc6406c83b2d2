import dagre from '@dagrejs/dagre';
import type { Edge, Frame, Diagram, DiagramNode } from './diagram.ts';

const font = 13;
/** The average width of a letter, as a fraction of the font size: text cannot be measured here. */
const letter = 0.62;
const lineHeight = 18;
const padding = 10;
const margin = 24;

interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

interface Point {
  readonly x: number;
  readonly y: number;
}

/** The drawing as a self-contained SVG document: no script, no style sheet, no font. */
export function svgOf(picture: Diagram): string {
  const layout = layOut(picture);
  const { width = 0, height = 0 } = layout.graph();
  const widths = new Map(picture.nodes.map((node) => [node.path, widthOfNode(node)]));
  // The space that a node reserves for the label of its frame is not part of its box.
  const box = (path: string): Box => {
    const laid = layout.node(path);
    return { ...laid, width: widths.get(path) ?? laid.width };
  };
  const parts = [
    ...picture.frames.map((frame) => frameOf(box(frame.path))),
    ...layout.edges().map(({ v, w, name }) => {
      const edge = picture.edges[Number(name)];
      if (v === w) return loopOf(edge, box(v));
      return edgeOf(edge, between(box(v), layout.edge({ v, w, name }).points, box(w)));
    }),
    ...picture.nodes.map((node) => nodeOf(node, box(node.path))),
    // Above the edges, which pass under them.
    ...picture.frames.map((frame) => frameLabel(frame, box(frame.path))),
  ];
  const size = `width="${round(width)}" height="${round(height)}"`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" ${size} viewBox="0 0 ${round(width)} ${round(height)}" font-family="system-ui, sans-serif" font-size="${String(font)}">`,
    `<title>${escaped(picture.title)}</title>`,
    '<defs><marker id="arrow" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" orient="auto"><path d="M0 0 8 4 0 8z" fill="#57606a"/></marker></defs>',
    `<rect width="100%" height="100%" fill="#ffffff"/>`,
    ...parts,
    '</svg>\n',
  ].join('\n');
}

function layOut({ nodes, frames, edges }: Diagram) {
  const graph = new dagre.graphlib.Graph({ compound: true, multigraph: true });
  // The layout adds rank separation for each border of a frame that may lie between two ranks.
  const borders = 2 * Math.max(0, ...frames.map(({ path }) => path.split('/').length));
  const ranksep = 14 + 30 / (borders + 1);
  graph.setGraph({ rankdir: 'TB', nodesep: 28, ranksep, marginx: margin, marginy: margin });
  for (const { path, label } of frames)
    graph.setNode(path, { width: widthOf(label), height: 2 * lineHeight });
  // A frame is as wide as its content: the first node reserves space for its label.
  const room = new Map<string, number>();
  for (const { path, label } of frames) {
    const first = nodes.find((node) => node.path.startsWith(`${path}/`))?.path ?? path;
    room.set(first, Math.max(room.get(first) ?? 0, widthOf(label)));
  }
  for (const node of nodes)
    graph.setNode(node.path, {
      width: Math.max(widthOfNode(node), (room.get(node.path) ?? 0) + 2 * padding),
      height: 2 * lineHeight + padding,
    });
  for (const { path, frame } of [...frames, ...nodes]) if (frame !== null) graph.setParent(path, frame);
  const framed = new Set(frames.map(({ path }) => path));
  // The layout has no edges to frames: they lead to the first or last node inside.
  const inner = (path: string, last: boolean): string => {
    if (!framed.has(path)) return path;
    const within = nodes.filter((node) => node.path.startsWith(`${path}/`));
    return (last ? within.at(-1) : within[0])?.path ?? path;
  };
  for (const [index, { from, to, label }] of edges.entries())
    graph.setEdge(
      inner(from, true),
      inner(to, false),
      { width: label === '' ? 0 : widthOf(label), height: label === '' ? 0 : lineHeight, labelpos: 'c' },
      String(index),
    );
  dagre.layout(graph);
  return graph;
}

function nodeOf({ name, who, shape }: DiagramNode, { x, y, width, height }: Box): string {
  const [left, top] = [x - width / 2, y - height / 2];
  const radius = shape === 'condition' ? height / 2 : 6;
  const fill = shape === 'gate' ? '#fff8c5' : '#f6f8fa';
  return [
    `<rect x="${round(left)}" y="${round(top)}" width="${round(width)}" height="${round(height)}" rx="${round(radius)}" fill="${fill}" stroke="#57606a"/>`,
    text(name, x, y - 3, 'font-weight="600" fill="#1f2328"'),
    text(who, x, y + lineHeight - 4, 'fill="#57606a"'),
  ].join('\n');
}

function frameOf({ x, y, width, height }: Box): string {
  const [left, top] = [x - width / 2, y - height / 2];
  return `<rect x="${round(left)}" y="${round(top)}" width="${round(width)}" height="${round(height)}" rx="8" fill="none" stroke="#8c959f" stroke-dasharray="5 4"/>`;
}

/** Text with a background, so that lines do not cross it. */
const onGround =
  'fill="#57606a" stroke="#ffffff" stroke-width="5" stroke-linejoin="round" paint-order="stroke"';

function frameLabel({ label }: Frame, { x, y, width, height }: Box): string {
  return text(label, x - width / 2 + 8, y - height / 2 - 5, onGround, 'start');
}

/**
 * An edge from a node to itself, at its right side, where the layout has reserved space for its
 * label.
 */
function loopOf(edge: Edge | undefined, { x, y, width }: Box): string {
  const right = x + width / 2;
  const [far, near] = [round(right + 26), round(right)];
  const curve = `M${near} ${round(y - 8)} C${far} ${round(y - 20)} ${far} ${round(y + 20)} ${near} ${round(y + 8)}`;
  const line = `<path d="${curve}" fill="none" stroke="#57606a" marker-end="url(#arrow)"/>`;
  return `${line}\n${text(edge?.label ?? '', right + 26, y + 4, `${onGround} font-size="11"`, 'start')}`;
}

const strokes: Readonly<Record<Edge['line'], string>> = {
  solid: '',
  dashed: ' stroke-dasharray="5 4"',
  thick: ' stroke-width="2.5"',
};

function edgeOf(edge: Edge | undefined, points: readonly Point[]): string {
  const path = points.map(({ x, y }, index) => `${index === 0 ? 'M' : 'L'}${round(x)} ${round(y)}`).join(' ');
  const line = `<path d="${path}" fill="none" stroke="#57606a"${strokes[edge?.line ?? 'solid']} marker-end="url(#arrow)"/>`;
  const middle = points[Math.floor(points.length / 2)];
  if (edge === undefined || edge.label === '' || middle === undefined) return line;
  return `${line}\n${text(edge.label, middle.x, middle.y, `${onGround} font-size="11"`)}`;
}

function text(words: string, x: number, y: number, style: string, anchor = 'middle'): string {
  return `<text x="${round(x)}" y="${round(y)}" text-anchor="${anchor}" ${style}>${escaped(words)}</text>`;
}

/** An edge with its ends on the borders of its boxes. */
function between(from: Box, points: readonly Point[], to: Box): readonly Point[] {
  const [, second] = points;
  const last = points.at(-2);
  if (second === undefined || last === undefined) return points;
  return [borderOf(from, second), ...points.slice(1, -1), borderOf(to, last)];
}

/** Where the line from the middle of a box to a point outside leaves it. */
function borderOf({ x, y, width, height }: Box, to: Point): Point {
  const [right, down] = [to.x - x, to.y - y];
  const share = Math.min(width / 2 / Math.abs(right), height / 2 / Math.abs(down));
  return { x: x + right * share, y: y + down * share };
}

function widthOfNode({ name, who }: DiagramNode): number {
  return Math.max(widthOf(name), widthOf(who)) + 2 * padding;
}

function widthOf(words: string): number {
  return Math.ceil(words.length * font * letter);
}

function round(value: number): string {
  return String(Math.round(value * 10) / 10);
}

function escaped(words: string): string {
  return words.replace(/[&<>"]/g, (sign) => `&#${String(sign.codePointAt(0))};`);
}
