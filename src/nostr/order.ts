import { kinds, tagOf, type EventTemplate } from '../letters/nostr-event.ts';

/**
 * Seconds that an event may be ahead of the clock to be later than the previous one. Events after a
 * `running` status have room behind it: results, and then the end of the run, at most 5 s ahead.
 */
const mostAhead = { running: 3, result: 4 } as const;

/** The events of a run that can be sent now. */
interface Ordered {
  readonly events: readonly EventTemplate[];
  /**
   * When a deferred `running` status can be sent, in milliseconds since 1970; null: none was
   * deferred.
   */
  readonly due: number | null;
}

/**
 * Gives events times with a visible order: each a second later than the previous one, and than all
 * `sent` ones. An event that would be too far ahead of the clock (`now`, in milliseconds since
 * 1970) is deferred if it is a `running` status, and shares its second if it is a result. Statuses
 * are always later than everything before them.
 */
export function inOrder(
  events: readonly EventTemplate[],
  sent: readonly EventTemplate[],
  now: number,
): Ordered {
  const clock = Math.floor(now / 1_000);
  const ordered: EventTemplate[] = [];
  let last = sent.reduce((latest, { created_at: at }) => Math.max(latest, at), 0);
  let due: number | null = null;
  for (const event of events) {
    const next = Math.max(event.created_at, last + 1);
    if (isRunning(event) && next > clock + mostAhead.running) {
      due = (next - mostAhead.running) * 1_000;
      continue;
    }
    const shared = Math.max(event.created_at, last, clock + mostAhead.result);
    last = event.kind === kinds.result ? Math.min(next, shared) : next;
    ordered.push({ ...event, created_at: last });
  }
  return { events: ordered, due };
}

function isRunning(event: EventTemplate): boolean {
  return event.kind === kinds.status && tagOf(event, 'status') === 'running';
}
