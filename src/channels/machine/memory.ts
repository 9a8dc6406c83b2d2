import type { ChannelMemory } from '../../letters/channel-memory.ts';
import type { Json } from '../../kernel/json.ts';
import type { ThreadId } from '../../kernel/ids.ts';
import { ownValue } from '../../kernel/own.ts';
import type { Item, Posted } from './contract.ts';

const minute = 60_000;
const day = 86_400_000;
/** How long a channel that is down rests after its first failure, and at most. */
const firstRest = 5_000;
const longestRest = 15 * minute;
/** How long the past of a channel is remembered: no reply to it is expected any more. */
const remembered = 90 * day;

export type ChannelEvent =
  | { readonly is: 'begun'; readonly key: string }
  | { readonly is: 'sent'; readonly key: string; readonly posted: Posted; readonly thread: ThreadId | null }
  /** `reference` null: the channel will never take it. */
  | {
      readonly is: 'reported';
      readonly conversation: string;
      readonly reference: string | null;
      readonly text: string;
    }
  /** The channel will never take it. */
  | { readonly is: 'unsendable'; readonly key: string; readonly problem: string }
  | {
      readonly is: 'received';
      readonly id: string;
      readonly author: string;
      readonly reason: string | null;
      readonly reply: { readonly conversation: string; readonly text: string } | null;
    }
  /** A conversation became a thread. */
  | {
      readonly is: 'opened';
      readonly conversation: string;
      readonly mark: string;
      readonly thread: ThreadId | null;
    }
  /** A received text is about to answer the item with this key. */
  | { readonly is: 'taking'; readonly id: string; readonly key: string }
  | { readonly is: 'waiting'; readonly count: number }
  | { readonly is: 'polled'; readonly cursor: Json }
  | { readonly is: 'failed'; readonly problem: string; readonly retryAt: number | null };

export function newMemory(channel: string, now: number): ChannelMemory {
  return {
    channel,
    since: now,
    cursor: null,
    polled: 0,
    begun: {},
    sent: {},
    conversations: {},
    reported: {},
    taking: {},
    received: {},
    replies: {},
    waiting: 0,
    down: null,
  };
}

export function apply(memory: ChannelMemory, event: ChannelEvent, at: number): ChannelMemory {
  switch (event.is) {
    case 'begun':
      return { ...memory, begun: { ...memory.begun, [event.key]: at } };
    case 'sent':
      return sent(memory, event, at);
    case 'unsendable': {
      const entry = { reference: '', conversation: '', at, refused: event.problem };
      return { ...settled(memory, event.key), sent: { ...memory.sent, [event.key]: entry } };
    }
    case 'reported': {
      const { conversation, reference, text } = event;
      return {
        ...memory,
        reported: { ...memory.reported, [conversation]: { reference, text, at } },
        down: null,
      };
    }
    case 'received': {
      const { id, author, reason, reply } = event;
      const replies =
        reply === null
          ? memory.replies
          : { ...memory.replies, [`reply-${id}`]: { ...reply, at, to: author } };
      const { [id]: _taken, ...taking } = memory.taking;
      return { ...memory, taking, replies, received: { ...memory.received, [id]: { at, author, reason } } };
    }
    case 'opened': {
      const { conversation, mark, thread } = event;
      return {
        ...memory,
        conversations: { ...memory.conversations, [conversation]: { thread, mark, at } },
      };
    }
    case 'polled':
      return { ...memory, polled: at, cursor: event.cursor, down: null };
    case 'taking':
      return { ...memory, taking: { ...memory.taking, [event.id]: event.key } };
    case 'waiting':
      return { ...memory, waiting: event.count };
    case 'failed':
      return { ...memory, down: downAfter(memory.down, event, at) };
    default:
      return event satisfies never;
  }
}

function sent(
  memory: ChannelMemory,
  { key, posted, thread }: Extract<ChannelEvent, { is: 'sent' }>,
  at: number,
): ChannelMemory {
  const { conversation } = posted;
  const known = ownValue(memory.conversations, conversation);
  const about = { thread: known?.thread ?? thread, mark: known?.mark ?? null, at };
  return {
    ...settled(memory, key),
    sent: { ...memory.sent, [key]: { ...posted, at, refused: null } },
    conversations: { ...memory.conversations, [conversation]: about },
    down: null,
  };
}

/** Nothing of it waits any more. */
function settled(memory: ChannelMemory, key: string): ChannelMemory {
  const { [key]: _begun, ...begun } = memory.begun;
  const { [key]: _reply, ...replies } = memory.replies;
  return { ...memory, begun, replies };
}

/**
 * The rest doubles. It is never shorter than the service asks for, nor longer than a day, whatever
 * the service says.
 */
function downAfter(
  before: ChannelMemory['down'],
  { problem, retryAt }: Extract<ChannelEvent, { is: 'failed' }>,
  at: number,
): NonNullable<ChannelMemory['down']> {
  const times = Math.min((before?.times ?? 0) + 1, 1_000_000);
  const rest = Math.min(longestRest, firstRest * 2 ** Math.min(times - 1, 20));
  const asked = retryAt === null || Number.isNaN(retryAt) ? 0 : Math.ceil(Math.min(retryAt, at + day));
  return {
    since: before?.since ?? at,
    until: Math.max(at + rest, asked),
    times,
    problem,
    limited: retryAt !== null,
  };
}

/** For a new host, which looks at once, unless the service has asked for a rest. */
export function awakened(memory: ChannelMemory): ChannelMemory {
  const { down } = memory;
  return { ...memory, polled: 0, down: down === null || down.limited ? down : { ...down, until: 0 } };
}

/** Without what is so old that nothing refers to it, unless it still waits for a person. */
export function withoutPast(memory: ChannelMemory, items: readonly Item[], now: number): ChannelMemory {
  const waiting = new Set(items.map(({ key }) => key));
  const threads = new Set(items.map(({ thread }) => thread));
  const recent = <T extends { readonly at: number }>(all: Readonly<Record<string, T>>, keep: Keep<T>) =>
    Object.fromEntries(
      Object.entries(all).filter(([key, entry]) => now - entry.at < remembered || keep(key, entry)),
    );
  const conversations = recent(
    memory.conversations,
    (_, { thread }) => thread !== null && threads.has(thread),
  );
  return {
    ...memory,
    sent: recent(memory.sent, (key) => waiting.has(key)),
    conversations,
    reported: recent(memory.reported, (conversation) => ownValue(conversations, conversation) !== undefined),
    received: recent(memory.received, () => false),
  };
}

type Keep<T> = (key: string, entry: T) => boolean;
