import { useMemo } from 'preact/hooks';
import type { Point } from '../../../web/graph.ts';
import { box, frameOf, type Camera } from './placing.ts';

const map = { width: 150, height: 100 };

/** All steps as one path: their places and no more. */
export function Outline({ places }: { readonly places: ReadonlyMap<string, Point> }) {
  return <path class="steps" aria-hidden="true" d={[...places.values()].map(boxPath).join('')} />;
}

function boxPath({ x, y }: Point): string {
  return `M${String(x)} ${String(y)}h${String(box.width)}v${String(box.height)}h${String(-box.width)}z`;
}

/** The whole graph in small, with what the canvas shows of it unless that is all; a click shows another part. */
export function MiniMap({
  places,
  seen,
  size,
  look,
}: {
  readonly places: ReadonlyMap<string, Point>;
  readonly seen: Camera;
  readonly size: { readonly width: number; readonly height: number };
  readonly look: (at: Point) => void;
}) {
  const outline = useMemo(() => [...places.values()].map(boxPath).join(''), [places]);
  if (places.size < 2) return null;
  const frame = frameOf(places.values(), 60);
  const scale = Math.min(map.width / frame.width, map.height / frame.height);
  const [width, height] = [size.width / seen.scale, size.height / seen.scale];
  const isWhole =
    seen.x <= frame.x &&
    seen.y <= frame.y &&
    seen.x + width >= frame.x + frame.width &&
    seen.y + height >= frame.y + frame.height;
  if (isWhole) return null;
  const click = (event: MouseEvent) => {
    const { left, top } = (event.currentTarget as SVGElement).getBoundingClientRect();
    const [x, y] = [frame.x + (event.clientX - left) / scale, frame.y + (event.clientY - top) / scale];
    look({ x: x - width / 2, y: y - height / 2 });
  };
  return (
    <svg class="minimap" width={map.width} height={map.height} aria-hidden="true" onClick={click}>
      <g transform={`scale(${String(scale)}) translate(${String(-frame.x)} ${String(-frame.y)})`}>
        <path class="steps" d={outline} />
        <rect class="seen" x={seen.x} y={seen.y} width={width} height={height} />
      </g>
    </svg>
  );
}
