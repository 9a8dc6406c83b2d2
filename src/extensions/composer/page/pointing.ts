import { useSignal, type Signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { Point } from '../../../web/graph.ts';
import type { Composer } from './model.ts';
import { box, zoomed, type Camera } from './placing.ts';

/** What the pointer does, from press to release. `start`: on the canvas. */
export type Gesture =
  | { readonly do: 'pan'; readonly start: Point; readonly client: Point }
  | {
      readonly do: 'move';
      readonly on: string;
      readonly names: readonly string[];
      readonly start: Point;
      readonly by: Point;
    }
  | { readonly do: 'connect'; readonly from: string; readonly to: Point }
  | { readonly do: 'frame'; readonly start: Point; readonly to: Point };

/** The size of an element in pixels, as long as it is shown. */
export function useSize(host: {
  readonly current: SVGSVGElement | null;
}): Signal<{ readonly width: number; readonly height: number }> {
  const size = useSignal({ width: 0, height: 0 });
  useEffect(() => {
    if (host.current === null) return undefined;
    const observer = new ResizeObserver(([entry]) => {
      if (entry !== undefined)
        size.value = { width: entry.contentRect.width, height: entry.contentRect.height };
    });
    observer.observe(host.current);
    return () => observer.disconnect();
  }, []);
  return size;
}

interface Pointing {
  readonly composer: Composer;
  readonly placed: ReadonlyMap<string, Point>;
  readonly camera: Signal<Camera | null>;
  readonly gesture: Signal<Gesture | null>;
  readonly host: { readonly current: SVGSVGElement | null };
}

/** The handlers of the pointer, which begin, follow and end a gesture. */
export function usePointer({ composer, placed, camera, gesture, host }: Pointing) {
  const pointOf = (event: MouseEvent): Point => {
    const { left = 0, top = 0 } = host.current?.getBoundingClientRect() ?? {};
    const { x, y, scale } = camera.value ?? { x: 0, y: 0, scale: 1 };
    return { x: x + (event.clientX - left) / scale, y: y + (event.clientY - top) / scale };
  };
  const wheel = useRef((event: WheelEvent) => event.preventDefault());
  wheel.current = (event) => {
    event.preventDefault();
    if (camera.value !== null)
      camera.value = zoomed(camera.value, Math.exp(-event.deltaY / 400), pointOf(event));
  };
  useEffect(() => {
    const { current } = host;
    // A handler of the framework would be passive, and the page would scroll.
    const turn = (event: WheelEvent) => wheel.current(event);
    current?.addEventListener('wheel', turn, { passive: false });
    return () => current?.removeEventListener('wheel', turn);
  }, []);
  const press = (event: PointerEvent) => {
    if (event.button !== 0 || camera.value === null) return;
    host.current?.setPointerCapture(event.pointerId);
    gesture.value = begun(composer, event, pointOf(event));
  };
  const drag = (event: PointerEvent) => {
    const { value } = gesture;
    if (value === null) return;
    const at = pointOf(event);
    if (value.do === 'pan') {
      const { x, y } = camera.value!;
      camera.value = { ...camera.value!, x: x - at.x + value.start.x, y: y - at.y + value.start.y };
    } else if (value.do === 'move')
      gesture.value = { ...value, by: { x: at.x - value.start.x, y: at.y - value.start.y } };
    else gesture.value = { ...value, to: at };
  };
  const release = (event: PointerEvent) => {
    const { value } = gesture;
    gesture.value = null;
    if (value !== null) finish(composer, placed, value, pointOf(event), event);
  };
  return {
    onPointerDown: press,
    onPointerMove: drag,
    onPointerUp: release,
    onPointerCancel: () => (gesture.value = null),
  };
}

/** The gesture that begins under the pointer; null: none, a step that cannot be moved is chosen. */
function begun(composer: Composer, event: PointerEvent, start: Point): Gesture | null {
  const { target, shiftKey, ctrlKey, metaKey, clientX, clientY } = event;
  const name = stepUnder(target);
  if (name === null)
    return shiftKey
      ? { do: 'frame', start, to: start }
      : { do: 'pan', start, client: { x: clientX, y: clientY } };
  if (composer.graph.value?.editable !== true || composer.isFrozen.value) {
    composer.choose(name, shiftKey || ctrlKey || metaKey);
    return null;
  }
  const isPort = target instanceof Element && target.classList.contains('port');
  if (isPort) return { do: 'connect', from: name, to: start };
  // It is chosen at the end, if it was not moved: the form must not open over what is dragged.
  const chosen = composer.selected.value;
  return { do: 'move', on: name, names: chosen.includes(name) ? chosen : [name], start, by: { x: 0, y: 0 } };
}

/** The fewest pixels that count as moving. */
const jitter = 3;

function finish(
  composer: Composer,
  placed: ReadonlyMap<string, Point>,
  gesture: Gesture,
  at: Point,
  event: PointerEvent,
): void {
  if (gesture.do === 'pan') {
    const { x, y } = gesture.client;
    if (Math.hypot(event.clientX - x, event.clientY - y) < jitter) composer.selected.value = [];
  } else if (gesture.do === 'frame') composer.selected.value = namesWithin(placed, gesture.start, at);
  else if (gesture.do === 'connect') {
    const to = stepUnder(document.elementFromPoint(event.clientX, event.clientY));
    if (to !== null && to !== gesture.from) void composer.act({ do: 'connect', from: gesture.from, to });
  } else if (Math.hypot(gesture.by.x, gesture.by.y) < jitter)
    composer.choose(gesture.on, event.shiftKey || event.ctrlKey || event.metaKey);
  else {
    const positions = Object.fromEntries(
      gesture.names.flatMap((name) => {
        const from = placed.get(name);
        return from === undefined ? [] : [[name, [from.x + gesture.by.x, from.y + gesture.by.y] as const]];
      }),
    );
    void composer.act({ do: 'move', positions });
  }
}

function namesWithin(placed: ReadonlyMap<string, Point>, one: Point, other: Point): string[] {
  const [left, right] = [Math.min(one.x, other.x), Math.max(one.x, other.x)];
  const [top, bottom] = [Math.min(one.y, other.y), Math.max(one.y, other.y)];
  return [...placed].flatMap(([name, { x, y }]) =>
    x < right && x + box.width > left && y < bottom && y + box.height > top ? [name] : [],
  );
}

/** The step that an element is a part of; null: none. */
export function stepUnder(target: EventTarget | null): string | null {
  const node = target instanceof Element ? target.closest('[data-step]') : null;
  return node?.getAttribute('data-step') ?? null;
}
