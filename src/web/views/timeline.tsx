import { oneLine } from '../../kernel/one-line.ts';
import { seconds } from '../../kernel/local-time.ts';
import { duration, span } from '../../kernel/times.ts';
import { Line, toneOf } from '../parts/text.tsx';
import { link } from '../state/route.ts';
import { useWindow } from '../state/windowed.ts';
import type { Bar, Lane, Timeline } from '../steps.ts';
import type { Stretch } from '../../documents/runs.ts';
import { moveAmong, onStepClick } from './run-choice.ts';

const [width, height] = [1000, 18];
/** The height of a lane in pixels, as the style sheet has it. */
const laneHeight = 24;

const words: Readonly<Record<Bar['kind'], string>> = {
  worker: 'work',
  check: 'check',
  queue: 'waits for a slot',
  pause: 'pause',
  gate: 'waits for a person',
  body: 'its own steps',
};

/** A lane for each step, and in it a bar for each attempt, pause and wait, all on one axis. */
export function StepBars({
  run,
  timeline,
  isOpen,
  chosen,
}: {
  readonly run: string;
  readonly timeline: Timeline;
  readonly isOpen: boolean;
  readonly chosen: string | null;
}) {
  const { ticks, lanes } = timeline;
  const index = lanes.findIndex(({ path }) => path === chosen);
  const { box, onScroll, first, last, above, below } = useWindow(lanes.length, laneHeight, index, chosen);
  const onKeyDown = (event: KeyboardEvent) => {
    moveAmong(
      lanes.map(({ path }) => path),
      chosen,
      event,
    );
  };
  return (
    <div
      class="timeline fill"
      ref={box}
      onScroll={onScroll}
      onKeyDown={onKeyDown}
      tabIndex={0}
      role="group"
      aria-label="Timeline"
    >
      <Axis timeline={timeline} isOpen={isOpen} />
      <div style={{ height: `${String(above)}px` }} />
      {lanes.slice(first, last).map((lane) => (
        <Row
          key={lane.path}
          run={run}
          lane={lane}
          ticks={ticks.map((tick) => placeOf(tick, timeline))}
          isOpen={isOpen}
          isChosen={lane.path === chosen}
        />
      ))}
      <div style={{ height: `${String(below)}px` }} />
      <Legend lanes={lanes} />
    </div>
  );
}

/** Where a time after the start lies in the drawing. */
function placeOf(offset: number, { start, end }: Timeline): number {
  return (offset / (end - start)) * width;
}

/** The times above the lanes. */
function Axis({ timeline, isOpen }: { readonly timeline: Timeline; readonly isOpen: boolean }) {
  const { start, end, ticks } = timeline;
  return (
    <p class="axis" aria-hidden="true">
      <span class="name dim">{seconds(start)}</span>
      <span class="ticks">
        {ticks.map((tick) => (
          <span key={tick} style={{ insetInlineStart: `${String(placeOf(tick, timeline) / 10)}%` }}>
            {tick % 1_000 === 0 ? span(tick).replace(/ 0?0[hms]$/, '') : duration(tick)}
          </span>
        ))}
      </span>
      <span class="took dim">
        {isOpen ? 'now' : end - start < 60_000 ? duration(end - start) : seconds(end)}
      </span>
    </p>
  );
}

/** What the bars of these lanes mean. */
function Legend({ lanes }: Pick<Timeline, 'lanes'>) {
  const kinds = [...new Set(lanes.flatMap(({ bars }) => bars.map(({ kind }) => kind)))];
  return (
    <ul class="legend">
      {kinds.map((kind) => (
        <li key={kind}>
          <svg viewBox="0 0 24 12" aria-hidden="true">
            <Shape kind={kind} tone={kind === 'gate' ? 'wait' : 'calm'} x={0} length={24} tall={12} />
          </svg>
          {words[kind]}
        </li>
      ))}
    </ul>
  );
}

interface RowProps {
  readonly run: string;
  readonly lane: Lane;
  readonly ticks: readonly number[];
  readonly isOpen: boolean;
  readonly isChosen: boolean;
}

function Row({ run, lane, ticks, isOpen, isChosen }: RowProps) {
  const { path, name, depth, bars, skipped } = lane;
  const took = bars.reduce((sum, { lasts, kind }) => (kind === 'queue' ? sum : sum + lasts), 0);
  return (
    <a
      href={stepLink(run, path)}
      class="bar"
      data-path={path}
      aria-current={isChosen ? 'true' : undefined}
      onClick={onStepClick(path)}
    >
      <span class={`name depth-${String(Math.min(depth, 4))}`}>
        <Line value={name} limit={60} />
      </span>
      <svg viewBox={`0 0 ${String(width)} ${String(height)}`} preserveAspectRatio="none" aria-hidden="true">
        <rect class="track" width={width} height={height} />
        {ticks.map((x) => (
          <line key={x} class="tick" x1={x} x2={x} y1="0" y2={height} vector-effect="non-scaling-stroke" />
        ))}
        {bars.map((bar) => (
          <Shape
            key={bar.from}
            kind={bar.kind}
            tone={toneOfBar(bar, lane.status)}
            x={bar.start * width}
            length={(bar.end - bar.start) * width}
            tall={height}
            title={barInWords(bar)}
          />
        ))}
        {isOpen && (
          <line class="now" x1={width} x2={width} y1="0" y2={height} vector-effect="non-scaling-stroke" />
        )}
      </svg>
      {skipped !== null && <span class="skipped">{`skipped: ${oneLine(skipped.why, 120)}`}</span>}
      <span class="unseen">{inWords(lane)}</span>
      <span class="took">{bars.length > 0 && duration(took)}</span>
    </a>
  );
}

/** A failed attempt is red although a later one succeeded. */
function toneOfBar({ kind, result, to }: Bar, status: string): string {
  if (kind === 'gate') return 'wait';
  if (kind === 'pause' || kind === 'queue') return 'calm';
  if (result === null) return to === null ? 'busy' : toneOf(status);
  return { done: 'good', failed: 'bad', incomplete: 'wait', stopped: 'calm' }[result];
}

interface ShapeProps {
  readonly kind: Bar['kind'];
  readonly tone: string;
  readonly x: number;
  readonly length: number;
  readonly tall: number;
  readonly title?: string;
}

/** Work is a full bar, a check a half one, the steps inside a thin one, waiting a line. */
function Shape({ kind, tone, x, length, tall, title }: ShapeProps) {
  const share = { worker: 0.78, check: 0.44, gate: 0.78, body: 0.28, pause: 0.12, queue: 0.12 }[kind];
  const high = tall * share;
  return (
    <rect
      class={`fill ${tone} ${kind}`}
      x={x}
      y={(tall - high) / 2}
      width={Math.max(kind === 'queue' ? 0 : 3, length)}
      height={high}
    >
      {title !== undefined && <title>{title}</title>}
    </rect>
  );
}

/** `round 2, attempt 1 by claude`. */
export function stretchInWords({ kind, iteration, attempt, provider }: Stretch): string {
  const round = iteration > 1 ? `round ${String(iteration)}, ` : '';
  const what = kind === 'worker' ? `${round}attempt ${String(attempt)}` : `${round}${words[kind]}`;
  const who = provider === null ? '' : kind === 'pause' ? `: ${provider} is rate limited` : ` by ${provider}`;
  return `${what}${who}`;
}

/** With its end: `attempt 2, 3.1s, failed: exit code 1`. */
function barInWords(bar: Bar): string {
  const { to, lasts, result, reason } = bar;
  const how = result === null ? '' : `, ${result}`;
  const why = reason === null ? '' : `: ${oneLine(reason, 200)}`;
  return `${stretchInWords(bar)}, ${duration(lasts)}${to === null ? ' so far' : ''}${how}${why}`;
}

function inWords({ status, bars }: Lane): string {
  return `: ${[status.toLowerCase(), ...bars.map(barInWords)].join('; ')};`;
}

export function stepLink(run: string, path: string): string {
  return `${link('runs', run)}?step=${encodeURIComponent(path)}`;
}
