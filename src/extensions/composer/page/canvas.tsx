import { useSignal, type Signal } from '@preact/signals';
import { useMemo, useRef, useEffect } from 'preact/hooks';
import { oneLine } from '../../../kernel/one-line.ts';
import type { Point } from '../../../web/graph.ts';
import { ArrowMarker } from '../../../web/parts/arrow-marker.tsx';
import type { Composer } from './model.ts';
import { StepNode } from './node.tsx';
import {
  box,
  edgePath,
  nearView,
  overlaps,
  placesOf,
  problemsByStep,
  zoomed,
  type Frame,
  centred,
  firstView,
  fitted,
  frameOf,
  isWithin,
  type Camera,
} from './placing.ts';
import { usePointer, useSize, type Gesture, stepUnder } from './pointing.ts';
import type { Draft } from '../documents.ts';

/** The graph of the steps: drag a step to move it, the circle at its right to connect it. */
export function Canvas({ composer }: { readonly composer: Composer }) {
  const draft = composer.graph.value;
  return draft === null ? <div class="canvas" /> : <Drawn draft={draft} composer={composer} />;
}

function Drawn({ draft, composer }: { readonly draft: Draft; readonly composer: Composer }) {
  const host = useRef<SVGSVGElement>(null);
  const size = useSize(host);
  const gesture = useSignal<Gesture | null>(null);
  const placed = useMemo(() => placesOf(draft), [draft]);
  const { camera, fit, focused } = useCamera({ composer, placed, size, gesture });
  const seen = camera.value ?? { x: 0, y: 0, scale: 1 };
  const pointer = usePointer({ composer, placed, camera, gesture, host });
  const zoom = (factor: number) => {
    const middle = {
      x: seen.x + size.value.width / seen.scale / 2,
      y: seen.y + size.value.height / seen.scale / 2,
    };
    camera.value = zoomed(seen, factor, middle);
  };
  const places = useMemo(() => moved(placed, gesture.value), [placed, gesture.value]);
  const { value: chosen } = composer.selected;
  const near = nearView(seen, size.value);
  // A camera that moves a little changes none of these.
  const drawn = useMemo(
    () => (
      <>
        <Edges draft={draft} places={places} chosen={chosen} near={near} />
        <Steps draft={draft} places={places} chosen={chosen} near={near} composer={composer} />
      </>
    ),
    [draft, places, chosen, composer, ...Object.values(near)],
  );
  return (
    <div class="canvas">
      <svg
        ref={host}
        role="group"
        aria-label={`Graph of ${String(draft.steps.length)} steps`}
        onFocusIn={focused}
        {...pointer}
      >
        <g transform={`scale(${String(seen.scale)}) translate(${String(-seen.x)} ${String(-seen.y)})`}>
          {drawn}
          <Ghost gesture={gesture.value} places={places} />
        </g>
      </svg>
      <Tools zoom={zoom} fit={fit} composer={draft.editable ? composer : null} />
      <MiniMap
        places={placed}
        seen={seen}
        size={size.value}
        look={(at) => (camera.value = { ...seen, ...at })}
      />
    </div>
  );
}

/** What the pointer does by other means. `composer`: null where the graph cannot be changed. */
function Tools({
  zoom,
  fit,
  composer,
}: {
  readonly zoom: (factor: number) => void;
  readonly fit: () => void;
  readonly composer: Composer | null;
}) {
  return (
    <div class="canvas-tools row">
      <button type="button" aria-label="Zoom in" onClick={() => zoom(1.25)}>
        +
      </button>
      <button type="button" aria-label="Zoom out" onClick={() => zoom(0.8)}>
        −
      </button>
      <button type="button" onClick={fit}>
        Fit
      </button>
      {composer !== null && (
        <button type="button" onClick={() => void composer.act({ do: 'arrange' })}>
          Arrange
        </button>
      )}
    </div>
  );
}

function moved(places: ReadonlyMap<string, Point>, gesture: Gesture | null): ReadonlyMap<string, Point> {
  if (gesture?.do !== 'move') return places;
  const { names, by } = gesture;
  return new Map(
    [...places].map(([name, { x, y }]) => [
      name,
      names.includes(name) ? { x: x + by.x, y: y + by.y } : { x, y },
    ]),
  );
}

interface DrawnProps {
  readonly draft: Draft;
  readonly places: ReadonlyMap<string, Point>;
  readonly chosen: readonly string[];
  /** What is drawn in full: the rest is not seen. */
  readonly near: Frame;
}

function Steps({ draft, places, chosen, near, composer }: DrawnProps & { readonly composer: Composer }) {
  const isChosen = new Set(chosen);
  const problems = problemsByStep(draft);
  return draft.steps.map((step) => {
    const place = places.get(step.id)!;
    return (
      <StepNode
        key={step.id}
        step={step}
        place={place}
        isChosen={isChosen.has(step.id)}
        isNear={overlaps(near, place, place)}
        problems={problems.get(step.id) ?? 0}
        composer={composer}
        editable={draft.editable}
      />
    );
  });
}

function Edges({ draft, places, chosen: names, near }: DrawnProps) {
  const chosen = new Set(names);
  return (
    <g aria-hidden="true">
      {draft.edges.map(({ from, to, when, implied }) => {
        const [start, end] = [places.get(from), places.get(to)];
        if (start === undefined || end === undefined || !overlaps(near, start, end)) return null;
        const isChosen = chosen.has(from) || chosen.has(to);
        const kinds = ['edge', implied ? 'implied' : '', isChosen ? 'chosen' : ''].join(' ');
        return (
          <g key={`${from} ${to}`}>
            <path class={kinds} d={edgePath(start, end)} marker-end="url(#composer-arrow)" />
            {when !== null && (
              <text
                class="when"
                x={(start.x + box.width + end.x) / 2}
                y={(start.y + end.y + box.height) / 2 - 6}
              >
                {oneLine(when, 24)}
              </text>
            )}
          </g>
        );
      })}
      <ArrowMarker id="composer-arrow" />
    </g>
  );
}

/** What the pointer is about to make: a connection, or a frame around steps. */
function Ghost({
  gesture,
  places,
}: {
  readonly gesture: Gesture | null;
  readonly places: ReadonlyMap<string, Point>;
}) {
  if (gesture?.do === 'connect') {
    const from = places.get(gesture.from);
    if (from === undefined) return null;
    const { x, y } = gesture.to;
    return <path class="edge ghost" d={edgePath(from, { x, y: y - box.height / 2 })} />;
  }
  if (gesture?.do !== 'frame') return null;
  const { start, to } = gesture;
  const [width, height] = [Math.abs(to.x - start.x), Math.abs(to.y - start.y)];
  return (
    <rect
      class="frame"
      x={Math.min(start.x, to.x)}
      y={Math.min(start.y, to.y)}
      width={width}
      height={height}
    />
  );
}

interface Seeing {
  readonly composer: Composer;
  readonly placed: ReadonlyMap<string, Point>;
  readonly size: Signal<{ readonly width: number; readonly height: number }>;
  readonly gesture: Signal<Gesture | null>;
}

/**
 * What of the canvas is seen. It follows steps that are added, chosen elsewhere, or reached by the
 * keyboard. Null: the canvas has no size yet.
 */
function useCamera({ composer, placed, size, gesture }: Seeing) {
  const camera = useSignal<Camera | null>(null);
  const known = useRef<ReadonlyMap<string, Point>>(new Map());
  const fit = () => {
    camera.value = fitted(frameOf(placed.values()), size.value.width, size.value.height);
  };
  const show = (place: Point | undefined) => {
    const { value } = camera;
    if (place !== undefined && value !== null && !isWithin(place, value, size.value))
      camera.value = centred(place, value, size.value);
  };
  useEffect(() => {
    const added = [...placed].flatMap(([name, place]) => (known.current.has(name) ? [] : [place]));
    known.current = placed;
    const { width, height } = size.value;
    if (placed.size === 0 || width === 0) return;
    const { value } = camera;
    if (value === null) camera.value = firstView(frameOf(placed.values()), width, height);
    else if (added.length === 1) show(added[0]);
    else if (!added.every((place) => isWithin(place, value, size.value))) fit();
  }, [placed, size.value]);
  const [first, ...others] = composer.selected.value;
  useEffect(() => {
    // What the pointer has chosen stays below it.
    if (others.length === 0 && first !== undefined && gesture.value === null) show(placed.get(first));
  }, [first, others.length]);
  const focused = ({ target }: FocusEvent) => {
    if (target instanceof Element && target.matches(':focus-visible'))
      show(placed.get(stepUnder(target) ?? ''));
  };
  return { camera, fit, focused };
}

const map = { width: 150, height: 100 };

function boxPath({ x, y }: Point): string {
  return `M${String(x)} ${String(y)}h${String(box.width)}v${String(box.height)}h${String(-box.width)}z`;
}

/** The whole graph in small, with what the canvas shows of it; a click shows another part. */
function MiniMap({
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
