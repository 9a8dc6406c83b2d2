import { computed, signal } from '@preact/signals';
import { Problem, read } from '../api/client.ts';
import { clock } from './clock.ts';
import { query, refine } from './route.ts';
import type { Overview } from '../../documents/status.ts';

/** A moment of the past. */
export interface PastMoment {
  /** As the address has it: a record of the mail, or a time. */
  readonly at: string;
  /** The last record of the mail that it holds; 0: there is no mail. */
  readonly record: number;
  /** In milliseconds since 1970. */
  readonly time: number;
  /** What that record says; null: nothing that a person sees. */
  readonly what: string | null;
}

/** The moment that the page shows; null: now. */
export const past = signal<PastMoment | null>(null);

/** The time that the page shows: that of a moment of the past, or the present. */
export const now = computed(() => past.value?.time ?? clock.value);

/** Why the moment that was asked for cannot be shown. */
export const pastProblem = signal<Problem | null>(null);

/** Whether the slider over the past is shown. */
export const isPastShown = signal(false);

let asked = 0;
/** The record that was asked for last, until it is shown; null: none. */
let aim: number | null = null;

/**
 * Shows a moment once the server has found it; else what was shown stays, and the bar says why.
 * `way`: records that say nothing are passed over, backwards or forwards; behind the last is now.
 * `near`: a change of something else, in milliseconds since 1970, shown where it comes first.
 */
async function showMoment(text: string, way: -1 | 0 | 1 = 0, near: number | null = null): Promise<void> {
  asked += 1;
  const own = asked;
  isPastShown.value = true;
  const isRecord = /^\d+$/.test(text);
  aim = isRecord ? Number(text) : null;
  try {
    let found = await find(text);
    const isPassed = () => way !== 0 && own === asked && found?.what === null;
    while (isPassed() && found !== null && found.record + way > 0)
      found = await find(String(found.record + way));
    if (own !== asked || found === null) return;
    const isAfter = near === null ? 0 : Math.sign(near - Date.parse(found.time));
    if (near !== null && (found.what === null || isAfter === -way)) return await showTime(near);
    const { record, time, what } = found;
    past.value = { at: isRecord ? String(record) : time, record, time: Date.parse(time), what };
    pastProblem.value = null;
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    if (own !== asked) return;
    if (way === 1 && error.code === 'E_TARGET') return near === null ? showNow() : await showTime(near);
    pastProblem.value = error;
  }
  aim = null;
  refine('at', past.value?.at ?? '');
}

async function find(at: string): Promise<Overview['at']> {
  return (await read<Overview>(`/status?at=${encodeURIComponent(at)}`)).document?.at ?? null;
}

/** `time`: in milliseconds since 1970. */
export const showTime = (time: number): Promise<void> => showMoment(new Date(time).toISOString());

/**
 * Shows what so many records before or after the shown one left. `last`: the last one so far;
 * `near`: as for `showMoment`.
 */
export function stepRecords(by: number, last: number, near: number | null): void {
  const { value } = past;
  // The record of a time is the one before it, and comes first on the way back.
  const ofTime = value !== null && value.at !== String(value.record) && by < 0 ? 1 : 0;
  const record = (aim ?? (value === null ? last + 1 : value.record + ofTime)) + by;
  if (near !== null && (record > last || record < 1)) void showTime(near);
  else if (record > last) showNow();
  else void showMoment(String(Math.max(1, record)), by < 0 ? -1 : 1, near);
}

/** Shows the present. */
export function showNow(): void {
  asked += 1;
  aim = null;
  [past.value, pastProblem.value] = [null, null];
  refine('at', '');
}

/** Takes the moment from the address; a way to another view keeps the one that is shown. */
export function takeMoment(): void {
  const at = query.value.get('at');
  if (at === null) refine('at', past.value?.at ?? '');
  else if (at !== past.value?.at) void showMoment(at);
}

const ofMail = /^\/(?:status|threads|messages|turns)\b/;
const ofRuns = /^\/workflow-runs(?:\/[^/?]+)?(?:\?|$)/;

/** The path of a document as it was at a moment; of one without a past, itself. */
export function pathThen(path: string, moment: PastMoment | null): string {
  if (moment === null || /[?&]at=/.test(path)) return path;
  const then = (at: string) => `${path}${path.includes('?') ? '&' : '?'}at=${encodeURIComponent(at)}`;
  // A record of a run is one of its own journal, so runs are asked for by time.
  if (ofRuns.test(path)) return then(new Date(moment.time).toISOString());
  return ofMail.test(path) ? then(moment.at) : path;
}
