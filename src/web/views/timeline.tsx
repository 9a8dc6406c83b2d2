import { duration, seconds } from '../../kernel/times.ts';
import { Empty } from '../parts/panel.tsx';
import { Line, toneOf } from '../parts/text.tsx';
import { now } from '../state/now.ts';
import { timelineOf, type StepRow } from '../steps.ts';
import { link } from '../state/route.ts';

const height = 10;

/** A bar for each step that has started, on one axis. */
export function StepBars({ run, rows }: { readonly run: string; readonly rows: readonly StepRow[] }) {
  const isOpen = rows.some(({ step }) => step.started_at !== null && step.completed_at === null);
  const { start, end, bars } = timelineOf(rows, isOpen ? now.value : 0);
  if (bars.length === 0) return <Empty>No step has started.</Empty>;
  return (
    <div class="timeline">
      {bars.map(({ path, status, from, to }) => (
        <a key={path} href={stepLink(run, path)} class="bar">
          <span class="name">
            <Line value={path} limit={60} />
          </span>
          <svg viewBox={`0 0 1000 ${String(height)}`} preserveAspectRatio="none" aria-hidden="true">
            <rect class="track" width="1000" height={height} />
            <rect
              class={`fill ${toneOf(status)}`}
              x={from * 1000}
              width={Math.max(4, (to - from) * 1000)}
              height={height}
            />
          </svg>
          <span class="took">{duration((to - from) * (end - start))}</span>
        </a>
      ))}
      <p class="axis dim">
        <span>{seconds(start)}</span>
        <span>{isOpen ? 'now' : seconds(end)}</span>
      </p>
    </div>
  );
}

export function stepLink(run: string, path: string): string {
  return `${link('runs', run)}?step=${encodeURIComponent(path)}`;
}
