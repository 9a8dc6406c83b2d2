import { problem, ready, receive, serve, shortened } from './mailroom.mjs';

const { TELEGRAM_TOKEN, TELEGRAM_CHAT } = process.env;
const { TELEGRAM_API = 'https://api.telegram.org' } = process.env;

async function call(method, parameters) {
  const answer = await fetch(`${TELEGRAM_API}/bot${TELEGRAM_TOKEN}/${method}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(parameters),
    signal: AbortSignal.timeout(50_000),
  });
  const { ok, result, description, error_code: code, parameters: more } = await answer.json();
  if (ok) return result;
  throw problem(`Telegram: ${description}`, {
    refused: code === 400 || code === 403,
    retryAfter: more?.retry_after,
  });
}

/** A conversation is the message that it began with: all others reply to it. */
async function send({ conversation, text }) {
  const [chat, first] = (conversation ?? TELEGRAM_CHAT).split('/');
  const reply = first && { message_id: Number(first), allow_sending_without_reply: true };
  const { message_id: id } = await call('sendMessage', {
    chat_id: chat,
    text: shortened(text, 4_096),
    ...(reply && { reply_parameters: reply }),
  });
  const reference = `${chat}/${id}`;
  return { reference, conversation: conversation ?? reference };
}

function pass({ message }) {
  const { message_id: id, chat, from, text, reply_to_message: answered } = message ?? {};
  if (text === undefined || text === '/start' || from === undefined || from.is_bot) return null;
  const own = `${chat.id}/${id}`;
  const about = answered
    ? { kind: 'reply', conversation: own, in_reply_to: `${chat.id}/${answered.message_id}` }
    : { kind: 'task', conversation: own, subject: text.split('\n')[0].slice(0, 200) };
  return receive({ id: own, author: String(from.id), text, ...about });
}

async function listen() {
  if (!TELEGRAM_TOKEN || !TELEGRAM_CHAT) throw new Error('TELEGRAM_TOKEN and TELEGRAM_CHAT must be set');
  let offset = 0;
  for (let timeout = 0; ; timeout = 25) {
    const updates = await call('getUpdates', { offset, timeout, allowed_updates: ['message'] });
    const passed = updates.map(pass);
    ready();
    await Promise.all(passed);
    // Telegram forgets an update once it is asked for a later one.
    offset = (updates.at(-1)?.update_id ?? offset - 1) + 1;
  }
}

serve({ send, listen });
