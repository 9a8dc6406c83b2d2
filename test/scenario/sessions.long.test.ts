import { execFileSync } from 'node:child_process';
import { afterEach, expect, it } from 'vitest';
import { ImpostorProject } from '../support/impostor.ts';

let project: ImpostorProject;
afterEach(() => project.remove());

const team = `
name: one
version: "1"
roles:
  maker: { provider: claude, capabilities: [READ, EDIT], session: thread, retries: 0 }
messages:
  task: { from: user, to: maker }
  question: { from: maker, to: user, reply: [answer], blocking: true }
  answer: { from: user, to: maker }
  done: { from: maker, to: user, closes: true }
start: { type: task, to: maker }
`;

/** Asks first; told to resume, it knows the conversation or not. */
const asking = (known: boolean) => `
  fs.writeFileSync(project + '/prompt-' + process.env.MAILROOM_ATTEMPT + '.txt', prompt);
  const resumed = args.includes('--resume');
  if (resumed && !${String(known)}) {
    console.error('No conversation found with session ID: ' + args[args.indexOf('--resume') + 1]);
    process.exit(1);
  }
  if (prompt.includes('type: answer')) send('done', 'user', resumed ? 'as we said' : 'as I read');
  else send('question', 'user', 'Which colour?');`;

interface Row {
  readonly id: string;
  readonly type: string;
  readonly body: string;
}

const trail = async () => JSON.parse((await project.run(['trail', '--json'])).stdout) as Row[];

async function asked(known: boolean, meanwhile = () => {}): Promise<void> {
  const files = { 'protocols/one.yaml': team, '.gitignore': '.mailroom/\nagents/\n' };
  project = new ImpostorProject({ maker: asking(known) }, files);
  execFileSync('git', ['init', '-q'], { cwd: project.root });
  await project.works('maker', 'Paint the shed\n');
  const question = (await trail()).find(({ type }) => type === 'question');
  meanwhile();
  await project.run(['reply', question?.id ?? '', '--message', 'Red']);
  expect(await project.run(['up', '--until-idle'])).toMatchObject({ code: 0 });
}

const log = () =>
  execFileSync('git', ['log', '--format=%B', 'mailroom-trail'], { cwd: project.root }).toString();

it('resumes the conversation of a thread, and does not tell it again', async () => {
  await asked(true);
  expect((await trail()).at(-1)?.body.trim()).toBe('as we said');
  expect(project.read('prompt-1.txt')).not.toMatch(/Paint the shed|How to send/);
  expect(log()).not.toContain('Session:');
});

it('says again what the role is and how it sends where that has changed', async () => {
  await asked(true, () => project.write('agents/maker/role.md', 'You paint in oil.\n'));
  expect((await trail()).at(-1)?.body.trim()).toBe('as we said');
  const prompt = project.read('prompt-1.txt');
  expect(prompt).toMatch(/You paint in oil\.[^]*## How to send/);
  expect(prompt).not.toContain('Paint the shed');
});

it('tells the thread instead where the conversation is gone, and the trail says so', async () => {
  await asked(false);
  expect((await trail()).at(-1)?.body.trim()).toBe('as I read');
  const prompt = project.read('prompt-2.txt');
  expect(prompt).toContain('## Your earlier conversation is not there any more');
  expect(prompt).toContain('Paint the shed');
  expect(log()).toContain('Session: gone; replaced by the history of the thread');
});
