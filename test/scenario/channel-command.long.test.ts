import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { playProject } from '../support/play.ts';
import { finished, type TestProject } from '../support/project.ts';
import { TelegramDouble } from '../support/telegram-double.ts';

const team = `
name: channels
version: "1"
roles:
  maker: { capabilities: [READ] }
messages:
  task: { from: user, to: maker }
  question: { from: maker, to: user, reply: [answer], blocking: true }
  answer: { from: user, to: maker }
  done: { from: maker, to: user, closes: true }
start: { type: task, to: maker }
`;
const maker = `
  if (type === 'task') send('question', 'user', 'Which colour?');
  else send('done', 'user', 'It is ' + /(\\w+)\\s*$/.exec(mail[0])?.[1] + '.', 'subject: Painted\\n');`;

const recipe = (file: string) => readFileSync(new URL(`../../docs/${file}`, import.meta.url), 'utf8');

let project: TestProject;
let double: TelegramDouble;

const ada = 7;
const env = () => ({
  TELEGRAM_TOKEN: double.token,
  TELEGRAM_CHAT: '42',
  TELEGRAM_API: double.address,
});
const up = () => project.run(['up', '--until-idle'], env());
const types = async () =>
  (JSON.parse((await project.run(['trail', '--json'])).stdout) as { type: string }[]).map(({ type }) => type);

function settings(command: string): void {
  project.drop(
    'mailroom.yaml',
    `providers: { play: { command: [node, play/run.mjs] } }
defaults: { provider: play, retries: 0 }
trail: off
channels:
  chat:
    kind: command
    command: ${command}
    env: [TELEGRAM_*]
    people: { '${String(ada)}': user }
`,
  );
}

beforeEach(async () => {
  double = new TelegramDouble();
  await double.listen();
  const files = ['channels/mailroom.mjs', 'channels/telegram.mjs'];
  project = playProject(team, { maker }, Object.fromEntries(files.map((file) => [file, recipe(file)])));
  settings('[node, channels/telegram.mjs]');
});

afterEach(async () => {
  project.remove();
  await double.close();
});

describe('a task that comes by the program of a channel', () => {
  it('is worked on, asked about and answered there, each once, through kill -9', async () => {
    double.say('Paint it', ada);
    const child = project.start(['up'], env());
    const end = finished(child);
    double.onSent = ({ text }) => {
      if (text.includes('Which colour?')) child.kill('SIGKILL');
    };
    await end;
    double.onSent = null;
    const stranger = double.say('Paint it black', 666);
    expect((await up()).stdout.trim().split('\n').at(-1)).toMatch(/^idle: waiting for /);
    const texts = () => double.sent.map(({ text }) => text.split('\n')[0]);
    expect(texts()).toEqual(['Accepted as a task. Questions and the result come here.', '**Which colour?**']);
    const question = double.sent[1];
    expect(question?.answers).toBe(101);
    double.say('Red', 666, { reply_to_message: { message_id: question?.id } });
    double.say('Blue', ada, { reply_to_message: { message_id: question?.id } });
    double.say('Green', ada, { reply_to_message: { message_id: question?.id } });
    expect((await up()).stdout.trim().split('\n').at(-1)).toBe('idle: done');
    expect(await types()).toEqual(['task', 'question', 'answer', 'done']);
    expect(texts().slice(2)).toEqual([
      'Not accepted: what was asked here is answered already.',
      '**Painted**',
    ]);
    expect(double.sent.at(-1)?.text).toContain('It is Blue.');
    const { stdout } = await project.run(['doctor'], env());
    expect(stdout).toContain(`42/${String(stranger)}: 666 is not among the \`people\` of the channel`);
  });

  it('waits while the program cannot work, which is said with its reason, and without its token', async () => {
    project.drop('agents/user/outbox/a.md', '---\ntype: task\nto: maker\n---\nPaint it\n');
    const wrong = { ...env(), TELEGRAM_TOKEN: 'secret-token-of-mallory' };
    await project.run(['up', '--until-idle'], wrong);
    const { stdout } = await project.run(['doctor'], wrong);
    expect(stdout).toMatch(
      /channel chat is down since \S+, and 1 message waits for it: its program: it ended with exit code 1: Telegram: Unauthorized/,
    );
    expect(double.sent).toEqual([]);
    await up();
    expect(double.sent.map(({ text }) => text.split('\n')[0])).toEqual(['**Which colour?**']);
  });
});

it('sets aside what it does not understand of a program, and says so', async () => {
  project.drop(
    'channels/loud.mjs',
    `console.log('{"type":"received","id":"1","kind":"order","conversation":"c","author":"${String(ada)}","text":"x"}');
console.log('{"type":"ready"}');
for await (const _ of process.stdin);
`,
  );
  settings('[node, channels/loud.mjs]');
  await up();
  const { stdout } = await project.run(['doctor'], env());
  expect(stdout).toContain('1 text not accepted, the last: line-');
  expect(stdout).toContain('`kind` must be `task` or `reply`');
});
