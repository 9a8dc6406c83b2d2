import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { oneLine } from '../../kernel/one-line.ts';
import { moment, seconds } from '../../kernel/local-time.ts';
import { useLive } from '../state/live.ts';
import { clock } from '../state/clock.ts';
import { at } from '../api/client.ts';
import { parts } from '../state/route.ts';
import { past, pastProblem, showMoment, showNow, stepRecords } from '../state/past.ts';
import { agoOf } from '../times.ts';
import { Trouble } from './panel.tsx';
import type { RunSummary, TimelineDocument } from '../../documents/runs.ts';
import type { MomentsDocument } from '../../documents/mail.ts';
import type { Overview } from '../../documents/status.ts';

/** The number of places of the slider. */
const places = 1_000;
/** Milliseconds for which the slider rests before its place is shown. */
const rest = 80;

/** A place of the slider becomes the time that the page shows, once the slider rests. */
function useSlider(first: number | null) {
  const last = useSignal(clock.peek());
  const moving = useSignal<{ readonly time: number; readonly timer: number } | null>(null);
  const shown = moving.value?.time ?? past.value?.time ?? last.value;
  const length = Math.max(1, last.value - (first ?? 0));
  // A place that was chosen before it is known where the past begins.
  const wanted = useSignal<number | null>(null);
  const goTo = (place: number) => {
    if (first === null) {
      wanted.value = place;
      return;
    }
    clearTimeout(moving.value?.timer);
    const time = Math.round(first + (length * place) / places);
    const timer = window.setTimeout(() => {
      const shows = place >= places ? showNow() : showMoment(new Date(time).toISOString());
      void Promise.resolve(shows).finally(() => {
        if (moving.value?.timer === timer) moving.value = null;
      });
    }, rest);
    moving.value = { time, timer };
  };
  useEffect(() => {
    const place = wanted.value;
    if (first === null || place === null) return;
    wanted.value = null;
    goTo(place);
  }, [first]);
  const stop = () => clearTimeout(moving.value?.timer);
  const place = first === null ? (wanted.value ?? places) : Math.round((places * (shown - first)) / length);
  return { shown, place, isNow: shown === last.value, isLoading: wanted.value !== null, goTo, stop };
}

/** How many changes each key of the slider moves what is shown. */
const moves: Readonly<Record<string, number>> = {
  ArrowLeft: -1,
  ArrowDown: -1,
  ArrowRight: 1,
  ArrowUp: 1,
  PageDown: -10,
  PageUp: 10,
};

/** A slider over the whole past of the project: what the page shows is as it was then. */
export function PastBar({ close }: { readonly close: () => void }) {
  const first = useFirst();
  const { shown, place, isNow, isLoading, goTo, stop } = useSlider(first);
  const { move, isFirst } = useMoves(shown);
  const { value } = past;
  const end = () => {
    stop();
    showNow();
    close();
  };
  const pressed = (event: KeyboardEvent) => {
    const by = Object.hasOwn(moves, event.key) ? moves[event.key] : undefined;
    if (by === undefined) return;
    event.preventDefault();
    stop();
    move(by);
  };
  const ago = `${inWords(shown)}, ${agoOf(new Date(shown).toISOString(), clock.value)}`;
  const what = value === null || value.what === null ? null : oneLine(value.what, 200);
  return (
    <div class="past" role="region" aria-label="The past">
      <label for="past">The past</label>
      <div class="track">
        <Marks first={first} />
        <input
          id="past"
          type="range"
          min={0}
          max={places}
          value={place}
          aria-busy={first === null}
          aria-valuetext={isNow ? 'now' : [ago, ...(what === null ? [] : [what])].join(': ')}
          onKeyDown={pressed}
          onInput={(event) => goTo(Number(event.currentTarget.value))}
        />
      </div>
      <output for="past">
        {isLoading ? 'loading …' : value === null ? 'now' : ago}
        {value !== null && value.record > 0 && `, record ${String(value.record)}`}
      </output>
      <button type="button" disabled={isFirst} onClick={() => move(-1)}>
        Change before
      </button>
      <button type="button" disabled={value === null} onClick={() => move(1)}>
        Change after
      </button>
      <button type="button" class="primary" onClick={end}>
        Back to now
      </button>
      {pastProblem.value !== null && <Trouble problem={pastProblem.value} />}
      {value !== null && <Then what={what} />}
    </div>
  );
}

/** What happened at the shown moment, and what of the page is of it. */
function Then({ what }: { readonly what: string | null }) {
  return (
    <p>
      {what !== null && <strong>{what}</strong>}{' '}
      <span class="help">
        Roles, threads, turns and runs are as they were, all else is of now, and nothing can be changed.
      </span>
    </p>
  );
}

/**
 * To what was before and after: a record of the mail, or what happened in the shown run. `shown`:
 * milliseconds since 1970.
 */
function useMoves(shown: number) {
  const [view, id] = parts.value;
  const ofRun = view === 'runs' && id != null;
  const timeline = useLive<TimelineDocument>(ofRun ? `${at('workflow-runs', id)}/timeline` : null, 'now')
    .value.value;
  const last = useLive<MomentsDocument>('/moments', 'now').value.value?.records ?? 0;
  if (!ofRun)
    return {
      isFirst: past.value === null ? last === 0 : past.value.record <= 1,
      move: (by: number) => stepRecords(by, last),
    };
  const stretches = timeline?.steps.flatMap((step) => step.stretches) ?? [];
  const times = [...new Set(stretches.flatMap(({ from, to }) => [from, to ?? from]))].toSorted();
  const before = times.filter((time) => Date.parse(time) < shown);
  const move = (by: number) => {
    const after = times.filter((time) => Date.parse(time) > shown);
    const to = by < 0 ? (before.at(by) ?? before[0]) : (after[by - 1] ?? after.at(-1));
    if (to !== undefined) void showMoment(to);
    else if (by > 0) showNow();
  };
  return { isFirst: before.length === 0, move };
}

/** Where in the past something happened; failures have their colour. */
function Marks({ first }: { readonly first: number | null }) {
  const found = useLive<MomentsDocument>('/moments', 'now').value.value?.marks ?? [];
  const runs = useLive<readonly RunSummary[]>('/workflow-runs', 'now').value.value ?? [];
  if (first === null) return null;
  const length = Math.max(1, clock.value - first);
  const all = [
    ...found,
    ...runs
      .slice(0, 100)
      .flatMap(({ started_at: time, standing }) =>
        time === null ? [] : [{ time, failed: standing.is === 'failed' }],
      ),
  ];
  const path = (isFailed: boolean) =>
    all
      .filter(({ time, failed }) => failed === isFailed && Date.parse(time) >= first)
      .map(({ time }) => `M${((places * (Date.parse(time) - first)) / length).toFixed(1)} 0v9`)
      .join('');
  return (
    <svg class="marks" viewBox={`0 0 ${String(places)} 9`} preserveAspectRatio="none" aria-hidden="true">
      <path d={path(false)} />
      <path class="bad" d={path(true)} />
    </svg>
  );
}

function inWords(time: number): string {
  return `${moment(new Date(time).toISOString())}${seconds(time).slice(5)}`;
}

/**
 * When what can be shown begins: with the first record of the mail, else with the first thread or
 * run; null: not known yet.
 */
function useFirst(): number | null {
  const begin = useLive<Overview>('/status?at=1');
  const status = useLive<Overview>('/status', 'now').value.value;
  const runs = useLive<readonly RunSummary[]>('/workflow-runs', 'now').value.value;
  if (begin.value.value?.at != null) return Date.parse(begin.value.value.at.time);
  if (begin.problem.value === null || status === null || runs === null) return null;
  const times = [
    ...(status.begun === null ? [] : [status.begun]),
    ...runs.flatMap(({ started_at }) => started_at ?? []),
  ].map((time) => Date.parse(time));
  return times.reduce((least, time) => Math.min(least, time), clock.peek() - 1_000);
}
