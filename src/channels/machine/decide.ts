import type { ChannelMemory } from '../../letters/channel-memory.ts';
import type { Item, Post, Status } from './contract.ts';
import type { ThreadId } from '../../kernel/ids.ts';
import { ownValue } from '../../kernel/own.ts';
import type { ChannelRules } from './judge.ts';
import { textOf } from './words.ts';

/** What a channel is to do next. */
export interface ChannelPlan {
  readonly statuses: readonly Status[];
  readonly posts: readonly PlannedPost[];
  /** Whether to look for what has come. */
  readonly polls: boolean;
  /** When to decide again at the latest, in milliseconds since 1970. */
  readonly wake: number;
}

export interface PlannedPost extends Post {
  /** Sending it began at this time and may have succeeded; null: it has not begun. */
  readonly begun: number | null;
  readonly thread: Item['thread'];
}

/** How a thread is, in words. `isOver`: nothing more happens in it unless somebody writes. */
export interface Standing {
  readonly text: string;
  readonly isOver: boolean;
}

/** What a channel is about at this moment. */
export interface ChannelView {
  readonly items: readonly Item[];
  /** Of the threads of its conversations; empty: the channel has no status. */
  readonly standings: ReadonlyMap<ThreadId, Standing>;
  /** It is about to close: what is new is reported at once. */
  readonly isLast: boolean;
}

/** How long a status stays as it is at least, unless its thread is over, in milliseconds. */
const reportEvery = 30_000;

/** The longest time that a channel rests, in milliseconds. */
const longestDown = 86_400_000;

/** How often the inboxes are looked at if nothing says that they have changed, in milliseconds. */
const lookEvery = 10_000;

/**
 * What to send, oldest first, and whether to receive. Nothing while the channel is down: what waits
 * keeps waiting.
 */
export function decide(
  memory: ChannelMemory,
  view: ChannelView,
  {
    poll,
    people,
    hasNews,
  }: Pick<ChannelRules, 'people'> & { readonly poll: number; readonly hasNews: boolean },
  now: number,
): ChannelPlan {
  const { down, polled } = memory;
  // A rest is at most a day: a clock that was set back must not make it longer.
  if (down !== null && now < down.until && down.until - now <= longestDown)
    return { statuses: [], posts: [], polls: false, wake: down.until };
  // A clock that was set back must not keep it from looking.
  const due = polled > now ? now : polled + poll;
  const polls = hasNews || now >= due;
  return {
    statuses: unreported(memory, view, now),
    posts: unsent(memory, view.items, people),
    polls,
    wake: Math.min(polls ? now + poll : due, now + lookEvery),
  };
}

/** The statuses that are not as their threads are. A thread that was over before has none. */
function unreported(
  { conversations, reported }: ChannelMemory,
  { standings, isLast }: ChannelView,
  now: number,
): Status[] {
  return Object.entries(conversations).flatMap(([conversation, { thread }]) => {
    const standing = thread === null ? undefined : standings.get(thread);
    if (standing === undefined) return [];
    const { text, isOver } = standing;
    const before = ownValue(reported, conversation);
    const status = {
      key: `status-${conversation}`,
      conversation,
      text,
      reference: before?.reference ?? null,
    };
    if (before === undefined) return isOver ? [] : [status];
    if (before.reference === null || before.text === text) return [];
    const rests = now >= before.at && now - before.at < reportEvery;
    return rests && !isOver && !isLast ? [] : [status];
  });
}

/** What waits to be sent. */
export function unsent(
  memory: ChannelMemory,
  items: readonly Item[],
  people: ChannelRules['people'],
): PlannedPost[] {
  const replies = Object.entries(memory.replies).map(([key, { conversation, text, to }]) => ({
    key,
    to: [to],
    conversation,
    subject: '',
    text,
    delivery: null,
    begun: ownValue(memory.begun, key) ?? null,
    thread: null,
  }));
  const posts = items
    .filter(({ key }) => ownValue(memory.sent, key) === undefined)
    .map((item) => ({
      key: item.key,
      to: [...people].flatMap(([who, role]) => (item.to.length === 0 || item.to.includes(role) ? [who] : [])),
      conversation: conversationOf(memory, item),
      subject: item.subject,
      text: textOf(item),
      delivery: item.delivery,
      begun: ownValue(memory.begun, item.key) ?? null,
      thread: item.thread,
    }));
  return [...replies, ...posts];
}

/** Where a thread is talked about; null: nowhere yet. The oldest conversation counts. */
function conversationOf({ conversations }: ChannelMemory, { thread }: Item): string | null {
  if (thread === null) return null;
  const all = Object.entries(conversations).filter(([, about]) => about.thread === thread);
  return all.toSorted(([, a], [, b]) => a.at - b.at)[0]?.[0] ?? null;
}
