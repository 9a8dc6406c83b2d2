import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const fileOf = (name) => `${process.env.MAILROOM_CHANNEL_FOLDER}/${name}.json`;
const print = (line) => process.stdout.write(`${JSON.stringify(line)}\n`);
const unconfirmed = new Map();
let isReady = false;

/** What was saved under this name. */
export function load(name, otherwise) {
  try {
    return JSON.parse(readFileSync(fileOf(name), 'utf8'));
  } catch {
    return otherwise;
  }
}

export function save(name, value) {
  writeFileSync(`${fileOf(name)}.new`, JSON.stringify(value));
  renameSync(`${fileOf(name)}.new`, fileOf(name));
}

/** An error with which the service refuses this text for good, or until some seconds are over. */
export function problem(reason, { refused = false, retryAfter } = {}) {
  return Object.assign(new Error(reason), { refused, retryAfter });
}

/** Passes on what a person wrote. Resolves once Mailroom has recorded it. */
export function receive(message) {
  print({ type: 'received', ...message });
  return new Promise((resolve) => unconfirmed.set(message.id, resolve));
}

/** Call it once connected, after what had been waiting there was passed on. */
export function ready() {
  if (!isReady) print({ type: 'ready' });
  isReady = true;
}

/** Without its middle if it has too many bytes: the end says how to answer. */
export function shortened(text, most) {
  const bytes = Buffer.from(text);
  if (bytes.length <= most) return text;
  const end = Math.floor(most / 3);
  const parts = [bytes.subarray(0, most - end - 8), bytes.subarray(-end)];
  return parts.map((part) => part.toString().replaceAll('\ufffd', '')).join(' […] ');
}

/** Ends the program with the reason. Mailroom starts it again after a rest. */
function fail(error) {
  process.stderr.write(`${error.cause?.message ?? error.message}\n`);
  process.exit(1);
}

/**
 * Talks to Mailroom. `send` returns the reference and the conversation of a message; `find` does for one that may
 * have been sent, or returns null; `listen` calls `ready`, and `receive` for what people write.
 */
export function serve({ send, find = () => null, listen }) {
  // It ends with its input, after what it is sending.
  process.on('SIGTERM', () => {});
  Promise.all([answerAll(send, find), listen()]).catch(fail);
}

async function answerAll(send, find) {
  for await (const line of createInterface({ input: process.stdin })) {
    const message = JSON.parse(line);
    if (message.type === 'confirm') for (const id of message.ids) unconfirmed.get(id)?.();
    else print({ key: message.key, ...(await answerTo(message, send, find)) });
  }
  process.exit();
}

async function answerTo(message, send, find) {
  const sent = load('sent', {});
  try {
    if (message.type === 'find') {
      const found = sent[message.key] ?? (await find(message));
      return found === null ? { type: 'absent' } : { type: 'sent', ...found };
    }
    const posted = await send(message);
    save('sent', Object.fromEntries([...Object.entries(sent).slice(-999), [message.key, posted]]));
    return { type: 'sent', ...posted };
  } catch (error) {
    const reason = error.cause?.message ?? error.message;
    return { type: error.refused ? 'refused' : 'failed', reason, retry_after: error.retryAfter };
  }
}
