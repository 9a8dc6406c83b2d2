import { ownValue } from '../kernel/own.ts';

/* Pure geometry of the two graphs of the page. */

export interface Edge {
  readonly from: string;
  readonly to: string;
}

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** The names of a cycle of edges, each once, in order; null: there is none. */
export function cycleIn(edges: readonly Edge[]): readonly string[] | null {
  const next = new Map<string, string[]>();
  for (const { from, to } of edges) next.set(from, [...(next.get(from) ?? []), to]);
  const done = new Set<string>();
  const follow = (name: string, path: readonly string[]): readonly string[] | null => {
    if (path.includes(name)) return path.slice(path.indexOf(name));
    if (done.has(name)) return null;
    done.add(name);
    for (const each of next.get(name) ?? []) {
      const found = follow(each, [...path, name]);
      if (found !== null) return found;
    }
    return null;
  };
  for (const name of next.keys()) {
    const found = follow(name, []);
    if (found !== null) return found;
  }
  return null;
}

/** Places on an ellipse in a box of this size, the first at the top, clockwise. */
export function ring(
  names: readonly string[],
  width: number,
  height: number,
  margin: Point,
): Map<string, Point> {
  const [rx, ry] = [width / 2 - margin.x, height / 2 - margin.y];
  return new Map(
    names.map((name, index) => {
      const angle = (index / names.length) * 2 * Math.PI - Math.PI / 2;
      return [name, { x: width / 2 + rx * Math.cos(angle), y: height / 2 + ry * Math.sin(angle) }];
    }),
  );
}

/** The box of a role. */
export interface Box {
  readonly width: number;
  readonly height: number;
  /** How many letters of a name it has room for. */
  readonly letters: number;
}

/** The box of a role on a ring of this width: neighbours at the bottom stay apart. */
export function ringBox(width: number): Box {
  return width < 420 ? { width: 92, height: 40, letters: 11 } : { width: 116, height: 40, letters: 14 };
}

/** The highest ring in pixels. */
const mostHeight = 1_200;

/**
 * The least height in pixels, from this one on, of a ring on which no two boxes touch; this one
 * where none is high enough.
 */
export function ringHeight(names: readonly string[], width: number, box: Box, least: number): number {
  const margin = marginOf(box);
  for (let height = least; height <= mostHeight; height += 20) {
    const places = [...ring(names, width, height, margin).values()];
    const touches = (one: Point, index: number) =>
      places.some(
        ({ x, y }, at) => at > index && Math.abs(one.x - x) < box.width && Math.abs(one.y - y) < box.height,
      );
    if (!places.some(touches)) return height;
  }
  return least;
}

/** Half a box, with room for its border. */
export function marginOf({ width, height }: Box): Point {
  return { x: width / 2 + 6, y: height / 2 + 6 };
}

/** Where the line from the middle of a box to another point leaves the box. */
export function borderOf(centre: Point, towards: Point, width: number, height: number): Point {
  const [dx, dy] = [towards.x - centre.x, towards.y - centre.y];
  if (dx === 0 && dy === 0) return centre;
  const scale = Math.min(width / 2 / Math.abs(dx || 1e-9), height / 2 / Math.abs(dy || 1e-9));
  return { x: centre.x + dx * scale, y: centre.y + dy * scale };
}

/** Where an arrow from one box to another begins and ends, with room for its head. */
export function arrowBetween(
  from: Point,
  to: Point,
  { width, height }: Box,
): { readonly start: Point; readonly end: Point } {
  return {
    start: borderOf(from, to, width, height),
    end: borderOf(to, from, width + 8, height + 8),
  };
}

/** A path between two points, bent to its right: a pair of opposite edges stays apart. */
export function bent(from: Point, to: Point, bend: number): string {
  const [dx, dy] = [to.x - from.x, to.y - from.y];
  const [mx, my] = [(from.x + to.x) / 2 - dy * bend, (from.y + to.y) / 2 + dx * bend];
  return `M${round(from.x)} ${round(from.y)}Q${round(mx)} ${round(my)} ${round(to.x)} ${round(to.y)}`;
}

/** Where a label of such a path stands: nearer to its start, apart from that of the way back. */
export function labelOf(from: Point, to: Point, bend: number): Point {
  const [dx, dy] = [to.x - from.x, to.y - from.y];
  const along = 0.28;
  const aside = 2 * along * (1 - along) * bend;
  return { x: from.x + dx * along - dy * aside, y: from.y + dy * along + dx * aside };
}

function round(value: number): string {
  return String(Math.round(value * 10) / 10);
}

export interface Cell {
  readonly column: number;
  readonly row: number;
}

/**
 * Columns of a graph of steps: each right of all that lead to it, but for edges that lead back. In
 * a column, steps keep the order in which they are given.
 */
export function layers(names: readonly string[], edges: readonly Edge[]): Map<string, Cell> {
  const { next, order } = forward(names, edges);
  const column = new Map(names.map((name) => [name, 0]));
  for (const name of order)
    for (const to of next.get(name) ?? [])
      column.set(to, Math.max(column.get(to) ?? 0, (column.get(name) ?? 0) + 1));
  const rows: number[] = [];
  return new Map(
    names.map((name) => {
      const at = column.get(name) ?? 0;
      const row = rows[at] ?? 0;
      rows[at] = row + 1;
      return [name, { column: at, row }];
    }),
  );
}

const moves: Readonly<Record<string, readonly [columns: number, rows: number]>> = {
  ArrowRight: [1, 0],
  ArrowLeft: [-1, 0],
  ArrowDown: [0, 1],
  ArrowUp: [0, -1],
};

/** The nearest cell that an arrow key leads to; null: the key is another one, or there is none. */
export function neighbour(cells: ReadonlyMap<string, Cell>, from: string, key: string): string | null {
  const [start, move] = [cells.get(from), ownValue(moves, key)];
  if (start === undefined || move === undefined) return null;
  const [column, row] = [start.column + move[0], start.row + move[1]];
  const found = [...cells].filter(
    ([, cell]) => cell.column === column && (move[1] === 0 || cell.row === row),
  );
  const nearest = found.toSorted(([, a], [, b]) => Math.abs(a.row - row) - Math.abs(b.row - row));
  return nearest[0]?.[0] ?? null;
}

/**
 * The edges between known names without those that close a cycle, seen from the first name on; and
 * the names in an order in which all of them lead forward. Chains may be longer than the stack.
 */
function forward(names: readonly string[], edges: readonly Edge[]) {
  const all = new Map(names.map((name) => [name, [] as string[]]));
  for (const { from, to } of edges) if (all.has(to)) all.get(from)?.push(to);
  for (const list of all.values()) list.reverse();
  const next = new Map<string, string[]>();
  const done = new Set<string>();
  const order: string[] = [];
  for (const first of names) {
    const path = next.has(first) ? [] : [first];
    while (path.length > 0) {
      const name = path.at(-1)!;
      if (!next.has(name)) next.set(name, []);
      const to = all.get(name)!.pop();
      if (to === undefined) {
        done.add(name);
        order.push(name);
        path.pop();
      } else if (done.has(to) || !next.has(to)) {
        next.get(name)!.push(to);
        if (!next.has(to)) path.push(to);
      }
    }
  }
  return { next, order: order.toReversed() };
}
