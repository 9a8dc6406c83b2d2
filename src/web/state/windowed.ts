import { useSignal, type Signal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

/** Rows that are drawn above and below those in sight. */
const beyond = 12;

/** The height of the inside of a box, in pixels, also when it changes. */
export function useHeight(box: RefObject<HTMLElement | null>): Signal<number> {
  const height = useSignal(600);
  useEffect(() => {
    const seen = box.current;
    if (seen === null) return undefined;
    const observer = new ResizeObserver(() => (height.value = seen.clientHeight));
    observer.observe(seen);
    return () => observer.disconnect();
  }, []);
  return height;
}

/**
 * The rows in sight of a list of any length, all of one height in pixels. The chosen row, by its
 * index (-1: none) and its name, is brought into sight when the name changes.
 */
export function useWindow(count: number, height: number, chosen: number, name: string | null) {
  const box = useRef<HTMLDivElement>(null);
  const [top, room] = [useSignal(0), useHeight(box)];
  useEffect(() => {
    const seen = box.current;
    if (seen === null || chosen < 0) return;
    // The head of the list covers one row.
    const [from, to] = [chosen * height, (chosen + 2) * height];
    if (from < seen.scrollTop) seen.scrollTop = from;
    else if (to > seen.scrollTop + seen.clientHeight) seen.scrollTop = to - seen.clientHeight;
  }, [name, chosen >= 0, room.value]);
  const first = Math.max(0, Math.floor(top.value / height) - beyond);
  const last = Math.min(count, Math.ceil((top.value + room.value) / height) + beyond);
  return {
    box,
    onScroll: () => (top.value = box.current?.scrollTop ?? 0),
    first: Math.min(first, last),
    last,
    /** Pixels of the rows that are not drawn. */
    above: Math.min(first, last) * height,
    below: (count - last) * height,
  };
}
