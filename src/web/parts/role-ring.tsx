import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { oneLine } from '../../kernel/one-line.ts';
import type { Box, Point } from '../graph.ts';
import { go, link } from '../state/route.ts';

/* What the graphs of roles on a ring share. */

/** The width of an element in pixels, as long as it is shown. */
export function useWidth() {
  const width = useSignal(0);
  const element = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const observer = new ResizeObserver(
      ([entry]) => (width.value = Math.round(entry?.contentRect.width ?? 0)),
    );
    if (element.current !== null) observer.observe(element.current);
    return () => observer.disconnect();
  }, []);
  return { element, width };
}

interface RoleBoxProps {
  readonly name: string;
  readonly at: Point;
  readonly box: Box;
  readonly tone?: string;
  /** A second line. */
  readonly children?: ComponentChildren;
}

/** A role, which a click opens; the table beside the graph has the same as a link. */
export function RoleBox({ name, at, box, tone = '', children }: RoleBoxProps) {
  const hasMore = children !== undefined;
  return (
    <g class={`node ${tone}`} onClick={() => go(link('roles', name))}>
      <title>{oneLine(name, 80)}</title>
      <rect x={at.x - box.width / 2} y={at.y - box.height / 2} width={box.width} height={box.height} rx="8" />
      <text x={at.x} y={hasMore ? at.y - 2 : at.y + 4} text-anchor="middle">
        {oneLine(name, box.letters)}
      </text>
      {hasMore && (
        <text class="sub" x={at.x} y={at.y + 13} text-anchor="middle">
          {children}
        </text>
      )}
    </g>
  );
}
