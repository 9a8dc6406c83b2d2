import type { StepDocument, StepDocuments } from '../documents/runs.ts';
import type { Stretch, TimelineDocument } from '../documents/runs.ts';

/* What the views of a run compute from its documents, purely. */

export interface StepRow {
  /** `deploy/2/build`: the iteration of a loop is a part of the path. */
  readonly path: string;
  readonly depth: number;
  readonly step: StepDocument;
}

/** All steps with those inside them, in the order of the definition. */
export function rowsOf(steps: StepDocuments, within = '', depth = 0): StepRow[] {
  return Object.entries(steps).flatMap(([id, step]) => {
    const path = within === '' ? id : `${within}/${id}`;
    const inner = step.steps === undefined ? [] : rowsOf(step.steps, path, depth + 1);
    const items = (step.items ?? []).flatMap((item) =>
      rowsOf(item.steps, `${path}/${String(item.index)}`, depth + 1),
    );
    return [{ path, depth, step }, ...inner, ...items];
  });
}

/** A stretch of a step on the axis: fractions of its length. */
export interface Bar extends Stretch {
  readonly start: number;
  readonly end: number;
  /** Milliseconds. */
  readonly lasts: number;
}

export interface Lane {
  readonly path: string;
  readonly depth: number;
  readonly status: string;
  readonly bars: readonly Bar[];
  /** Why it did not run, and where on the axis that was decided; null: it did. */
  readonly skipped: { readonly at: number; readonly why: string } | null;
}

export interface Timeline {
  /** Milliseconds since 1970. */
  readonly start: number;
  readonly end: number;
  /** Milliseconds after the start, at round distances. */
  readonly ticks: readonly number[];
  /** In the order of the definition: steps that began, and those that were skipped. */
  readonly lanes: readonly Lane[];
}

/**
 * The steps of a run on one axis, from the first start to `now`, or, where the run has no host, to
 * the last record. Null: nothing has begun.
 */
export function timelineOf(
  rows: readonly StepRow[],
  { steps, last }: Pick<TimelineDocument, 'steps' | 'last'>,
  now: number | null,
): Timeline | null {
  const stretches = new Map<string, Stretch[]>();
  for (const { path, stretches: own } of steps) {
    // All visits of a step in a sequence share its lane.
    const step = path.replaceAll(/#\d+/g, '');
    stretches.set(step, [...(stretches.get(step) ?? []), ...own]);
  }
  const all = [...stretches.values()].flat();
  if (all.length === 0) return null;
  const end = now ?? Date.parse(last ?? all[0]!.from);
  const start = Math.min(...all.map(({ from }) => Date.parse(from)));
  const length = Math.max(1, end - start, ...all.map(({ to }) => (to === null ? 0 : Date.parse(to) - start)));
  const part = (time: number) => Math.min(1, Math.max(0, (time - start) / length));
  const barOf = (stretch: Stretch): Bar => {
    const [from, to] = [Date.parse(stretch.from), stretch.to === null ? end : Date.parse(stretch.to)];
    return { ...stretch, start: part(from), end: part(to), lasts: Math.max(0, to - from) };
  };
  const lanes = rows.flatMap(({ path, depth, step: { status, reason, completed_at: at } }): Lane[] => {
    const bars = (stretches.get(path) ?? []).map(barOf);
    const isSkipped = status === 'SKIPPED' && at !== null;
    const skipped = isSkipped ? { at: part(Date.parse(at)), why: reason ?? 'skipped' } : null;
    return bars.length === 0 && skipped === null ? [] : [{ path, depth, status, bars, skipped }];
  });
  return { start, end: start + length, ticks: ticksOf(length), lanes };
}

/** What a timeline showed at a moment of the past, in milliseconds since 1970. */
export function untilThen(document: TimelineDocument, then: number): TimelineDocument {
  const steps = document.steps.flatMap(({ path, stretches }) => {
    const begun = stretches.filter(({ from }) => Date.parse(from) <= then);
    if (begun.length === 0) return [];
    const known = begun.map((each) =>
      each.to !== null && Date.parse(each.to) > then
        ? { ...each, to: null, result: null, reason: null }
        : each,
    );
    return [{ path, stretches: known }];
  });
  return { ...document, steps };
}

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;
/** Round distances of ticks, in milliseconds. */
const distances = [
  ...[1, 2, 5, 10, 15, 30].map((count) => count * second),
  ...[1, 2, 5, 10, 15, 30].map((count) => count * minute),
  ...[1, 2, 3, 6, 12].map((count) => count * hour),
];
const mostTicks = 6;

function ticksOf(length: number): number[] {
  const found = distances.find((each) => length / each < mostTicks);
  const distance = found ?? Math.ceil(length / mostTicks / day) * day;
  return Array.from({ length: Math.floor(length / distance) + 1 }, (_, index) => index * distance);
}
