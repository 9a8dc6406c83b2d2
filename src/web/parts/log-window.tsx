import { signal, useSignal, type Signal } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { oneLine } from '../../kernel/one-line.ts';
import { colourCode } from '../../kernel/terminal-colours.ts';
import type { colouredParts } from '../log-colours.ts';
import type { FollowedLog } from '../state/log-lines.ts';
import { query, refineAll, refined } from '../state/route.ts';
import { saved } from '../state/saved.ts';
import { useHeight } from '../state/windowed.ts';
import { visible } from './text.tsx';

/** Reads the colours of a line; null: it is not loaded yet. */
const reader = signal<typeof colouredParts | null>(null);
void import('../log-colours.ts').then((loaded) => (reader.value = loaded.colouredParts));

/** The height of a line that is not wrapped, in pixels, as the style sheet has it. */
const lineHeight = 18;
/** The characters of a row of a wrapped line, on a narrow screen. */
const narrowest = 40;
/** Browsers cut what is higher; a longer log scrolls faster. */
const tallest = 10_000_000;
/** The lines that are read before and behind those that are shown. */
const ahead = 150;

/**
 * A line to show, counted from 1, or the end. Each is another object, so that it can be repeated.
 */
export interface LogGoal {
  readonly line: number | 'end';
}

interface Props {
  readonly log: FollowedLog;
  readonly isWrapped: boolean;
  /** The line that stands out. */
  readonly marked: number | null;
  readonly goal: LogGoal;
  /** Whether the end is shown; then it stays so while the log grows. */
  readonly isAtEnd: Signal<boolean>;
  /** What the address of a line has besides it. */
  readonly named: Readonly<Record<string, string>>;
}

/** What of a log is seen at a place of the scroll bar. */
interface View {
  /** The line at the top, counted from 0, with a fraction. */
  readonly top: number;
  /** The highest top line, and the pixels that the bar moves to get there. */
  readonly range: number;
  readonly way: number;
  readonly last: number;
}

function viewOf(total: number, height: number, fits: number, scrolled: number): View {
  const range = Math.max(0, total - fits);
  const way = Math.min(range * lineHeight, tallest);
  const top = way === 0 ? 0 : Math.min(range, (scrolled / way) * range);
  return { top, range, way, last: Math.min(total, Math.ceil(top + height / lineHeight) + 1) };
}

/** The elements that show a log, where its scroll bar is, and what is seen there. */
function usePlace(log: FollowedLog) {
  const [box, pane, rows] = [
    useRef<HTMLDivElement>(null),
    useRef<HTMLDivElement>(null),
    useRef<HTMLDivElement>(null),
  ];
  const [scrolled, height, fits] = [useSignal(0), useHeight(box), useSignal<number | null>(null)];
  // Where it was scrolled to by this code, and not by the person.
  const placed = useRef(0);
  const total = log.total.value ?? 0;
  const view = viewOf(total, height.value, fits.value ?? height.value / lineHeight, scrolled.value);
  const first = Math.floor(view.top);

  const scrollTo = (top: number) => {
    if (box.current === null) return;
    box.current.scrollTop = view.range === 0 ? 0 : (top / view.range) * view.way;
    scrolled.value = box.current.scrollTop;
    placed.current = scrolled.value;
  };
  useEffect(() => log.want(first + 1 - ahead, view.last + ahead), [log, first, view.last]);
  return { box, pane, rows, scrolled, placed, height, fits, total, view, first, scrollTo };
}

type Place = ReturnType<typeof usePlace>;

/** Fits the box to the lines that are drawn, and then goes to what is asked for. */
function useLayout(place: Place, { log, isWrapped, goal, isAtEnd }: Props): void {
  const { box, pane, rows, height, fits, total, view, first, scrollTo } = place;
  const reached = useRef<LogGoal | null>(null);
  const edition = log.edition.value;
  useLayoutEffect(() => {
    if (box.current === null || rows.current === null || pane.current === null) return;
    const list = [...rows.current.children].map((row) => (row as HTMLElement).offsetHeight);
    rows.current.style.transform = `translateY(${String(-(view.top - first) * (list[0] ?? 0))}px)`;
    const whole = list.reduce((sum, each) => sum + each, 0);
    const isWhole = first === 0 && view.last === total;
    const rim = pane.current.offsetHeight - pane.current.clientHeight;
    box.current.style.height = isWhole ? `min(60vh, ${String(whole + rim)}px)` : '';
    height.value = box.current.clientHeight;
    if (view.last === total) fits.value = fittingOf(list, pane.current.clientHeight);
    if (reached.current !== goal && total > 0) {
      reached.current = goal;
      isAtEnd.value = goal.line === 'end';
      const above = height.value / lineHeight / 3;
      if (goal.line !== 'end')
        scrollTo(
          Math.min(
            view.range,
            Math.max(0, goal.line - 1 - (isWrapped ? linesAbove(log, goal.line, above) : above)),
          ),
        );
    }
    if (isAtEnd.value && Math.abs(box.current.scrollTop - view.way) > 1) scrollTo(view.range);
  }, [log, goal, total, edition, isWrapped, view.top, view.way, height.value, fits.value]);
}

/** What a person scrolls by: the bar, the wheel and keys. */
function scrollingOf({ box, scrolled, placed, height, view, scrollTo }: Place, isAtEnd: Signal<boolean>) {
  const onScroll = () => {
    scrolled.value = box.current?.scrollTop ?? 0;
    if (Math.abs(scrolled.value - placed.current) > 1) isAtEnd.value = scrolled.value >= view.way - 4;
    placed.current = -1;
  };
  const onWheel = (event: WheelEvent) => {
    const haste = (view.range * lineHeight) / Math.max(1, view.way);
    if (haste <= 1 || event.ctrlKey || event.shiftKey || box.current === null) return;
    event.preventDefault();
    box.current.scrollTop += event.deltaY / haste;
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const to = lineFor(event.key, view, height.value);
    if (to === null || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    isAtEnd.value = to >= view.range;
    scrollTo(Math.min(view.range, Math.max(0, to)));
  };
  return { onScroll, onWheel, onKeyDown };
}

/** The lines of a log that are in sight: nothing else of it is in the document. */
export function LogWindow(props: Props) {
  const { log, isWrapped, marked, isAtEnd, named } = props;
  const place = usePlace(log);
  useLayout(place, props);
  const { box, pane, rows, view, first } = place;
  const { onScroll, onWheel, onKeyDown } = scrollingOf(place, isAtEnd);
  return (
    <div class="log-box" ref={box} onScroll={onScroll} onWheel={onWheel}>
      <div class="log-space" style={{ height: `calc(100cqh + ${String(view.way)}px)` }}>
        <div
          class={`log-window${isWrapped ? ' wrapped' : ''}`}
          ref={pane}
          tabIndex={0}
          role="region"
          aria-label={`Log ${oneLine(named['log'] ?? '', 80)}`}
          onKeyDown={onKeyDown}
        >
          <div class="log-rows" ref={rows}>
            {Array.from({ length: view.last - first }, (_, index) => first + index + 1).map((line) => (
              <Row
                key={line}
                line={line}
                text={log.lines.get(line)}
                mark={line === log.failure?.line ? 'failed' : line === marked ? 'marked' : ''}
                named={named}
              />
            ))}
          </div>
        </div>
      </div>
    </div>
  );
}

/** The line that a key brings to the top; null: the key does something else. */
function lineFor(key: string, { top, range }: View, height: number): number | null {
  const page = Math.max(1, Math.floor(height / lineHeight) - 2);
  if (key === 'Home') return 0;
  if (key === 'End') return range;
  if (key === 'PageUp') return top - page;
  if (key === 'PageDown') return top + page;
  if (key === 'ArrowUp') return top - 1;
  return key === 'ArrowDown' ? top + 1 : null;
}

/** How many lines before a line take at most so many rows, wrapped on a narrow screen. */
function linesAbove(log: FollowedLog, line: number, rows: number): number {
  let [left, count] = [rows, 0];
  while (count < 5) {
    left -= Math.ceil((log.lines.get(line - count - 1)?.length ?? 0) / narrowest);
    if (left < 0) break;
    count += 1;
  }
  return count;
}

/** How many of the last rows, which have these heights, fit into a height. */
function fittingOf(heights: readonly number[], height: number): number {
  let [left, count] = [height, 0];
  for (const each of heights.toReversed()) {
    if (each >= left) return Math.max(1, count + (each === 0 ? 0 : left / each));
    left -= each;
    count += 1;
  }
  return Math.max(1, count + left / lineHeight);
}

function Row({
  line,
  text,
  mark,
  named,
}: Pick<Props, 'named'> & {
  readonly line: number;
  readonly text: string | undefined;
  readonly mark: 'failed' | 'marked' | '';
}) {
  const choose = (event: MouseEvent) => {
    event.preventDefault();
    const isThere = query.value.get('line') === String(line);
    refineAll({ ...named, line: isThere ? '' : String(line) });
  };
  return (
    <div class={`log-row ${mark}`} data-line={line}>
      <a
        class="log-number"
        href={refined({ ...named, line: String(line) })}
        tabIndex={-1}
        onClick={choose}
        aria-label={`Line ${String(line)}`}
      >
        {line}
      </a>
      {text === undefined ? (
        <span class="dim">{saved === null ? '…' : 'not in this file'}</span>
      ) : (
        <span class="log-text">
          <LogLine text={text} />
        </span>
      )}
    </div>
  );
}

/** A line of a log: its colours are colours, and all else that a terminal would obey is visible. */
function LogLine({ text }: { readonly text: string }) {
  if (!text.includes('\u001b')) return <>{visible(text)}</>;
  const codes = text.match(colourCode) ?? [];
  const parts = text.split(colourCode).map(visible);
  if (reader.value === null) return <>{parts.join('')}</>;
  const shown = parts.map((part, index) => part + (codes[index] ?? '')).join('');
  return (
    <>
      {reader.value(shown).map(([content, style], index) => (
        <span key={index} class={style}>
          {content}
        </span>
      ))}
    </>
  );
}
