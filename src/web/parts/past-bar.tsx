import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { moment, seconds } from '../../kernel/local-time.ts';
import { useLive } from '../state/live.ts';
import { clock } from '../state/clock.ts';
import { at } from '../api/client.ts';
import { parts } from '../state/route.ts';
import { past, pastProblem, showMoment, showNow } from '../state/past.ts';
import { Trouble } from './panel.tsx';
import type { RunSummary, TimelineDocument } from '../../documents/runs.ts';
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

/** A slider over the whole past of the project: what the page shows is as it was then. */
export function PastBar({ close }: { readonly close: () => void }) {
  const first = useFirst();
  const { shown, place, isNow, isLoading, goTo, stop } = useSlider(first);
  const record = past.value?.record ?? 0;
  const end = () => {
    stop();
    showNow();
    close();
  };
  return (
    <div class="past" role="region" aria-label="The past">
      <label for="past">The past</label>
      <input
        id="past"
        type="range"
        min={0}
        max={places}
        value={place}
        aria-busy={first === null}
        aria-valuetext={isNow ? 'now' : inWords(shown)}
        onInput={(event) => goTo(Number(event.currentTarget.value))}
      />
      <output for="past">
        {isLoading ? 'loading …' : past.value === null ? 'now' : inWords(past.value.time)}
        {record > 0 && `, record ${String(record)}`}
      </output>
      <Steps shown={shown} record={record} />
      <button type="button" class="primary" onClick={end}>
        Back to now
      </button>
      {pastProblem.value !== null && <Trouble problem={pastProblem.value} />}
      {past.value !== null && (
        <p class="help">
          Roles, threads, turns and runs are as they were, all else is of now, and nothing can be changed.
        </p>
      )}
    </div>
  );
}

/** To what was before and after: a record of the mail, or what happened in the shown run. */
function Steps({ shown, record }: { readonly shown: number; readonly record: number }) {
  const [view, id] = parts.value;
  if (view === 'runs' && id != null) return <Changes run={id} shown={shown} />;
  const [before, after] = [record - 1, record + 1].map(String);
  return (
    <Ways what="Record" before={record > 1 ? before : undefined} after={record > 0 ? after : undefined} />
  );
}

/** `shown`: milliseconds since 1970. */
function Changes({ run, shown }: { readonly run: string; readonly shown: number }) {
  const timeline = useLive<TimelineDocument>(`${at('workflow-runs', run)}/timeline`, 'now').value.value;
  const stretches = timeline?.steps.flatMap((step) => step.stretches) ?? [];
  const times = stretches.flatMap(({ from, to }) => [from, to ?? from]).toSorted();
  return (
    <Ways
      what="Change"
      before={times.findLast((time) => Date.parse(time) < shown)}
      after={times.find((time) => Date.parse(time) > shown)}
    />
  );
}

interface WaysProps {
  readonly what: string;
  /** Moments as the address has them. */
  readonly before: string | undefined;
  readonly after: string | undefined;
}

function Ways({ what, before, after }: WaysProps) {
  const button = (to: string | undefined, where: string) => (
    <button type="button" disabled={to === undefined} onClick={() => to !== undefined && void showMoment(to)}>
      {`${what} ${where}`}
    </button>
  );
  return (
    <>
      {button(before, 'before')}
      {button(after, 'after')}
    </>
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
