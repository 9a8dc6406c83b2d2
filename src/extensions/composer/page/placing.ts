import { layers, type Point } from '../../../web/graph.ts';
import type { Draft } from '../documents.ts';

/* Where the steps of a draft are on the canvas. */

export const box = { width: 184, height: 58 };

/** The way in which steps without places of their own follow each other. */
export type Direction = 'right' | 'down';

/** Between a step and those that wait for it, and between those. */
const gap = { along: 72, across: 28 };
/** How far a step is moved that would cover another one. */
const shift = 24;

type Graph = Pick<Draft, 'steps' | 'edges'>;

/** The place of every step: its own, else by layers. Two steps never have the same place. */
export function placesOf({ steps, edges }: Graph, direction: Direction = 'right'): Map<string, Point> {
  const cells = layers(
    steps.map(({ id }) => id),
    edges,
  );
  const own = steps.flatMap(({ position }) => (position === null ? [] : [position]));
  // Steps without a position start at the left edge, below the steps that have one.
  const top = own.length === 0 ? 0 : Math.max(...own.map(([, y]) => y)) + box.height + gap.across;
  const taken = new Set<string>();
  return new Map(
    steps.map(({ id, position }) => {
      const { column = 0, row = 0 } = cells.get(id) ?? {};
      const cell =
        direction === 'right'
          ? ([column * (box.width + gap.along), row * (box.height + gap.across)] as const)
          : ([row * (box.width + gap.across), column * (box.height + gap.along)] as const);
      let [x, y] = position ?? [cell[0], top + cell[1]];
      while (taken.has(`${String(x)} ${String(y)}`)) [x, y] = [x + shift, y + shift];
      taken.add(`${String(x)} ${String(y)}`);
      return [id, { x, y }];
    }),
  );
}

export interface Frame extends Point {
  readonly width: number;
  readonly height: number;
}

/** The smallest frame around some places, with a margin. */
export function frameOf(places: Iterable<Point>, margin: number): Frame {
  const all = [...places];
  if (all.length === 0) return { x: 0, y: 0, width: 400, height: 300 };
  const x = Math.min(...all.map((each) => each.x)) - margin;
  const y = Math.min(...all.map((each) => each.y)) - margin;
  return {
    x,
    y,
    width: Math.max(...all.map((each) => each.x)) + box.width + margin - x,
    height: Math.max(...all.map((each) => each.y)) + box.height + margin - y,
  };
}

/** What of the canvas is seen: `scale` pixels of the screen for one of the canvas. */
export interface Camera extends Point {
  readonly scale: number;
}

const scales = { least: 0.1, most: 2 };

/** The camera that shows a frame as large as it fits into a view, and not enlarged. */
export function fitted(frame: Frame, width: number, height: number): Camera {
  const scale = Math.max(scales.least, Math.min(1, width / frame.width, height / frame.height));
  return {
    scale,
    x: frame.x - (width / scale - frame.width) / 2,
    y: frame.y - (height / scale - frame.height) / 2,
  };
}

/** The smallest scale at which the names of steps can be read. */
const readable = 0.85;

/**
 * The camera that shows a frame: the whole of it, or its beginning where that would be too small.
 */
export function firstView(frame: Frame, width: number, height: number): Camera {
  const whole = fitted(frame, width, height);
  if (whole.scale >= readable) return whole;
  const begin = (at: number, length: number, room: number) =>
    length * readable > room ? at : at - (room / readable - length) / 2;
  return {
    scale: readable,
    x: begin(frame.x, frame.width, width),
    y: begin(frame.y, frame.height, height),
  };
}

/** Between a step that is brought into view and the edge, in pixels of the canvas. */
const edge = 24;

/** The camera, moved as little as needed to show the step at a place. */
export function brought(
  place: Point,
  camera: Camera,
  { width, height }: { readonly width: number; readonly height: number },
): Camera {
  const begin = (at: number, length: number, seen: number, room: number) =>
    room < length + 2 * edge
      ? at - (room - length) / 2
      : Math.min(at - edge, Math.max(at + length + edge - room, seen));
  const { scale } = camera;
  return {
    scale,
    x: begin(place.x, box.width, camera.x, width / scale),
    y: begin(place.y, box.height, camera.y, height / scale),
  };
}

/** The camera after a zoom by a factor, in which a point of the canvas keeps its place. */
export function zoomed(camera: Camera, factor: number, fixed: Point): Camera {
  const scale = Math.min(scales.most, Math.max(scales.least, camera.scale * factor));
  const part = camera.scale / scale;
  return {
    scale,
    x: fixed.x - (fixed.x - camera.x) * part,
    y: fixed.y - (fixed.y - camera.y) * part,
  };
}

/** Pixels of the canvas by which what is drawn in full grows. */
const tile = 600;

/** A frame around what a camera shows. It stays the same until the camera has moved by a tile. */
export function nearView(
  { x, y, scale }: Camera,
  { width, height }: { readonly width: number; readonly height: number },
): Frame {
  const [left, top] = [Math.floor(x / tile) - 1, Math.floor(y / tile) - 1];
  const [right, bottom] = [(x + width / scale) / tile, (y + height / scale) / tile].map(Math.ceil);
  return {
    x: left * tile,
    y: top * tile,
    width: (right! + 1 - left) * tile,
    height: (bottom! + 1 - top) * tile,
  };
}

/** Whether the smallest frame around the steps at two places has a part in a frame. */
export function overlaps({ x, y, width, height }: Frame, one: Point, other: Point): boolean {
  return (
    Math.min(one.x, other.x) <= x + width &&
    Math.max(one.x, other.x) + box.width >= x &&
    Math.min(one.y, other.y) <= y + height &&
    Math.max(one.y, other.y) + box.height >= y
  );
}

/** How many problems each step has that has some. */
export function problemsByStep({ problems }: Pick<Draft, 'problems'>): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { step } of problems) if (step !== null) counts.set(step, (counts.get(step) ?? 0) + 1);
  return counts;
}

/** Where the lines of a step begin, seen from its place. */
export function portOf(direction: Direction): Point {
  return direction === 'right' ? { x: box.width, y: box.height / 2 } : { x: box.width / 2, y: box.height };
}

/** Where the lines to a step end, seen from its place. */
export function entryOf(direction: Direction): Point {
  return direction === 'right' ? { x: 0, y: box.height / 2 } : { x: box.width / 2, y: 0 };
}

/** The line of an edge, from one step to the side of another on which its lines end. */
export function edgePath(from: Point, to: Point, direction: Direction): string {
  const [port, entry] = [portOf(direction), entryOf(direction)];
  const [x1, y1, x2, y2] = [from.x + port.x, from.y + port.y, to.x + entry.x, to.y + entry.y];
  const length = Math.abs(direction === 'right' ? x2 - x1 : y2 - y1);
  const isBack = direction === 'right' ? x2 < x1 : y2 < y1;
  if (!isBack && isPastOthers(from, to, direction)) return detour(x1, y1, x2, y2, direction);
  const bend = Math.max(30, Math.min(120, length / 2));
  const [bx, by] = direction === 'right' ? [bend, 0] : [0, bend];
  return `M${[x1, y1].join(' ')}C${[x1 + bx, y1 + by, x2 - bx, y2 - by, x2, y2].join(' ')}`;
}

/** Whether there is room for another step on the straight line: there usually is one. */
function isPastOthers(from: Point, to: Point, direction: Direction): boolean {
  const [width, height] = [Math.abs(to.x - from.x), Math.abs(to.y - from.y)];
  return direction === 'right'
    ? width >= 2 * (box.width + gap.along) && height < box.height
    : height >= 2 * (box.height + gap.along) && width < box.width;
}

/** Between two rows of steps, where nothing lies. */
function detour(x1: number, y1: number, x2: number, y2: number, direction: Direction): string {
  const isRight = direction === 'right';
  const at = (along: number, across: number) =>
    isRight ? `${String(along)} ${String(across)}` : `${String(across)} ${String(along)}`;
  const [start, from, end, to] = isRight ? [x1, y1, x2, y2] : [y1, x1, y2, x2];
  const lane = Math.max(from, to) + ((isRight ? box.height : box.width) + gap.across) / 2;
  const [out, back] = [start + gap.along / 2, end - gap.along / 2];
  return [
    `M${at(start, from)}C${at(out, from)} ${at(out, lane)} ${at(start + gap.along, lane)}`,
    `L${at(end - gap.along, lane)}C${at(back, lane)} ${at(back, to)} ${at(end, to)}`,
  ].join('');
}

/** What of a canvas no drawer covers: pixels from its left edge, and its size. */
export interface Room {
  readonly left: number;
  readonly width: number;
  readonly height: number;
}

/** A camera of the room as that of the whole canvas, and back (`by`: -1). */
export function besides(camera: Camera, { left }: Room, by: 1 | -1 = 1): Camera {
  return { ...camera, x: camera.x - (by * left) / camera.scale };
}
