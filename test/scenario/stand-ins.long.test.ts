import { afterEach, expect, it } from 'vitest';
import { CliProject } from '../support/clis.ts';
import { program } from '../support/project.ts';

let project: CliProject;
afterEach(() => project.remove());

const team = `
name: one
version: "1"
roles:
  maker: { provider: claude, model: opus, fallback: [codex], session: thread, retries: 0 }
messages:
  task: { from: user, to: maker }
  more: { from: user, to: maker }
  question: { from: maker, to: user }
  done: { from: maker, to: user, closes: true }
start: { type: task, to: maker }
`;

/** Answers once; then its limit is reached, for an hour. */
const claude = `
if (messages[0].includes('type: more')) {
  event({ type: 'result', subtype: 'success', is_error: true, api_error_status: 429, result: "You've hit your limit, try again in 1h",
    session_id: 's', total_cost_usd: 0, modelUsage: {} });
  process.exit(1);
}
send('question', 'user', 'Which colour?');
claude('ok');`;

const codex = `
const { execFileSync } = require('node:child_process');
const asked = prompt.includes('Which colour?');
const status = execFileSync(process.execPath, ['${program}', 'status'], { encoding: 'utf8' });
const maker = /^maker .*$/m.exec(status)[0];
send('done', 'user', JSON.stringify({ asked, resumes: argv.includes('resume'), model: argv.includes('-m'), maker }));
codex('ok');`;

it('a provider that stands in continues with the thread, in a conversation of its own', async () => {
  project = new CliProject(
    { 'protocols/team.yaml': team, 'mailroom.yaml': 'trail: off\n' },
    { claude, codex },
  );
  expect(await project.run(['send', 'maker', '-m', 'Make it', '--type', 'task'])).toMatchObject({
    code: 0,
    stderr: '',
  });
  expect((await project.run(['up', '--until-idle'])).code).toBe(0);
  interface Row {
    readonly type: string;
    readonly thread: string;
    readonly body: string;
  }
  const trail = async () => JSON.parse((await project.run(['trail', '--json'])).stdout) as Row[];
  const thread = (await trail())[0]?.thread ?? '';
  await project.run(['send', 'maker', '-m', 'Blue', '--type', 'more', '--thread', thread]);
  const up = await project.run(['up', '--until-idle']);
  expect(up).toMatchObject({ code: 0 });
  expect(up.stdout).toMatch(/maker t2 starts attempt 2 with codex: claude has reached its usage limit: /);
  const last = (await trail()).at(-1);
  expect(last).toMatchObject({ type: 'done', thread });
  expect(JSON.parse(last?.body ?? '')).toEqual({
    asked: true,
    resumes: false,
    model: false,
    maker: expect.stringMatching(/^maker +running .*, codex instead of claude/),
  });
  const status = (await project.run(['status'])).stdout;
  expect(status).toMatch(/^parked +claude until/m);
  expect(status).toMatch(/^maker +idle/m);
  const costs = (await project.run(['costs', '--by', 'provider'])).stdout;
  expect(costs).toMatch(/^codex +1 /m);
  expect(costs).toMatch(/^claude +2 /m);
});
