import { signal } from '@preact/signals';
import { Problem, read } from '../api/client.ts';
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
}

/** The moment that the page shows; null: now. */
export const past = signal<PastMoment | null>(null);

/** Why the moment that was asked for cannot be shown. */
export const pastProblem = signal<Problem | null>(null);

/** Whether the slider over the past is shown. */
export const isPastShown = signal(false);

let asked = 0;

/** Shows a moment once the server has found it; else what was shown stays, and the bar says why. */
export async function showMoment(text: string): Promise<void> {
  asked += 1;
  const own = asked;
  isPastShown.value = true;
  try {
    const { document } = await read<Overview>(`/status?at=${encodeURIComponent(text)}`);
    if (own !== asked || document?.at == null) return;
    const { record, time } = document.at;
    const isRecord = /^\d+$/.test(text);
    past.value = { at: isRecord ? text : time, record, time: Date.parse(time) };
    pastProblem.value = null;
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    if (own === asked) pastProblem.value = error;
  }
  refine('at', past.value?.at ?? '');
}

/** Shows the present. */
export function showNow(): void {
  asked += 1;
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
