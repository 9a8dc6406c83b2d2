import { load, problem, ready, receive, save, serve, shortened } from './mailroom.mjs';

const { SLACK_APP_TOKEN, SLACK_BOT_TOKEN, SLACK_CHANNEL } = process.env;
const { SLACK_API = 'https://slack.com/api' } = process.env;
const entities = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };
/** Slack keeps a first `/` for itself. */
const hint = 'In Slack, write `!` in place of a first `/`.';
let bot = '';

async function call(method, parameters = {}, token = SLACK_BOT_TOKEN) {
  const answer = await fetch(`${SLACK_API}/${method}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
    body: new URLSearchParams(parameters),
    signal: AbortSignal.timeout(30_000),
  });
  if (answer.status === 429)
    throw problem('Slack limits the rate', {
      retryAfter: Number(answer.headers.get('retry-after') ?? 60),
    });
  const value = await answer.json();
  if (value.ok) return value;
  throw problem(`Slack answers ${method} with ${value.error}`, {
    refused: value.error === 'thread_not_found',
  });
}

async function send({ key, conversation, text }) {
  const plain = shortened(`${text}\n\n${hint}`, 3_900).replace(/[&<>]/g, (sign) => entities[sign]);
  const metadata = JSON.stringify({ event_type: 'mailroom', event_payload: { key } });
  const thread = conversation === null ? {} : { thread_ts: conversation };
  const { ts } = await call('chat.postMessage', {
    channel: SLACK_CHANNEL,
    text: plain,
    metadata,
    ...thread,
  });
  return { reference: ts, conversation: conversation ?? ts };
}

/** Slack keeps the key with the message. */
async function find({ key, conversation, since }) {
  const oldest = String(Date.parse(since) / 1_000 - 60);
  const { messages } = await read(conversation, { oldest, include_all_metadata: 'true' });
  const found = messages.find(({ metadata }) => metadata?.event_payload?.key === key);
  return found ? { reference: found.ts, conversation: conversation ?? found.ts } : null;
}

function read(thread, options) {
  const all = { channel: SLACK_CHANNEL, limit: '200', ...options };
  return thread === null
    ? call('conversations.history', all)
    : call('conversations.replies', { ...all, ts: thread });
}

/** A message that begins with a mention of the app is a task, one in a thread a reply. */
async function pass({ channel, user, bot_id, subtype, text = '', ts, thread_ts }) {
  if (bot_id || subtype || !user || (channel ?? SLACK_CHANNEL) !== SLACK_CHANNEL) return;
  const isReply = thread_ts !== undefined && thread_ts !== ts;
  const mention = `<@${bot}>`;
  if (!isReply && !text.startsWith(mention)) return;
  const words = (isReply ? text : text.slice(mention.length)).trim().replace(/^!(?=\w)/, '/');
  const plain = words.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
  const message = { conversation: thread_ts ?? ts, author: user, text: plain };
  const subject = isReply ? '' : plain.split('\n')[0].slice(0, 200);
  await receive({ id: ts, kind: isReply ? 'reply' : 'task', subject, ...message });
  if (Number(ts) > Number(load('last', '0'))) save('last', ts);
}

/** Passes on what no connection has brought: of the channel, and of the last threads. */
async function catchUp() {
  const oldest = load('last', null) ?? String(Date.now() / 1_000);
  if (load('last', null) === null) save('last', oldest);
  const threads = Object.values(load('sent', {})).map(({ conversation }) => conversation);
  for (const thread of [null, ...new Set(threads.slice(-10))]) {
    const { messages } = await read(thread, { oldest });
    for (const message of messages.toReversed()) void pass(message);
  }
}

async function connect() {
  const { url } = await call('apps.connections.open', {}, SLACK_APP_TOKEN);
  const socket = new WebSocket(url);
  await new Promise((resolve, reject) => {
    socket.addEventListener('message', ({ data }) => {
      take(JSON.parse(data)).catch(reject);
    });
    socket.addEventListener('close', resolve);
    socket.addEventListener('error', () => reject(new Error('Slack has closed the connection')));
  });
  async function take({ type, envelope_id, payload }) {
    if (type === 'disconnect') return socket.close();
    if (type === 'hello') {
      await catchUp();
      return ready();
    }
    if (type === 'events_api' && payload.event.type === 'message') await pass(payload.event);
    if (envelope_id) socket.send(JSON.stringify({ envelope_id }));
  }
}

async function listen() {
  if (!SLACK_APP_TOKEN || !SLACK_BOT_TOKEN || !SLACK_CHANNEL)
    throw new Error('SLACK_APP_TOKEN, SLACK_BOT_TOKEN and SLACK_CHANNEL must be set');
  bot = (await call('auth.test')).user_id;
  const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
  const connections = async () => {
    for (;;) await connect().then(() => pause(1_000));
  };
  // A connection can be dead without a sign.
  const looks = async () => {
    for (;;) await pause(60_000).then(catchUp);
  };
  await Promise.all([connections(), looks()]);
}

serve({ send, find, listen });
