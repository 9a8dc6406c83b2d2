import { load, problem, ready, receive, save, serve, shortened } from './mailroom.mjs';

const { NTFY_TOPIC, NTFY_REPLIES, NTFY_TOKEN, NTFY_SERVER = 'https://ntfy.sh' } = process.env;
const headers = NTFY_TOKEN ? { authorization: `Bearer ${NTFY_TOKEN}` } : {};

async function request(path, options = {}) {
  const answer = await fetch(`${NTFY_SERVER}/${path}`, { headers, ...options });
  if (answer.ok) return answer;
  const { error = answer.statusText } = await answer.json().catch(() => ({}));
  throw problem(`ntfy: ${error}`, {
    refused: answer.status === 400 || answer.status === 413,
    ...(answer.status === 429 && { retryAfter: 60 }),
  });
}

async function send({ subject, text }) {
  const message = {
    topic: NTFY_TOPIC,
    title: subject.slice(0, 200),
    message: shortened(text, 4_000),
  };
  const signal = AbortSignal.timeout(30_000);
  const answer = await request('', { method: 'POST', body: JSON.stringify(message), signal });
  return { reference: (await answer.json()).id, conversation: 'ntfy' };
}

function pass({ id, event, topic, message = '' }) {
  if (event !== 'message') return;
  const [, task] = /^\/task\s+([^]+)/.exec(message) ?? [];
  const about = task ? { kind: 'task', subject: task.split('\n')[0].slice(0, 200) } : { kind: 'reply' };
  const text = task ?? message;
  void receive({ id, conversation: 'ntfy', author: topic, text, ...about }).then(() => save('since', id));
}

async function listen() {
  if (!NTFY_TOPIC || !NTFY_REPLIES) throw new Error('NTFY_TOPIC and NTFY_REPLIES must be set');
  if (load('since', null) === null) save('since', Math.floor(Date.now() / 1_000));
  // First what has been kept there, then what comes.
  for (let poll = 1; ; poll = 0) {
    const answer = await request(`${NTFY_REPLIES}/json?poll=${poll}&since=${load('since')}`);
    let rest = '';
    for await (const text of answer.body.pipeThrough(new TextDecoderStream())) {
      const lines = `${rest}${text}`.split('\n');
      rest = lines.pop();
      for (const line of lines) pass(JSON.parse(line));
    }
    ready();
    await new Promise((resolve) => setTimeout(resolve, poll === 1 ? 0 : 1_000));
  }
}

serve({ send, listen });
