import { useSignal, type Signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { Point } from '../graph.ts';
import type { Composer } from './model.ts';
import { centred, firstView, fitted, frameOf, isWithin, type Camera } from './placing.ts';
import { stepUnder, type Gesture } from './pointing.ts';

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
export function useCamera({ composer, placed, size, gesture }: Seeing) {
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
