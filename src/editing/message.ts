import type { Diagnostic } from '../kernel/diagnostic.ts';
import { didYouMean } from '../kernel/nearest.ts';
import { builtInTypesOf, type Protocol } from '../mail/format/protocol.ts';
import { parseMessage } from '../mail/format/read-message.ts';
import { Source } from '../yaml/source.ts';
import { messageGrammar } from './grammar.ts';
import { occurrencesIn } from './occurrences.ts';

/** The keys of a message's front matter that its author writes, and what they mean. */
export const messageKeys: Readonly<Record<string, string>> = {
  type: 'The message type of the protocol.',
  to: 'The role that gets it, or a list of roles.',
  from: 'The role that sends it; the folder of the file says so, too.',
  thread: 'The thread that it continues; without it, a new one begins.',
  in_reply_to: 'The message that it answers.',
  subject: 'What it is about, on one line.',
  attachments: 'Files of the project that belong to it.',
  fields: 'The fields that its type declares.',
};

/** The front matter of a message, and where it begins; null: it has none. */
export function frontMatter(text: string): { readonly front: string; readonly start: number } | null {
  const start = /^\ufeff?---\r?\n/.exec(text)?.[0].length;
  if (start === undefined) return null;
  const close = text.indexOf('\n---', start - 1);
  return { front: close === -1 ? text.slice(start) : text.slice(start, close + 1), start };
}

/** All problems of a message, and its names that the protocol does not have. */
export function checkMessage(text: string, file: string, protocol: Protocol | null): readonly Diagnostic[] {
  const read = parseMessage(text, file);
  if (!read.ok) return read.problems;
  const front = frontMatter(text);
  if (front === null || protocol === null) return read.warnings;
  const builtIn = builtInTypesOf(protocol).map(({ name }) => name);
  const known = { type: [...protocol.types.keys(), ...builtIn], role: [...protocol.roles.keys()] };
  return occurrencesIn(front.front, messageGrammar).flatMap(({ kind, name, from, to }): Diagnostic[] => {
    const names = known[kind as 'type' | 'role'];
    if (names.includes(name)) return [];
    const place = new Source(file, text).place(front.start + from, front.start + to);
    const what = kind === 'type' ? 'message type' : 'role';
    const message = `no ${what} is called \`${name}\``;
    return [{ code: 'E_MESSAGE', severity: 'error', message, place, hint: didYouMean(name, names) }];
  });
}
