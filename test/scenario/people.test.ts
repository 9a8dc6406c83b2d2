import { afterEach, expect, it } from 'vitest';
import { playProject, smallTeam, type Plays } from '../support/play.ts';
import { finished, said, type TestProject } from '../support/project.ts';

let project: TestProject;
afterEach(() => project.remove());

function begin(plays: Plays): void {
  project = playProject(smallTeam, plays);
  project.write('agents/maker/inbox/task.md', 'Make it\n');
}

interface Row {
  readonly id: string;
  readonly type: string;
  readonly body: string;
}

const trail = async () => JSON.parse((await project.run(['trail', '--json'])).stdout) as Row[];

it('asks a person, waits at no cost, and continues with the answer', async () => {
  begin({
    maker: `if (type === 'task') send('question', 'user', 'Red or blue?'); else send('done', 'user', mail[0]);`,
  });
  const first = await project.run(['up', '--until-idle']);
  expect(first).toMatchObject({ code: 0 });
  expect(first.stdout.trim().split('\n').at(-1)).toBe('idle: waiting for user; see `mailroom inbox`');
  expect(project.survivors()).toEqual([]);
  const status = JSON.parse((await project.run(['status', '--json'])).stdout) as {
    roles: { name: string; state: string; waiting_for: { roles: string[] } | null }[];
  };
  expect(status.roles.find(({ name }) => name === 'maker')).toMatchObject({
    state: 'waiting',
    waiting_for: { roles: ['user'] },
  });
  const question = (await trail()).find(({ type }) => type === 'question')?.id ?? '';
  expect(await project.run(['reply', question, '--message', 'Blue'])).toMatchObject({ code: 0 });
  expect(await project.run(['up', '--until-idle'])).toMatchObject({ code: 0 });
  expect((await trail()).map(({ type }) => type)).toEqual(['task', 'question', 'answer', 'done']);
  expect((await trail()).at(-1)?.body).toContain('Blue');
});

it('lets an agent ask where its protocol has no type for that, and keeps the thread open', async () => {
  const protocol = `
roles:
  maker: { capabilities: [READ, EDIT] }
messages:
  task: { from: user, to: maker }
  done: { from: maker, to: user, closes: true }
start: { type: task, to: maker }
`;
  project = playProject(protocol, {
    maker: `if (type !== 'task') return send('done', 'user', mail[0]);
  const isCorrected = prompt.includes('## Correct this first');
  writeFileSync(project + '/correction.md', isCorrected ? prompt : '');
  process.stdout.write((isCorrected ? 'type: question\\n\\n' : '') + 'Postgres or MySQL?\\n');`,
  });
  project.write('agents/maker/inbox/task.md', 'Make it\n');
  expect(await project.run(['up', '--until-idle'])).toMatchObject({ code: 0 });
  expect(project.read('correction.md')).toContain('`question` to the sender of your mail');
  const inbox = JSON.parse((await project.run(['inbox', '--json'])).stdout) as { items: object[] };
  expect(inbox.items).toMatchObject([
    {
      kind: 'request',
      type: 'question',
      from: 'maker',
      reply_types: ['answer'],
      subject: 'Postgres or MySQL?',
    },
  ]);
  const threads = async () =>
    (JSON.parse((await project.run(['status', '--json'])).stdout) as { threads: object[] }).threads;
  expect(await threads()).toMatchObject([{ state: 'open' }]);
  expect(await project.run(['reply', '--message', 'Postgres'])).toMatchObject({ code: 0 });
  expect(await project.run(['up', '--until-idle'])).toMatchObject({ code: 0 });
  expect((await trail()).map(({ type }) => type)).toEqual(['task', 'question', 'answer', 'done']);
  expect((await trail()).at(-1)?.body).toContain('Postgres');
  expect(await threads()).toMatchObject([{ state: 'closed' }]);
});

it('lets a person speak for a role, and refuses a second answer with the reason', async () => {
  begin({ maker: `if (type === 'task') send('question', 'user', 'Red?');` });
  expect(await project.run(['up', '--until-idle'])).toMatchObject({ code: 0 });
  const question = (await trail()).find(({ type }) => type === 'question')?.id ?? '';
  const answer = (text: string) => `---\ntype: answer\nto: maker\nin_reply_to: ${question}\n---\n${text}\n`;
  project.write('agents/user/outbox/first.md', answer('Red'));
  expect(await project.run(['up', '--until-idle'])).toMatchObject({ code: 0 });
  project.write('agents/user/outbox/second.md', answer('No, blue'));
  expect((await project.run(['up', '--until-idle'])).code).toBe(1);
  const month = project.list('agents/user/failed')[0] ?? '';
  const reason =
    project.list(`agents/user/failed/${month}`).find((name) => name.endsWith('.reason.txt')) ?? '';
  expect(project.read(`agents/user/failed/${month}/${reason}`)).toContain('already answered');
});

it('holds one controller a project, and frees it when that is killed', async () => {
  begin({ maker: `send('done', 'user');` });
  const first = project.start(['up']);
  const end = finished(first);
  await said(first, 'is closed');
  const second = await project.run(['up']);
  expect(second.code).toBe(1);
  expect(second.stderr).toMatch(/E_LOCKED: process \d+ on .* holds this project/);
  first.kill('SIGKILL');
  await end;
  expect(await project.run(['up', '--until-idle'])).toMatchObject({ code: 0 });
});

it('takes commands from other processes while it runs', async () => {
  begin({ maker: `send('done', 'user');` });
  const child = project.start(['up']);
  const end = finished(child);
  await said(child, 'is closed');
  expect(await project.run(['pause', 'maker'])).toMatchObject({ code: 0 });
  expect(await project.run(['send', 'maker', '--message', 'Later'])).toMatchObject({ code: 0 });
  const status = JSON.parse((await project.run(['status', '--json'])).stdout) as {
    roles: { name: string; state: string }[];
  };
  expect(status.roles.find(({ name }) => name === 'maker')?.state).toBe('paused');
  expect(project.read('maker.log').trim().split('\n')).toHaveLength(1);
  expect(await project.run(['unpause', 'maker'])).toMatchObject({ code: 0 });
  expect(await project.run(['pause', 'nobody'])).toMatchObject({ code: 2 });
  child.kill('SIGTERM');
  await end;
  expect(await project.run(['up', '--until-idle'])).toMatchObject({ code: 0 });
  expect((await trail()).filter(({ type }) => type === 'done')).toHaveLength(2);
});

it('tells a person by a command of theirs', async () => {
  begin({ maker: `send('done', 'user', 'Made');` });
  const before = project.read('mailroom.yaml');
  project.write('tell.sh', 'echo "$MAILROOM_TYPE from $MAILROOM_FROM: $MAILROOM_SUBJECT" >> told.log\n');
  project.write('mailroom.yaml', `${before}notify: { user: [sh, tell.sh] }\n`);
  expect(await project.run(['up', '--until-idle'])).toMatchObject({ code: 0 });
  // Nobody waits for that command.
  await expect.poll(() => project.read('told.log')).toBe('done from maker: Made\n');
});
