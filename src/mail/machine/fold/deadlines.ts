import type { MailState, Timer } from '../state.ts';
import type { MessageId } from '../../../kernel/ids.ts';

/** How many expired timers may remain before they are removed together. */
const slack = 64;

/** Gives a request a deadline, in milliseconds since 1970. */
export function setDeadline(state: MailState, request: MessageId, at: number): void {
  state.deadlines.set(request, at);
  push(state.timers, { at, request });
  dropPast(state);
}

/** Removes the deadline of a request. */
export function dropDeadline(state: MailState, request: MessageId): void {
  if (!state.deadlines.delete(request)) return;
  const { timers, deadlines } = state;
  if (timers.length > 2 * deadlines.size + slack) {
    timers.length = 0;
    for (const [id, at] of deadlines) push(timers, { at, request: id });
  }
  dropPast(state);
}

/** Removes expired timers, so that the earliest one is valid. */
function dropPast(state: MailState): void {
  for (let [first] = state.timers; first && !isSet(state, first); [first] = state.timers) pop(state.timers);
}

function isSet({ deadlines }: MailState, { at, request }: Timer): boolean {
  return deadlines.get(request) === at;
}

/** The requests that have timed out, the earliest first. */
export function dueRequests(state: MailState, now: number): MessageId[] {
  const due = new Map<MessageId, number>();
  const next = [0];
  for (let index = next.pop(); index !== undefined; index = next.pop()) {
    const timer = state.timers[index];
    if (!timer || timer.at > now) continue;
    if (isSet(state, timer)) due.set(timer.request, timer.at);
    next.push(2 * index + 1, 2 * index + 2);
  }
  return [...due].toSorted(([, a], [, b]) => a - b).map(([request]) => request);
}

/** When the next request times out; null: never. */
export function nextDeadline({ timers }: MailState): number | null {
  return timers[0]?.at ?? null;
}

/* A binary heap: no timer is earlier than its parent. */

function push(timers: Timer[], timer: Timer): void {
  let index = timers.length;
  for (let parent = (index - 1) >> 1; index > 0; parent = (index - 1) >> 1) {
    const above = timers[parent]!;
    if (above.at <= timer.at) break;
    timers[index] = above;
    index = parent;
  }
  timers[index] = timer;
}

/** Removes the earliest timer. */
function pop(timers: Timer[]): void {
  const last = timers.pop();
  if (!last || timers.length === 0) return;
  let index = 0;
  for (;;) {
    const left = 2 * index + 1;
    const right = left + 1;
    const lesser = (timers[right]?.at ?? Infinity) < (timers[left]?.at ?? Infinity) ? right : left;
    const below = timers[lesser];
    if (!below || below.at >= last.at) break;
    timers[index] = below;
    index = lesser;
  }
  timers[index] = last;
}
