import type { Standing } from '../documents/standing.ts';
import type { StepDocument, StepDocuments } from '../documents/runs.ts';
import type { Stretch, TimelineDocument } from '../documents/runs.ts';
import type { Json } from '../kernel/json.ts';

/* What the views of a run compute from its documents, purely. */

/** A step, or a round of a loop, with what is inside it. */
export interface StepRow {
  /** `deploy/2/build`: the round of a loop is a part of the path. */
  readonly path: string;
  /** The last part of the path; of a round its item. */
  readonly name: string;
  /** The path, with the items of the rounds around it: `deploy/2/build (south)`. */
  readonly title: string;
  readonly depth: number;
  readonly standing: Standing;
  /** Null: it is a round. */
  readonly step: StepDocument | null;
  /** Of a loop: `30 rounds, 1 failed`; null: it is none. */
  readonly rounds: string | null;
  readonly inside: readonly StepRow[];
}

/** What a person looks at first. */
const urgency: readonly Standing['is'][] = ['failed', 'needs you', 'working', 'waiting', 'done'];

function byUrgency(a: Pick<StepRow, 'standing'>, b: Pick<StepRow, 'standing'>): number {
  return urgency.indexOf(a.standing.is) - urgency.indexOf(b.standing.is);
}

/** What is around rows. */
interface Around {
  /** Null: they are those of the run. */
  readonly path: string | null;
  /** The names of rounds. */
  readonly items: readonly string[];
  readonly depth: number;
}

/** The steps in the order of the definition; of a loop, the rounds that failed come first. */
export function treeOf(
  steps: StepDocuments,
  around: Around = { path: null, items: [], depth: 0 },
): StepRow[] {
  return Object.entries(steps).map(([id, step]) => {
    const place = within(around, id);
    const rounds = (step.items ?? []).map((round) => roundOf(place, round)).toSorted(byUrgency);
    const inner = step.steps === undefined ? [] : treeOf(step.steps, below(place));
    const { standing } = step;
    const own = { name: id, standing, step, rounds: roundsInWords(step, rounds) };
    return { ...place, ...own, inside: [...inner, ...rounds] };
  });
}

function within({ path, items, depth }: Around, part: string, name = '') {
  const own = path === null ? part : `${path}/${part}`;
  const named = name === '' ? items : [...items, name];
  return {
    path: own,
    items: named,
    title: `${own}${named.length > 0 ? ` (${named.join(', ')})` : ''}`,
    depth,
  };
}

function below({ path, items, depth }: Around): Around {
  return { path, items, depth: depth + 1 };
}

type Round = NonNullable<StepDocument['items']>[number];

function roundOf(loop: Around, { index, item, steps }: Round): StepRow {
  const name = nameOfRound(item, index);
  const place = within(below(loop), String(index), name);
  const rows = treeOf(steps, below(place));
  return { ...place, name, standing: standingOfRound(rows), step: null, rounds: null, inside: rows };
}

function standingOfRound(inside: readonly StepRow[]): Standing {
  const [worst] = inside.toSorted(byUrgency);
  const is = worst?.standing.is ?? 'waiting';
  return { is, word: is, for: [], until: null };
}

function nameOfRound(item: Json, index: number): string {
  if (typeof item === 'string' && item !== '') return item;
  return item === null || item === '' ? `round ${String(index)}` : JSON.stringify(item);
}

function roundsInWords({ items, iterations }: StepDocument, rounds: readonly StepRow[]): string | null {
  const count = items === undefined ? iterations : rounds.length;
  if (count === 0 || (items === undefined && count < 2)) return null;
  const failed = rounds.filter(({ standing }) => standing.is === 'failed').length;
  return `${String(count)} ${count === 1 ? 'round' : 'rounds'}${failed > 0 ? `, ${String(failed)} failed` : ''}`;
}

/** All rows with those inside them. */
export function allOf(rows: readonly StepRow[]): StepRow[] {
  return rows.flatMap((row) => [row, ...allOf(row.inside)]);
}

/** The rows that are shown: those inside of a row only where it is open. */
export function unfolded(rows: readonly StepRow[], isOpen: (path: string) => boolean): StepRow[] {
  return rows.flatMap((row) => [row, ...(isOpen(row.path) ? unfolded(row.inside, isOpen) : [])]);
}

/** The steps that stand so, without what is around them. */
export function standingSo(rows: readonly StepRow[], is: Standing['is']): StepRow[] {
  return rows.flatMap((row) => {
    const inside = standingSo(row.inside, is);
    if (inside.length > 0 || row.step === null || row.standing.is !== is) return inside;
    return [row];
  });
}

/** The step to look at first: what failed, what asks, what runs, or what ended last. */
export function firstToLookAt(rows: readonly StepRow[]): StepRow | undefined {
  const found = mostUrgent(rows);
  if (found !== undefined) return found;
  const ended = allOf(rows).filter(({ step, inside }) => step?.completed_at != null && inside.length === 0);
  return ended.reduce<StepRow | undefined>((last, row) => (endOf(row) >= endOf(last) ? row : last), ended[0]);
}

/** What failed, asks or runs. */
function mostUrgent(rows: readonly StepRow[]): StepRow | undefined {
  for (const is of urgency.slice(0, 3)) {
    const [found] = standingSo(rows, is);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Where a run has got to, once the shown step is done; undefined: it is not, or nothing moves. */
export function nextToLookAt(rows: readonly StepRow[], shown: StepRow | undefined): StepRow | undefined {
  return shown?.standing.is === 'done' ? mostUrgent(rows) : undefined;
}

/**
 * What is shown while no step is chosen. What was opened stays, so that no log goes away from
 * under its reader; only where it was not touched and is done, what failed or needs a person comes.
 */
export function keptInSight(
  rows: readonly StepRow[],
  opened: string | null,
  isTouched: boolean,
): StepRow | undefined {
  const kept = allOf(rows).find(({ path }) => path === opened);
  if (kept === undefined) return firstToLookAt(rows);
  const next = isTouched ? undefined : nextToLookAt(rows, kept);
  return next === undefined || next.standing.is === 'working' ? kept : next;
}

function endOf(row: StepRow | undefined): number {
  // What was skipped at the end has printed nothing.
  return row?.step?.started_at == null ? 0 : Date.parse(row.step.completed_at ?? row.step.started_at);
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
  readonly name: string;
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
  /** In the order of the rows: steps that began, those that were skipped, and rounds. */
  readonly lanes: readonly Lane[];
}

/** By the path of what contains steps, from the first one's beginning to the last one's end. */
function roundSpans(stretches: ReadonlyMap<string, readonly Stretch[]>): Map<string, Stretch> {
  const spans = new Map<string, Stretch>();
  for (const [step, own] of stretches)
    for (let path = scopeOf(step); path !== ''; path = scopeOf(path))
      for (const each of own) {
        const { from, to } = spans.get(path) ?? each;
        const isOpen = to === null || each.to === null;
        spans.set(path, {
          ...each,
          kind: 'body',
          result: null,
          reason: null,
          provider: null,
          from: from < each.from ? from : each.from,
          to: isOpen ? null : to > each.to ? to : each.to,
        });
      }
  return spans;
}

function scopeOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
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
    const before = stretches.get(step);
    if (before === undefined) stretches.set(step, [...own]);
    else before.push(...own);
  }
  const all = [...stretches.values()].flat();
  if (all.length === 0) return null;
  const end = now ?? Date.parse(last ?? all[0]!.from);
  const start = all.reduce((least, { from }) => Math.min(least, Date.parse(from)), Infinity);
  const latest = all.reduce((most, { to }) => (to === null ? most : Math.max(most, Date.parse(to))), end);
  const length = Math.max(1, latest - start);
  const part = (time: number) => Math.min(1, Math.max(0, (time - start) / length));
  const barOf = (stretch: Stretch): Bar => {
    const [from, to] = [Date.parse(stretch.from), stretch.to === null ? end : Date.parse(stretch.to)];
    return { ...stretch, start: part(from), end: part(to), lasts: Math.max(0, to - from) };
  };
  const rounds = roundSpans(stretches);
  const lanes = rows.flatMap(({ path, name, depth, step, standing }): Lane[] => {
    const round = rounds.get(path);
    if (step === null) {
      const bars = round === undefined ? [] : [barOf(round)];
      return [{ path, name, depth, status: standing.word, bars, skipped: null }];
    }
    const { status, reason, completed_at: at } = step;
    const bars = (stretches.get(path) ?? []).map(barOf);
    const isSkipped = status === 'SKIPPED' && at !== null;
    const skipped = isSkipped ? { at: part(Date.parse(at)), why: reason ?? 'skipped' } : null;
    return bars.length === 0 && skipped === null ? [] : [{ path, name, depth, status, bars, skipped }];
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
  ...[0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30].map((count) => count * second),
  ...[1, 2, 5, 10, 15, 30].map((count) => count * minute),
  ...[1, 2, 3, 6, 12].map((count) => count * hour),
];
const mostTicks = 6;

function ticksOf(length: number): number[] {
  const found = distances.find((each) => length / each < mostTicks);
  const distance = found ?? Math.ceil(length / mostTicks / day) * day;
  return Array.from({ length: Math.floor(length / distance) + 1 }, (_, index) => index * distance);
}
