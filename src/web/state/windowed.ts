import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';

/** Rows that are drawn above and below those in sight. */
const beyond = 12;

/**
 * The rows in sight of a list of any length, all of one height in pixels. The chosen row, by its
 * index (-1: none) and its name, is brought into sight when the name changes.
 */
export function useWindow(count: number, height: number, chosen: number, name: string | null) {
  const box = useRef<HTMLDivElement>(null);
  const [top, room] = [useSignal(0), useSignal(600)];
  useEffect(() => {
    const seen = box.current;
    if (seen === null) return undefined;
    const observer = new ResizeObserver(() => (room.value = seen.clientHeight));
    observer.observe(seen);
    return () => observer.disconnect();
  }, []);
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
