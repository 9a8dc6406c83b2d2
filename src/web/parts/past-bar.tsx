import { useSignal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { oneLine } from '../../kernel/one-line.ts';
import { moment, seconds } from '../../kernel/local-time.ts';
import { useLive } from '../state/live.ts';
import { clock } from '../state/clock.ts';
import { at } from '../api/client.ts';
import { parts } from '../state/route.ts';
import { past, pastProblem, showNow, showTime, stepRecords } from '../state/past.ts';
import { agoOf } from '../times.ts';
import { Trouble } from './panel.tsx';
import type { RunSummary, TimelineDocument } from '../../documents/runs.ts';
import type { MomentsDocument } from '../../documents/mail.ts';

/** The number of places of the slider. */
const places = 1_000;
/** Milliseconds for which the slider rests before its place is shown. */
const rest = 80;

/** From the first change that can be shown to the last, in milliseconds since 1970. */
interface Span {
  readonly first: number;
  readonly last: number;
}

/** Now is the last place of the slider; the last change is a little before it. */
const lengthOf = ({ first, last }: Span) => Math.max(1, (last - first) * 1.02);

const placeOf = (span: Span, time: number) =>
  Math.max(0, Math.min(places - 1, (places * (time - span.first)) / lengthOf(span)));

/** A place of the slider becomes the time that the page shows, once the slider rests. */
function useSlider(span: Span | null) {
  const moving = useSignal<{ readonly time: number; readonly isNow: boolean; readonly timer: number } | null>(
    null,
  );
  const isNow = moving.value?.isNow ?? past.value === null;
  const shown = moving.value?.time ?? past.value?.time ?? clock.peek();
  // A place that was chosen before it is known where the past begins.
  const wanted = useSignal<number | null>(null);
  const goTo = (place: number) => {
    if (span === null) {
      wanted.value = place;
      return;
    }
    clearTimeout(moving.value?.timer);
    const time = Math.round(span.first + (lengthOf(span) * place) / places);
    const timer = window.setTimeout(() => {
      const shows = place >= places ? showNow() : showTime(time);
      void Promise.resolve(shows).finally(() => {
        if (moving.value?.timer === timer) moving.value = null;
      });
    }, rest);
    moving.value = { time, isNow: place >= places, timer };
  };
  useEffect(() => {
    const place = wanted.value;
    if (span === null || place === null) return;
    wanted.value = null;
    goTo(place);
  }, [span === null]);
  const stop = () => clearTimeout(moving.value?.timer);
  const place = span === null ? (wanted.value ?? places) : isNow ? places : placeOf(span, shown);
  return { shown, place: Math.round(place), isNow, isLoading: wanted.value !== null, goTo, stop };
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
  const known = useChanges();
  const changes = known ?? [];
  const first = changes[0]?.time ?? clock.peek() - 1_000;
  const span = known === null ? null : { first, last: changes.at(-1)?.time ?? first };
  const { shown, place, isNow, isLoading, goTo, stop } = useSlider(span);
  const { move, isFirst } = useMoves(shown, changes);
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
  const said = value === null ? null : (changes.find(({ time }) => time === value.time)?.what ?? value.what);
  const what = said === null ? null : oneLine(said, 200);
  return (
    <div class="past" role="region" aria-label="The past">
      <label for="past">The past</label>
      <div class="track">
        <Marks span={span} changes={changes} />
        <input
          id="past"
          type="range"
          min={0}
          max={places}
          value={place}
          aria-busy={span === null}
          aria-valuetext={isNow ? 'now' : [ago, ...(what === null ? [] : [what])].join(': ')}
          onKeyDown={pressed}
          onInput={(event) => goTo(Number(event.currentTarget.value))}
        />
      </div>
      <output for="past">
        {isLoading ? 'loading …' : value === null ? 'now' : ago}
        {value !== null && value.record > 0 && `, record ${String(value.record)}`}
      </output>
      <button type="button" aria-label="Change before" disabled={isFirst} onClick={() => move(-1)}>
        ←
      </button>
      <button type="button" aria-label="Change after" disabled={value === null} onClick={() => move(1)}>
        →
      </button>
      <TimeField />
      <button type="button" class="primary" onClick={end}>
        Back to now
      </button>
      {pastProblem.value !== null && <Trouble problem={pastProblem.value} />}
      {value !== null && <Then what={what} />}
    </div>
  );
}

/** A time that is typed or chosen is shown once the field is left, or by Enter. */
function TimeField() {
  const field = useRef<HTMLInputElement>(null);
  const time = past.value?.time ?? null;
  const minute = time === null ? '' : localMinute(time);
  useEffect(() => {
    if (field.current !== null) field.current.value = minute;
  }, [minute]);
  const show = () => {
    const chosen = field.current?.value ?? '';
    if (chosen === '' || chosen === minute) return;
    const wanted = Date.parse(chosen);
    if (wanted < clock.peek()) void showTime(wanted);
    else showNow();
  };
  return (
    <input
      ref={field}
      type="datetime-local"
      aria-label="Time to show"
      onBlur={show}
      onKeyDown={({ key }) => key === 'Enter' && show()}
    />
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

/** When something happened, in milliseconds since 1970; `what`: in words, where known here. */
interface Change {
  readonly time: number;
  readonly failed: boolean;
  readonly what: string | null;
}

/** Changes of the mail and of runs, by their time; null: not known yet. */
function useChanges(): readonly Change[] | null {
  const mail = useLive<MomentsDocument>('/moments', 'now').value.value;
  const runs = useLive<readonly RunSummary[]>('/workflow-runs', 'now').value.value;
  return useMemo(
    () =>
      mail &&
      runs &&
      [
        ...mail.marks.map(({ time, failed }) => ({ time: Date.parse(time), failed, what: null })),
        ...runs.slice(0, mostRuns).flatMap(changesOf),
      ].toSorted((one, other) => one.time - other.time),
    [mail, runs],
  );
}

/** How many of the newest runs have their changes in the past. */
const mostRuns = 100;

function changesOf({ run, workflow, started_at, completed_at, standing }: RunSummary): Change[] {
  const of = (time: string | null, failed: boolean, how: string): Change[] =>
    time === null ? [] : [{ time: Date.parse(time), failed, what: `${workflow} ${run}: ${how}` }];
  return [...of(started_at, false, 'began'), ...of(completed_at, standing.is === 'failed', standing.word)];
}

/** To the change before or after. `shown`: milliseconds since 1970. */
function useMoves(shown: number, changes: readonly Change[]) {
  const [view, id] = parts.value;
  const ofRun = view === 'runs' && id != null;
  const timeline = useLive<TimelineDocument>(ofRun ? `${at('workflow-runs', id)}/timeline` : null, 'now')
    .value.value;
  const last = useLive<MomentsDocument>('/moments', 'now').value.value?.records ?? 0;
  const stretches = timeline?.steps.flatMap((step) => step.stretches) ?? [];
  const times = ofRun
    ? stretches.flatMap(({ from, to }) => [from, to ?? from]).map((time) => Date.parse(time))
    : changes.flatMap(({ time, what }) => (what === null ? [] : [time]));
  const inOrder = [...new Set(times)].toSorted((one, other) => one - other);
  const before = inOrder.filter((time) => time < shown);
  const after = inOrder.filter((time) => time > shown);
  if (!ofRun)
    return {
      isFirst: before.length === 0 && (past.value === null ? last === 0 : past.value.record <= 1),
      // A run and the mail each have their own records: what is nearer is next.
      move: (by: number) =>
        stepRecords(by, last, Math.abs(by) > 1 ? null : ((by < 0 ? before.at(-1) : after[0]) ?? null)),
    };
  const move = (by: number) => {
    const to = by < 0 ? (before.at(by) ?? before[0]) : (after[by - 1] ?? after.at(-1));
    if (to !== undefined) void showTime(to);
    else if (by > 0) showNow();
  };
  return { isFirst: before.length === 0, move };
}

/** Where in the past something happened; failures have their colour. */
function Marks({ span, changes }: { readonly span: Span | null; readonly changes: readonly Change[] }) {
  if (span === null) return null;
  const path = (isFailed: boolean) =>
    changes
      .filter(({ time, failed }) => failed === isFailed && time >= span.first)
      .map(({ time }) => `M${placeOf(span, time).toFixed(1)} 0v9`)
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

/** As a field of a date and a time has it. */
function localMinute(time: number): string {
  const date = new Date(time);
  return new Date(time - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
