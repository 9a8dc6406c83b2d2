import { useSignal } from '@preact/signals';
import { useMemo, useRef } from 'preact/hooks';
import { oneLine } from '../../../kernel/one-line.ts';
import type { Point } from '../../../web/graph.ts';
import { ArrowMarker } from '../../../web/parts/arrow-marker.tsx';
import type { Composer } from './model.ts';
import { StepNode } from './node.tsx';
import { arrange, arrangement } from './arrangement.ts';
import {
  box,
  edgePath,
  entryOf,
  nearView,
  overlaps,
  placesOf,
  portOf,
  problemsByStep,
  zoomed,
  type Direction,
  type Frame,
} from './placing.ts';
import { useCamera } from './seeing.ts';
import { usePointer, useSize, type Gesture } from './pointing.ts';
import type { Draft } from '../documents.ts';

/** The graph of the steps: drag a step to move it, its circle to connect it. */
export function Canvas({ composer }: { readonly composer: Composer }) {
  const draft = composer.graph.value;
  return draft === null ? <div class="canvas" /> : <Drawn draft={draft} composer={composer} />;
}

/** Of larger graphs only steps in view are drawn, and no more than this at once. */
const mostDrawn = 300;

function Drawn({ draft, composer }: { readonly draft: Draft; readonly composer: Composer }) {
  const host = useRef<SVGSVGElement>(null);
  const size = useSize(host);
  const gesture = useSignal<Gesture | null>(null);
  const { direction } = arrangement.value;
  const placed = useMemo(() => placesOf(draft, direction), [draft, direction]);
  const { camera, fit, focused } = useCamera({ composer, placed, direction, size, gesture, host });
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
  const [drawn, note] = useMemo(() => {
    const given = { draft, places, chosen, near, direction };
    const isLarge = draft.steps.length > mostDrawn;
    const count = isLarge ? [...places.values()].filter((at) => overlaps(near, at, at)).length : 0;
    if (count > mostDrawn) return [<Outline places={places} />, noteOf(draft, 'Zoom in to read them.')];
    return [
      <>
        <Edges {...given} />
        <Steps {...given} composer={composer} isLarge={isLarge} />
      </>,
      isLarge ? noteOf(draft, 'Those in view are drawn; the table below has all.') : null,
    ];
  }, [draft, places, chosen, composer, direction, ...Object.values(near)]);
  return (
    <div class="canvas">
      <svg
        ref={host}
        role="group"
        tabIndex={-1}
        aria-label={`Graph of ${String(draft.steps.length)} steps`}
        onFocusIn={focused}
        {...pointer}
      >
        <g transform={`scale(${String(seen.scale)}) translate(${String(-seen.x)} ${String(-seen.y)})`}>
          {drawn}
          <Ghost gesture={gesture.value} places={places} direction={direction} />
        </g>
      </svg>
      <Tools zoom={zoom} fit={fit} composer={draft.editable ? composer : null} note={note} />
    </div>
  );
}

function noteOf({ steps }: Draft, what: string): string {
  return `${steps.length.toLocaleString('en')} steps. ${what}`;
}

/** What the pointer does by other means. `composer`: null where the graph cannot be changed. */
function Tools({
  zoom,
  fit,
  composer,
  note,
}: {
  readonly zoom: (factor: number) => void;
  readonly fit: () => void;
  readonly composer: Composer | null;
  readonly note: string | null;
}) {
  const { direction } = arrangement.value;
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
      <button
        type="button"
        aria-pressed={direction === 'down'}
        onClick={() => arrange({ direction: direction === 'down' ? 'right' : 'down' })}
      >
        Top to bottom
      </button>
      {composer !== null && (
        <button type="button" onClick={() => void composer.act({ do: 'arrange' })}>
          Arrange
        </button>
      )}
      <span class="dim" role="status">
        {note}
      </span>
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
  readonly direction: Direction;
  /** What is drawn in full: the rest is not seen. */
  readonly near: Frame;
}

interface StepsProps extends DrawnProps {
  readonly composer: Composer;
  /** Only steps that are near are there at all. */
  readonly isLarge: boolean;
}

function Steps({ draft, places, chosen, near, direction, composer, isLarge }: StepsProps) {
  const isChosen = new Set(chosen);
  const problems = problemsByStep(draft);
  return draft.steps.map((step) => {
    const place = places.get(step.id)!;
    const isNear = overlaps(near, place, place);
    if (isLarge && !isNear) return null;
    return (
      <StepNode
        key={step.id}
        step={step}
        place={place}
        direction={direction}
        isChosen={isChosen.has(step.id)}
        isNear={isNear}
        problems={problems.get(step.id) ?? 0}
        composer={composer}
        editable={draft.editable}
      />
    );
  });
}

function Edges({ draft, places, chosen: names, near, direction }: DrawnProps) {
  const chosen = new Set(names);
  const [port, entry] = [portOf(direction), entryOf(direction)];
  return (
    <g aria-hidden="true">
      {draft.edges.map(({ from, to, when, implied }) => {
        const [start, end] = [places.get(from), places.get(to)];
        if (start === undefined || end === undefined || !overlaps(near, start, end)) return null;
        const isChosen = chosen.has(from) || chosen.has(to);
        const kinds = ['edge', implied ? 'implied' : '', isChosen ? 'chosen' : ''].join(' ');
        return (
          <g key={`${from} ${to}`}>
            <path class={kinds} d={edgePath(start, end, direction)} marker-end="url(#composer-arrow)" />
            {when !== null && (
              <text
                class="when"
                x={(start.x + port.x + end.x + entry.x) / 2}
                y={(start.y + port.y + end.y + entry.y) / 2 - 6}
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
  direction,
}: {
  readonly gesture: Gesture | null;
  readonly places: ReadonlyMap<string, Point>;
  readonly direction: Direction;
}) {
  if (gesture?.do === 'connect') {
    const from = places.get(gesture.from);
    if (from === undefined) return null;
    const entry = entryOf(direction);
    const to = { x: gesture.to.x - entry.x, y: gesture.to.y - entry.y };
    return <path class="edge ghost" d={edgePath(from, to, direction)} />;
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

/** All steps as one path: their places and no more. */
function Outline({ places }: { readonly places: ReadonlyMap<string, Point> }) {
  return <path class="steps" aria-hidden="true" d={[...places.values()].map(boxPath).join('')} />;
}

function boxPath({ x, y }: Point): string {
  return `M${String(x)} ${String(y)}h${String(box.width)}v${String(box.height)}h${String(-box.width)}z`;
}
