import { useSignal, type Signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { Point } from '../../../web/graph.ts';
import type { Composer } from './model.ts';
import { narrow } from './arrangement.ts';
import { besides, brought, firstView, frameOf, type Camera, type Direction, type Room } from './placing.ts';
import { stepUnder, type Gesture } from './pointing.ts';

interface Seeing {
  readonly composer: Composer;
  readonly placed: ReadonlyMap<string, Point>;
  readonly direction: Direction;
  readonly size: Signal<{ readonly width: number; readonly height: number }>;
  readonly gesture: Signal<Gesture | null>;
  readonly host: { readonly current: SVGSVGElement | null };
}

/** What of a canvas the drawers over it leave. */
function roomOf(host: SVGSVGElement | null): Room {
  const all = host?.getBoundingClientRect() ?? new DOMRect();
  let [left, right] = [all.left, all.right];
  // On a narrow screen a drawer covers all of it, and is closed before the canvas is seen.
  for (const drawer of innerWidth < narrow ? [] : document.querySelectorAll('.drawer:not([hidden])')) {
    const its = drawer.getBoundingClientRect();
    if (its.bottom <= all.top || its.top >= all.bottom) continue;
    if (its.left <= all.left) left = Math.max(left, its.right);
    else right = Math.min(right, its.left);
  }
  return { left: left - all.left, width: Math.max(1, right - left), height: all.height };
}

/**
 * What of the canvas is seen. It follows steps that are added, chosen elsewhere, or reached by the
 * keyboard. Null: the canvas has no size yet.
 */
export function useCamera({ composer, placed, direction, size, gesture, host }: Seeing) {
  const camera = useSignal<Camera | null>(null);
  const known = useRef<ReadonlyMap<string, Point>>(new Map());
  const lastFit = useRef<Camera | null>(null);
  const fit = () => {
    const room = roomOf(host.current);
    const margin = innerWidth < narrow ? 20 : 60;
    camera.value = besides(firstView(frameOf(placed.values(), margin), room.width, room.height), room);
    lastFit.current = camera.value;
  };
  const show = (place: Point | undefined) => {
    const { value } = camera;
    const room = roomOf(host.current);
    if (place !== undefined && value !== null)
      camera.value = besides(brought(place, besides(value, room, -1), room), room);
  };
  useEffect(() => {
    const added = [...placed].flatMap(([name, place]) => (known.current.has(name) ? [] : [place]));
    const resized = known.current === placed;
    known.current = placed;
    if (placed.size === 0 || size.value.width === 0) return;
    // What is loaded later changes the size: until somebody moves it, all stays in sight.
    if (camera.value === null || added.length > 1 || (resized && camera.value === lastFit.current)) fit();
    else show(added[0]);
  }, [placed, size.value]);
  const [first, ...others] = composer.selected.value;
  useEffect(() => {
    if (camera.value === null) return;
    fit();
    if (first !== undefined) show(placed.get(first));
  }, [direction]);
  useEffect(() => {
    // What the pointer has chosen stays below it.
    if (others.length === 0 && first !== undefined && gesture.value === null) show(placed.get(first));
  }, [first, others.length, size.value]);
  const { value: wanted } = composer.wanted;
  useEffect(() => {
    if (wanted !== null) show(placed.get(wanted));
  }, [wanted]);
  // A step far away is drawn once the camera is there.
  useEffect(() => {
    const node = wanted === null ? null : host.current?.querySelector(`[data-step="${CSS.escape(wanted)}"]`);
    if (!(node instanceof SVGElement)) return;
    composer.wanted.value = null;
    node.focus({ preventScroll: true });
    host.current?.scrollIntoView({ block: 'nearest' });
  });
  const focused = ({ target }: FocusEvent) => {
    if (target instanceof Element && target.matches(':focus-visible'))
      show(placed.get(stepUnder(target) ?? ''));
  };
  return { camera, fit, focused };
}
