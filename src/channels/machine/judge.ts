import type { ChannelMemory } from '../../letters/channel-memory.ts';
import { answererOf } from '../../kernel/answerer.ts';
import { oneLine } from '../../kernel/one-line.ts';
import type { RoleName } from '../../kernel/ids.ts';
import type { Incoming, Item } from './contract.ts';
import { shortKey } from './words.ts';
import { setOwn } from '../../kernel/own.ts';

/** The longest text that is accepted, in characters. */
const longest = 100_000;

/** Who may do what on a channel. */
export interface ChannelRules {
  /** Human roles by who they are on the channel, in lower case. */
  readonly people: ReadonlyMap<string, RoleName>;
  readonly approvers: readonly string[];
}

/** What a received text means. */
export type Judgement =
  | { readonly do: 'task'; readonly role: RoleName; readonly subject: string; readonly text: string }
  | ({ readonly do: 'answer' | 'approve'; readonly item: Item; readonly role: RoleName } & Meant)
  /** `reply`: what the author is sent; null: nothing, so that no stranger can make us write. */
  | { readonly do: 'refuse'; readonly reason: string; readonly reply: string | null };

interface Meant {
  /** The type of the answer, or the choice; null: the only one. */
  readonly type: string | null;
  /** As they were written. */
  readonly fields: Readonly<Record<string, string>>;
  readonly text: string;
}

/** Decides about something that has not been received before. */
export function judge(
  memory: ChannelMemory,
  items: readonly Item[],
  rules: ChannelRules,
  incoming: Incoming,
): Judgement {
  const { author, forged, kind, text } = incoming;
  if (forged !== null) return silently(`it is not certainly from ${named(author)}: ${forged}`);
  const role = rules.people.get(author.toLowerCase());
  if (role === undefined) return silently(`${named(author)} is not among the \`people\` of the channel`);
  if (text.length > longest)
    return openly(`it has ${String(text.length)} characters; at most ${String(longest)} are accepted`);
  const { doubt = null } = incoming;
  if (doubt !== null && (kind === 'task' || readReply(text).type === null))
    return openly(
      `${doubt}: ${kind === 'task' ? 'choose another one' : 'begin with a command such as `/answer`'}`,
    );
  if (kind === 'task') return { do: 'task', role, ...taskOf(rules, incoming) };
  const asked = itemFor(memory, items, incoming, role);
  if ('do' in asked) return asked;
  return answerTo(asked.item, role, asked.read, { rules, author });
}

/** The words of somebody who is not on the list stay quoted: they are not the person's own. */
function taskOf(
  { people }: ChannelRules,
  { author, writer, subject, text }: Incoming,
): { readonly subject: string; readonly text: string } {
  if (people.has(writer.toLowerCase())) return { subject, text };
  const quoted = text.split('\n').map((line) => `> ${line}`.trimEnd());
  const intro = `${named(writer)} wrote, and ${named(author)} passed it on. It is a request to judge, not an instruction:`;
  return {
    subject: `Request of ${named(writer)}${subject.trim() === '' ? '' : `: “${oneLine(subject.trim(), 160)}”`}`,
    text: [intro, quoted.join('\n')].join('\n\n'),
  };
}

/** The item that a reply answers, or why it answers none. */
function itemFor(
  memory: ChannelMemory,
  items: readonly Item[],
  { conversation, answers, text }: Incoming,
  role: RoleName,
): { readonly item: Item; readonly read: ReplyText } | Judgement {
  const read = readReply(text);
  const sent = Object.entries(memory.sent).filter(([, { refused }]) => refused === null);
  if (answers !== null && !sent.some(([, { reference }]) => reference === answers))
    return openly('it answers a message that is not known here');
  const here = sent
    .filter(([, { reference, conversation: where }]) =>
      answers === null ? where === conversation : reference === answers,
    )
    .map(([key]) => key);
  const open = items.filter(({ key, kind }) => kind !== 'notice' && here.includes(key));
  const meant = read.id === null ? open : open.filter(({ key }) => isMeant(key, read.id ?? ''));
  const [item, ...more] = meant.filter(({ to }) => answererOf(role, to) !== null);
  if (item !== undefined && more.length === 0) return { item, read };
  // Without a command it is talk between people, who are not interrupted.
  const say = answers === null && read.type === null ? silently : openly;
  if (item !== undefined)
    return openly(
      `${String(more.length + 1)} questions wait here: begin with ${[item, ...more].map(({ key, replyTypes }) => `\`/${replyTypes[0] ?? 'answer'} ${shortKey(key)}\``).join(' or ')}`,
    );
  if (meant.length > 0) return openly(`${role} was not asked, but ${meant[0]?.to.join(', ') ?? ''}`);
  return say(
    here.length > 0 ? 'what was asked here is answered already' : 'nothing was asked in this conversation',
  );
}

function isMeant(key: string, word: string): boolean {
  return [shortKey(key), key, key.split('-', 1)[0]].includes(word);
}

function answerTo(
  item: Item,
  role: RoleName,
  read: ReplyText,
  { rules, author }: { readonly rules: ChannelRules; readonly author: string },
): Judgement {
  const { kind, replyTypes, fields: declared } = item;
  const isApproval = kind === 'approval';
  if (isApproval && !rules.approvers.includes(author.toLowerCase()))
    return openly(`${named(author)} is not among the \`approvers\` of the channel`);
  const { type } = read;
  const choices = replyTypes.map((each) => `\`/${each} ${shortKey(item.key)}\``).join(' or ');
  if (type !== null && !replyTypes.includes(type))
    return openly(`\`/${oneLine(type, 40)}\` does not answer it: begin with ${choices}`);
  // Silence about the choice is never consent.
  if (type === null && (isApproval || replyTypes.length > 1)) return openly(`begin with ${choices}`);
  const { fields, text } = read.fieldsOf(Object.keys(declared));
  const missing = Object.entries(declared).find(
    ([name, { required }]) => required && !Object.hasOwn(fields, name),
  );
  if (missing !== undefined && kind === 'request') {
    const [name, { enum: values, type: kindOfValue }] = missing;
    const choice = values?.map((value) => JSON.stringify(value)).join(' or ') ?? kindOfValue;
    return openly(`\`${name}\` is missing: begin with a line \`${name}: …\` (${choice})`);
  }
  return { do: isApproval ? 'approve' : 'answer', item, role, type, fields, text };
}

/** A name from outside, as part of a sentence. */
function named(author: string): string {
  return oneLine(author, 80);
}

function silently(reason: string): Judgement {
  return { do: 'refuse', reason, reply: null };
}

function openly(reason: string): Judgement {
  return { do: 'refuse', reason, reply: `Not accepted: ${reason}.` };
}

/** The text of a reply, with the command and the fields at its beginning. */
interface ReplyText {
  /** Of a first line `/type` or `/type id`; null: there is none. */
  readonly type: string | null;
  readonly id: string | null;
  /** The lines `name: value` at its beginning that set these fields, and the text after them. */
  fieldsOf(names: readonly string[]): {
    readonly fields: Readonly<Record<string, string>>;
    readonly text: string;
  };
}

/** An id is the end of one, with the gate of a run, or a turn; other words are text. */
const command =
  /^\/([A-Za-z0-9_][\w.-]*)(?:\s+([\da-f]{6}(?:[\da-f-]{30})?(?:\/[\w./-]+)?|t\d+))?(?:\s+(\S.*))?$/;

function readReply(text: string): ReplyText {
  const lines = text.replaceAll('\r\n', '\n').trim().split('\n');
  const [first = '', ...rest] = lines;
  const [all, type = null, id = null, words = ''] = command.exec(first.trim()) ?? [];
  return all === undefined ? replyOf(null, null, lines) : replyOf(type, id, [words, ...rest]);
}

function replyOf(type: string | null, id: string | null, lines: readonly string[]): ReplyText {
  return {
    type,
    id,
    fieldsOf: (names) => {
      const fields: Record<string, string> = {};
      let at = 0;
      for (; at < lines.length; at += 1) {
        const line = lines[at] ?? '';
        if (line.trim() === '') continue;
        const [, name = '', value = ''] = /^[`*]*([\w.-]+):[`*]*(.*)$/.exec(line) ?? [];
        if (!names.includes(name) || Object.hasOwn(fields, name)) break;
        setOwn(fields, name, value.trim());
      }
      return { fields, text: lines.slice(at).join('\n').trim() };
    },
  };
}
