import { parseJson, type Json } from '../../../kernel/json.ts';
import { kinds, tagOf, type NostrEvent } from '../letters/nostr-event.ts';
import type { ExecutionReport, PublishedStatus } from './documents.ts';

const statuses = ['running', 'completed', 'failed', 'cancelled'] as const;

/**
 * The status of a run by the events that answer its request: one report per author, the latest
 * first.
 */
export function publishedStatusOf(events: readonly NostrEvent[]): PublishedStatus[] {
  const authors = [...new Set(events.map(({ pubkey }) => pubkey))];
  return authors
    .flatMap((author) => {
      const own = events.filter(({ pubkey }) => pubkey === author);
      const last = own.filter(isStatus).toSorted(byTime).at(-1);
      return last === undefined ? [] : [{ at: last.created_at, report: reportOf(last, own) }];
    })
    .toSorted((a, b) => b.at - a.at)
    .map(({ report }) => report);
}

function statusOf(event: NostrEvent): ExecutionReport['status'] | undefined {
  return statuses.find((each) => each === tagOf(event, 'status'));
}

function isStatus(event: NostrEvent): boolean {
  return event.kind === kinds.status && statusOf(event) !== undefined;
}

/** Of two events in one second, prefers the one that says more. */
function byTime(a: NostrEvent, b: NostrEvent): number {
  const rank = (event: NostrEvent) =>
    statusOf(event) === 'running' ? progressOf(event).completed : Number.POSITIVE_INFINITY;
  return a.created_at - b.created_at || (rank(a) === rank(b) ? 0 : rank(a) - rank(b));
}

function reportOf(event: NostrEvent, own: readonly NostrEvent[]): PublishedStatus {
  const results = own.filter((each) => each.kind === kinds.result && tagOf(each, 'status') === 'completed');
  const made = results.flatMap((result): [string, Json][] => {
    const name = tagOf(result, 'output');
    return name === null ? [] : [[name, valueOf(result.content)]];
  });
  return {
    executionId: tagOf(event, 'd') ?? '',
    status: statusOf(event) ?? 'running',
    outputs: Object.fromEntries(made),
    stepsCompleted: new Set(results.map((result) => tagOf(result, 'step'))).size,
    progress: progressOf(event),
    currentStep: tagOf(event, 'step'),
    totalCost: numberOf(tagOf(event, 'cost')),
    message: event.content,
    reportedBy: event.pubkey,
    reportedAt: new Date(event.created_at * 1_000).toISOString(),
  };
}

function progressOf({ tags }: NostrEvent): ExecutionReport['progress'] {
  const [, completed = '', total = ''] = tags.find(([name]) => name === 'progress') ?? [];
  return { completed: numberOf(completed), total: numberOf(total) };
}

/** A number from another program; an invalid one is 0. */
function numberOf(text: string | null): number {
  return text !== null && /^\d{1,15}$/.test(text) ? Number(text) : 0;
}

function valueOf(content: string): Json {
  const value = parseJson(content);
  return value === undefined ? content : value;
}
