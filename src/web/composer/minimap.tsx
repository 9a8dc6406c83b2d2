import type { Point } from '../graph.ts';
import { box, frameOf, type Camera } from './placing.ts';

const map = { width: 150, height: 100 };

/** The whole graph in small, with what the canvas shows of it; a click shows another part. */
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
  if (places.size < 2) return null;
  const frame = frameOf(places.values(), 60);
  const scale = Math.min(map.width / frame.width, map.height / frame.height);
  const [width, height] = [size.width / seen.scale, size.height / seen.scale];
  const click = (event: MouseEvent) => {
    const { left, top } = (event.currentTarget as SVGElement).getBoundingClientRect();
    const [x, y] = [frame.x + (event.clientX - left) / scale, frame.y + (event.clientY - top) / scale];
    look({ x: x - width / 2, y: y - height / 2 });
  };
  return (
    <svg class="minimap" width={map.width} height={map.height} aria-hidden="true" onClick={click}>
      <g transform={`scale(${String(scale)}) translate(${String(-frame.x)} ${String(-frame.y)})`}>
        {[...places].map(([name, { x, y }]) => (
          <rect key={name} x={x} y={y} width={box.width} height={box.height} rx="8" />
        ))}
        <rect class="seen" x={seen.x} y={seen.y} width={width} height={height} />
      </g>
    </svg>
  );
}
