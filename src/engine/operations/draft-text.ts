import type { Json } from '../../core/json.ts';
import type { Draft } from '../../core/mail/message.ts';

/** JSON, which is YAML, without the characters that YAML forbids. */
function value(json: Json): string {
  return JSON.stringify(json).replaceAll(
    /[\u007f-\u009f\u2028\u2029\ufeff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** What an author says, as a message file. What nobody said is not in it: the controller gives it. */
export function draftText(draft: Draft): string {
  const { type, to, thread, inReplyTo, subject, attachments, fields, extra, body } = draft;
  const said: [string, Json][] = [];
  if (type !== null) said.push(['type', type]);
  if (to !== null) said.push(['to', [...to]]);
  if (thread !== null) said.push(['thread', thread]);
  if (inReplyTo !== null) said.push(['in_reply_to', inReplyTo]);
  if (subject !== null) said.push(['subject', subject]);
  if (attachments.length > 0) said.push(['attachments', [...attachments]]);
  if (Object.keys(fields).length > 0) said.push(['fields', { ...fields }]);
  const lines = said.map(([key, json]) => `${key}: ${value(json)}\n`);
  const others = Object.entries(extra).map(([key, json]) => `${value(key)}: ${value(json)}\n`);
  return `---\n${lines.join('')}${others.join('')}---\n${body}`;
}
