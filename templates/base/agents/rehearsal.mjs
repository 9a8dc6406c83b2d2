// Plays the roles of this project without a language model, so that you can try the protocol before
// you install an agent program. It changes nothing else; plays.mjs says what each role sends.
//
// It is also an example of a program as a provider. Mailroom gives it the prompt on standard input
// (which this program does not need), the messages in MAILROOM_MESSAGES (one path per line) and a
// folder for its answers in MAILROOM_OUTBOX. Exit code 0 means done, 1 "try again later", 2
// "never".
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { plays } from './plays.mjs';

const { MAILROOM_ROLE: me = '', MAILROOM_MESSAGES: paths = '', MAILROOM_OUTBOX: outbox = '' } = process.env;

/** A message: the keys of its front matter and of its `fields`, and its body. */
function parseMessage(text) {
  const [, head = '', body = text] = /^---\n(.*?)\n---\n(.*)$/s.exec(text) ?? [];
  const pairs = [...head.matchAll(/^ *(\w+): (.*)$/gm)];
  const plain = (value) => (value.startsWith('"') ? JSON.parse(value) : value);
  return { ...Object.fromEntries(pairs.map(([, key, value]) => [key, plain(value)])), body };
}

let sent = 0;

/**
 * Sends a message: writes a file in the outbox. Mailroom adds the author, the time and the thread.
 */
function send(type, to, text, fields = {}) {
  const entries = Object.entries(fields).map(([key, value]) => `  ${key}: ${JSON.stringify(value)}`);
  const head = [`type: ${type}`, `to: ${JSON.stringify(to)}`, ...(entries.length > 0 ? ['fields:'] : [])];
  sent += 1;
  writeFileSync(join(outbox, `${sent}.md`), `---\n${[...head, ...entries].join('\n')}\n---\n${text}\n`);
  process.stdout.write(`${type} to ${[to].flat().join(', ')}: ${text}\n`);
}

const mail = paths
  .split('\n')
  .filter(Boolean)
  .map((path) => parseMessage(readFileSync(path, 'utf8')));
const play = plays[me];
if (play === undefined) {
  process.stderr.write(`plays.mjs has no role ${me}: give it another provider\n`);
  process.exitCode = 2;
} else {
  play(mail, send);
  if (sent === 0) process.stdout.write('nothing to send\n');
}
// The last line on standard error may report the cost of the turn.
process.stderr.write('usage: {"usd": 0, "tokens": 0}\n');
