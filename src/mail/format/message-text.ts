import type { Json } from '../../kernel/json.ts';
import type { Message } from './message.ts';

/** A word or words that YAML can only read as that text, in a block and (without commas) between brackets. */
const plainWords =
  /^[\p{L}_/][\p{L}\p{N}_/.()+'!?=;@–—…-]*(?:,? [\p{L}\p{N}_/.()+'–—…][\p{L}\p{N}_/.()+'!?=;@–—…-]*)*$/u;
/** Words with a meaning of their own, in this YAML or in the one of 2005, which other programs still read. */
const reserved = /^(?:null|true|false|yes|no|on|off|y|n)$/i;
const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Escapes what JSON lets stand and editors, terminals or YAML do not show. */
function quoted(text: string): string {
  return JSON.stringify(text).replaceAll(
    /[\u007f-\u009f\u2028\u2029\ufeff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function formatText(text: string, inFlow: boolean): string {
  const plain =
    (plainWords.test(text) && !reserved.test(text) && !(inFlow && text.includes(','))) || uuid.test(text);
  return plain ? text : quoted(text);
}

/** A value on one line, as YAML reads it back. */
function formatValue(value: Json, inFlow: boolean): string {
  if (typeof value === 'string') return formatText(value, inFlow);
  if (Array.isArray(value)) return `[${value.map((item) => formatValue(item, true)).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const entries = Object.entries(value).map(
    ([key, item]) => `${formatText(key, true)}: ${formatValue(item, true)}`,
  );
  return entries.length === 0 ? '{}' : `{ ${entries.join(', ')} }`;
}

/** One key and its value. YAML reads a key of more than 1,024 characters only behind a question mark. */
function formatEntry(key: string, value: Json, indent = ''): string {
  const name = formatText(key, false);
  const mark = name.length > 1000 ? `${indent}? ${name}\n${indent}: ` : `${indent}${name}: `;
  return `${mark}${formatValue(value, false)}\n`;
}

/**
 * The message as a file: front matter with its keys in a fixed order, one line each, then the body as it is. What
 * `parseMessage` reads from it is what was written, unless the front matter is longer than the 64 KiB that it reads.
 */
export function formatMessage(message: Message): string {
  const { inReplyTo, attachments, fields } = message;
  let text = '---\n';
  text += formatEntry('id', message.id);
  text += formatEntry('type', message.type);
  text += formatEntry('from', message.from);
  text += formatEntry('to', message.to.length === 1 ? message.to[0]! : [...message.to]);
  text += formatEntry('thread', message.thread);
  if (inReplyTo !== null) text += formatEntry('in_reply_to', inReplyTo);
  text += formatEntry('subject', message.subject);
  text += `created: ${new Date(message.created).toISOString()}\n`;
  if (attachments.length > 0) text += formatEntry('attachments', [...attachments]);
  const entries = Object.entries(fields);
  if (entries.length > 0)
    text += `fields:\n${entries.map(([key, value]) => formatEntry(key, value, '  ')).join('')}`;
  for (const [key, value] of Object.entries(message.extra)) text += formatEntry(key, value);
  return `${text}---\n${message.body}`;
}
