import { afterEach, expect, it } from 'vitest';
import { playProject, smallTeam } from '../support/play.ts';
import { TestProject } from '../support/project.ts';

let project: TestProject;
afterEach(() => project.remove());

/** The subjects of the notices that the command for people was started with. */
async function told(count: number): Promise<string[]> {
  const read = () => (project.list('.').includes('told.log') ? project.read('told.log') : '');
  const subjects = () => read().split('\n').slice(0, -1);
  // The program does not wait for that command.
  await expect.poll(() => subjects().length).toBeGreaterThanOrEqual(count);
  return subjects();
}

const tell =
  'if [ "$MAILROOM_TYPE" = notice ]; then echo "$MAILROOM_FROM: $MAILROOM_SUBJECT" >> told.log; fi\n';

it('notifies once when the share of the day or of a thread is spent, across restarts', async () => {
  project = playProject(
    smallTeam.replace('start:', 'limits: { budget: { day: { usd: 2 }, thread: { usd: 0.7 } } }\nstart:'),
    {
      maker: `console.error('usage: {"usd": 0.3, "tokens": 10}'); if (times % 2 === 0) send('review', 'checker'); else send('done', 'user');`,
      checker: `console.error('usage: {"usd": 0, "tokens": 10}'); send('verdict', 'maker', 'Good', 'fields: { good: true }\\n');`,
    },
    { 'tell.sh': tell },
  );
  const settings = project.read('mailroom.yaml').replace('retries: 2', 'retries: 2, budget: { usd: 0.3 }');
  project.write(
    'mailroom.yaml',
    `${settings}limits: { budget: { alert: 0.25 } }\nnotify: { user: [sh, tell.sh] }\n`,
  );
  const thread = /^mailroom: 42 % of the budget of a thread is spent: \$0\.30 of \$0\.70$/;
  const day = /^mailroom: 30 % of the budget of this day is spent: \$0\.60 of \$2\.00$/;
  for (const name of ['first', 'second']) {
    project.drop(`agents/maker/inbox/${name}.md`, 'Make it\n');
    expect((await project.run(['up', '--until-idle'])).code).toBe(0);
  }
  const subjects = await told(3);
  expect(subjects.filter((subject) => day.test(subject))).toHaveLength(1);
  expect(subjects.filter((subject) => thread.test(subject))).toHaveLength(2);
  expect(subjects).toHaveLength(3);
  const shown = (await project.run(['trail', '--json'])).stdout;
  expect(shown).toContain('`limits.budget.day` sets it');
});

it('notifies of a run by mail, once', async () => {
  const step = 'provider: play\n    instructions: Work\n    capabilities: [READ]\n    budget: { usd: 0.5 }\n';
  project = new TestProject({
    'mailroom.yaml':
      'providers: { play: { command: [node, cost.mjs] } }\ndefaults: { provider: play }\ntrail: off\nlimits: { budget: { alert: 0.5 } }\nnotify: { user: [sh, tell.sh] }\n',
    'protocols/team.yaml': smallTeam.replace('READ, EDIT', 'READ'),
    'cost.mjs': `console.log('done'); console.error('usage: {"usd": 0.3, "tokens": 10}');\n`,
    'tell.sh': tell,
    'work.yaml': `name: work\nversion: '1'\ntimeout: 5m\nbudget: { usd: 1 }\nsteps:\n  one:\n    ${step}  two:\n    depends_on: [one]\n    ${step}  three:\n    depends_on: [two]\n    command: ['true']\n`,
  });
  const ran = await project.run(['run', 'work.yaml']);
  expect(ran.code).toBe(0);
  for (let again = 0; again < 2; again += 1) expect((await project.run(['up', '--until-idle'])).code).toBe(0);
  expect(await told(1)).toEqual(['workflow: 60 % of the budget of work is spent: $0.60 of $1.00']);
});

it('of the day is waited for, which why, status, inbox and the end of up say', async () => {
  const limited = (usd: number) =>
    smallTeam.replace('start:', `limits: { budget: { day: { usd: ${String(usd)} } } }\nstart:`);
  project = playProject(limited(1), {
    maker: `console.error('usage: {"usd": 1, "tokens": 1}'); send('done', 'user');`,
  });
  project.write('mailroom.yaml', project.read('mailroom.yaml').replace('retries: 2', 'budget: { usd: 1 }'));
  for (const name of ['first', 'second', 'third']) project.drop(`agents/maker/inbox/${name}.md`, 'Make it\n');
  const used = 'the budget of a day is used up: $1.00 of $1.00 are spent';
  const ended = await project.run(['up', '--until-idle']);
  expect(ended.stdout).toContain('idle: stuck');
  expect(ended.stdout).toContain(used);
  expect(ended.code).toBe(0);
  for (const words of [['why', 'maker'], ['status'], ['inbox']])
    expect((await project.run(words)).stdout).toContain(
      words[0] === 'inbox' ? 'budget of the next day' : used,
    );
  project.write('protocols/team.yaml', limited(9));
  const then = await project.run(['up', '--until-idle']);
  expect(then.stdout).toContain('idle: done');
  expect((await project.run(['costs'])).stdout).toContain('$3.00');
});
