import type { Json } from '../../kernel/json.ts';
import { subjectOf, type Message, type Work } from './message.ts';

/**
 * Words that YAML can only read as that string, in a block and (without commas) between brackets.
 */
const plainWords =
  /^[\p{L}_/][\p{L}\p{N}_/.()+'!?=;@\u2013\u2014\u2026-]*(?:,? [\p{L}\p{N}_/.()+'\u2013\u2014\u2026][\p{L}\p{N}_/.()+'!?=;@\u2013\u2014\u2026-]*)*$/u;
/** Words with a special value in YAML 1.2, or in YAML 1.1, which other programs still read. */
const reserved = /^(?:null|true|false|yes|no|on|off|y|n)$/i;
/** A commit that YAML cannot take for a number: it has two letters. */
const hash = /^(?=(?:\d*[a-f]){2})[0-9a-f]{40,64}$/;
const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Escapes the characters that JSON allows and that editors, terminals or YAML do not show. */
function quoted(text: string): string {
  return JSON.stringify(text).replaceAll(
    /[\u007f-\u009f\u2028\u2029\ufeff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function formatText(text: string, inFlow: boolean): string {
  const plain =
    (plainWords.test(text) && !reserved.test(text) && !(inFlow && text.includes(','))) ||
    uuid.test(text) ||
    hash.test(text);
  return plain ? text : quoted(text);
}

/** A value on one line, in a form that YAML reads back. */
function formatValue(value: Json, inFlow: boolean): string {
  if (typeof value === 'string') return formatText(value, inFlow);
  if (Array.isArray(value)) return `[${value.map((item) => formatValue(item, true)).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const entries = Object.entries(value).map(
    ([key, item]) => `${formatText(key, true)}: ${formatValue(item, true)}`,
  );
  return entries.length === 0 ? '{}' : `{ ${entries.join(', ')} }`;
}

/**
 * A key with its value. YAML accepts a key of more than 1,024 characters only after a question
 * mark.
 */
function formatEntry(key: string, value: Json, indent = ''): string {
  const name = formatText(key, false);
  const mark = name.length > 1000 ? `${indent}? ${name}\n${indent}: ` : `${indent}${name}: `;
  return `${mark}${formatValue(value, false)}\n`;
}

/**
 * The message as a file: front matter with its keys in a fixed order, one line each, then the
 * unchanged body. `parseMessage` reads the same message back, unless the front matter is longer
 * than its limit of 64 KiB.
 */
export function formatMessage(message: Message): string {
  let text = '---\n';
  text += formatEntry('id', message.id);
  text += formatEntry('type', message.type);
  text += formatEntry('from', message.from);
  text += formatEntry('to', message.to.length === 1 ? message.to[0]! : [...message.to]);
  text += formatEntry('thread', message.thread);
  if (message.inReplyTo !== null) text += formatEntry('in_reply_to', message.inReplyTo);
  text += formatEntry('subject', message.subject);
  text += `created: ${new Date(message.created).toISOString()}\n`;
  return `${text}${particulars(message)}---\n${message.body}`;
}

/** The message as a prompt quotes it, below who wrote it to whom: what its author said. */
export function quotedMessage(message: Message): string {
  const { type, subject, body } = message;
  const about = subjectOf(body) === subject ? '' : formatEntry('subject', subject);
  return `${formatEntry('type', type)}${about}${particulars(message)}\n${body}`;
}

/** `main 1f0c… 77ab…`: the branch, its commit since and before. */
function landedText({ branch, commit, before }: NonNullable<Work['landed']>): string {
  return [branch, commit, before].filter((part) => part !== null).join(' ');
}

/** The lines of front matter that not every message has. */
function particulars({ work, attachments, fields, extra }: Message): string {
  let text = '';
  if (work !== null) text += formatEntry('commit', work.commit) + formatEntry('branch', work.branch);
  if (work?.landed) text += formatEntry('landed', landedText(work.landed));
  if (attachments.length > 0) text += formatEntry('attachments', [...attachments]);
  const entries = Object.entries(fields);
  if (entries.length > 0)
    text += `fields:\n${entries.map(([key, value]) => formatEntry(key, value, '  ')).join('')}`;
  for (const [key, value] of Object.entries(extra)) text += formatEntry(key, value);
  return text;
}
