import type { Delivery, Item } from '../channels/machine/contract.ts';
import { endOfId, shortCommit } from '../kernel/ids.ts';
import type { Message } from '../mail/format/message.ts';
import type { Protocol } from '../mail/format/protocol.ts';
import type { MailState } from '../mail/machine/state.ts';
import { readInbox, type WaitingItem } from '../mail/questions/inbox.ts';
import type { Project } from '../project/project.ts';

/** The longest trail in a description, in messages. */
const longestTrail = 100;

/** What waits for people of these roles, the oldest first. */
export async function channelItems(project: Project, roles: ReadonlySet<string>): Promise<Item[]> {
  const inbox = await readInbox(project, null);
  const definition = await project.definition();
  if (!definition.ok) return [];
  const state = project.journal.state();
  const unread = new Map([...state.unread.values()].map(({ message }) => [message.id, message]));
  const messageOf = (id: string) => state.mail.get(id)?.message ?? unread.get(id) ?? null;
  return inbox.items
    .filter(({ to }) => to.length === 0 || to.some((role) => roles.has(role)))
    .map((item) => itemOf(item, messageOf(item.question ?? item.id), state, definition.value.protocol))
    .toSorted((a, b) => a.since - b.since)
    .map(({ item }) => item);
}

function itemOf(
  { id, kind: of, to, thread, from, type, subject, since, question, ...item }: WaitingItem,
  message: Message | null,
  state: MailState,
  protocol: Protocol,
): { readonly item: Item; readonly since: number } {
  // A channel takes no answer to these: what resolves them are files.
  const kind = of === 'conflict' || of === 'blocked' ? 'notice' : of;
  const delivery = kind === 'notice' && message !== null ? deliveryOf(message, state, protocol) : null;
  const landing = state.landings.get(id);
  const work = landing === undefined ? item.command : `mailroom show ${id} --diff`;
  const show = message === null ? work : `mailroom show ${endOfId(message.id)}`;
  const body = message?.body ?? (landing === undefined ? '' : 'What would land is not shown here.');
  // A turn asks for several things, one after the other: an answer counts for one of them.
  const seen =
    question === null
      ? landing && `${String(landing.asked)}.${shortCommit(landing.commit)}`
      : endOfId(question);
  const key = seen === undefined ? id : `${id}-${seen}`;
  const answers = { replyTypes: item.reply_types, fields: item.fields, command: show };
  const until = { deadline: item.deadline, onTimeout: item.on_timeout };
  return {
    item: { key, kind, to, thread, from, type, subject, body, ...until, ...answers, delivery },
    since: since === null ? 0 : Date.parse(since),
  };
}

/** Work that has landed, or that comes with the last message of its thread. */
function deliveryOf({ work, type, thread }: Message, state: MailState, protocol: Protocol): Delivery | null {
  if (work === null) return null;
  if (work.landed === null && protocol.types.get(type)?.closes !== true) return null;
  const messages = (state.threads.get(thread)?.messages ?? []).flatMap((id) => state.mail.get(id) ?? []);
  const lines = messages
    .slice(-longestTrail)
    .map(
      ({ message: { type: kind, from, to, subject } }) =>
        `- ${kind}, ${from} to ${to.join(', ')}: ${subject}`,
    );
  return { commit: work.landed?.commit ?? work.commit, trail: ['### Trail', lines.join('\n')].join('\n\n') };
}
