import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { Session } from '../../src/kernel/cost.ts';
import { TurnFixture } from '../providers/turns.ts';
import { gemini } from './support/clis.ts';
import { Model, type Answer, type Asked } from './support/model.ts';
import { Setting } from './support/players.ts';
import { gather } from './support/team.ts';

const protocol = `
name: lone
version: "1"
roles:
  worker: { provider: gemini, model: ${gemini.model}, capabilities: [READ], retries: 0, session: thread }
messages:
  task: { from: user, to: worker }
  question: { from: worker, to: user, reply: [answer], blocking: true }
  answer: { from: user, to: worker }
  done: { from: worker, to: user, closes: true }
start: { type: task, to: worker }
`;

/** A person's settings: their login is a key in `.gemini/.env`, and nothing in them was put there for Mailroom. */
const own = '{ "security": { "auth": { "selectedType": "gemini-api-key" } } } // mine\n';

it('gives somebody with a login of their own tools and conversations, and leaves their settings alone', async () => {
  // Outside a sandbox the folders above the project are not root's alone, so that no settings for all users count.
  const team = await gather([gemini], { 'protocols/lone.yaml': protocol }, { mcp: 'on', sandbox: 'off' });
  const { project, model, env } = team;
  const { GEMINI_API_KEY: key = '', ...without } = env;
  const home = join(env['HOME'] ?? '', '.gemini');
  writeFileSync(join(home, 'settings.json'), own);
  writeFileSync(join(home, '.env'), `GEMINI_API_KEY=${key}\n`);
  const use = ({ prompt }: Asked) =>
    prompt.includes('type: answer')
      ? { name: 'send_message', arguments: { to: 'user', type: 'done', body: 'It is made.' } }
      : { name: 'ask', arguments: { to: 'user', question: 'Which one?' } };
  let last: Asked | null = null;
  model.plays((asked): Answer => {
    last = asked;
    if (asked.results.length > 0) return { say: 'I stop.' };
    const tool = use(asked);
    return { say: 'I tell them.', tools: [{ ...tool, name: gemini.served(tool.name) }] };
  });
  project.drop('agents/worker/inbox/task.md', 'Make it.\n');
  const up = () => project.run(['up', '--until-idle', '--plain'], without);
  expect(await up()).toMatchObject({ stderr: '' });
  const [question = ''] = project.list('agents/user/inbox');
  expect(project.read(`agents/user/inbox/${question}`)).toContain('Which one?');
  project.drop('answer.md', 'The red one.\n');
  const id = /^id: (\S+)/m.exec(project.read(`agents/user/inbox/${question}`))?.[1] ?? '';
  expect(await project.run(['reply', id, 'answer.md'], without)).toMatchObject({ code: 0 });
  expect(await up()).toMatchObject({ code: 0, stderr: '' });
  const rows = JSON.parse((await project.run(['trail', '--json'], without)).stdout) as { type: string }[];
  expect(rows.map(({ type }) => type)).toEqual(['task', 'question', 'answer', 'done']);
  // The second turn went on with the conversation of the first.
  expect(last).toMatchObject({ conversation: expect.stringMatching(/Make it\.[^]*The red one\./) });
  expect(readFileSync(join(home, 'settings.json'), 'utf8')).toBe(own);
  expect(existsSync(join(home, 'tmp'))).toBe(true);
});

/** Its clock goes ahead by as many minutes as a file says. */
const clock = (file: string) => `
import { readFileSync } from 'node:fs';
const ahead = Number(readFileSync(${JSON.stringify(file)}, 'utf8')) * 60_000;
const Real = Date;
globalThis.Date = class Date extends Real {
  constructor(...given) {
    if (given.length === 0) super(Real.now() + ahead);
    else super(...given);
  }
  static now() {
    return Real.now() + ahead;
  }
};
`;

it('resumes a conversation whose turns and those of others lie minutes apart', async () => {
  const place = new TurnFixture(onTestFinished);
  const model = await Model.start();
  onTestFinished(() => model.stop());
  const [minutes, preload] = [join(place.root, 'minutes'), join(place.root, 'clock.mjs')];
  writeFileSync(preload, clock(minutes));
  const [node, ...program] = gemini.command;
  const setting = new Setting({ ...gemini, command: [node, '--import', preload, ...program] }, place, model);
  const turnAt = async (minute: number, session: Session | null) => {
    writeFileSync(minutes, String(minute));
    model.says({ say: `Minute ${String(minute)}.` });
    const { outcome } = await setting.run(setting.turn(['READ'], session));
    expect(outcome).toMatchObject({ is: 'done', text: `Minute ${String(minute)}.` });
    return outcome.session;
  };
  const first = await turnAt(0, null);
  let session = first;
  for (const minute of [1, 3, 5]) {
    session = await turnAt(minute, session);
    expect(session).toMatchObject({ id: first?.id });
    await turnAt(minute + 1, null);
  }
  await turnAt(7, session);
  const { conversation = '' } = model.asked[0] ?? {};
  for (const minute of [0, 1, 3, 5]) expect(conversation).toContain(`Minute ${String(minute)}.`);
});
