import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { TestProject, said } from '../support/project.ts';

let project: TestProject;
afterEach(() => project.remove());

const many = 20_000;
const team = (flooding: string) => `
name: flood
version: "1"
limits: { corrections: 0 }
roles:
  one: { provider: flooding, capabilities: [READ], retries: 0${flooding} }
  two: { provider: answering, capabilities: [READ] }
messages:
  task: { from: user, to: [one, two] }
  done: { from: [one, two], to: user, closes: true }
`;

/** Fills every folder that its sandbox lets it write. */
const flood = `
const { MAILROOM_OUTBOX: staging, MAILROOM_PROJECT: project, TMPDIR: temporary } = process.env;
const outbox = project + '/agents/one/outbox';
const letter = '---\\ntype: done\\nto: user\\n---\\nx';
for (let i = 0; i < ${many}; i += 1) {
  fs.writeFileSync(staging + '/' + i + '.md', letter);
  fs.writeFileSync(outbox + '/' + i + '.md', letter);
  fs.writeFileSync(temporary + '/' + i, '');
}
fs.mkdirSync(staging + '/d'.repeat(1_000), { recursive: true });
fs.writeFileSync(project + '/agents/one/outbox/' + 'n'.repeat(252) + '.md', letter);
`;

function begin(then: string, settings = ''): void {
  project = new TestProject({
    'mailroom.yaml':
      'trail: off\nproviders:\n  flooding: { command: [node, flood.cjs] }\n  answering: { command: [sh, answer.sh] }\n',
    'protocols/flood.yaml': team(settings),
    'agents/one/role.md': 'Fill it.',
    'agents/two/role.md': 'Answer.',
    'answer.sh': 'printf -- "---\\ntype: done\\nto: user\\n---\\nanswered\\n" > "$MAILROOM_OUTBOX/x.md"\n',
    'flood.cjs': `const fs = require('node:fs');${flood}${then}`,
  });
  for (const role of ['one', 'two']) project.drop(`agents/${role}/inbox/task.md`, 'Do it\n');
}

const inbox = () =>
  project.list('agents/user/inbox').map((name) => project.read(`agents/user/inbox/${name}`));

it('a turn that fills its folders fails with the reason and keeps all of it; others are answered', async () => {
  begin('');
  await project.run(['up', '--until-idle']);
  expect(inbox().filter((text) => text.includes('answered'))).toHaveLength(1);
  const failed = inbox().find((text) => text.includes('unread in .mailroom/turns/'));
  expect(failed).toContain('agents/one/outbox held more than 1000 files');
  expect(failed).toContain('there are more than 1000 files');
  const [turn = ''] = readdirSync(join(project.root, '.mailroom/turns')).filter((name) =>
    existsSync(join(project.root, '.mailroom/turns', name, '1/outbox-of-one')),
  );
  const kept = ['outbox', 'outbox-of-one'].map((name) => project.list(`.mailroom/turns/${turn}/1/${name}`));
  // With the deep folder, and the long name.
  expect(kept.flat()).toHaveLength(2 * many + 2);
  expect(project.list('agents/one/outbox')).toEqual([]);
});

it('the timeout of its role ends such a turn, and TERM the controller', async () => {
  begin("console.log('full'); setTimeout(() => {}, 600_000);", ', timeout: 3s');
  const up = project.start(['up']);
  await said(up, 'E_TIMEOUT');
  project.drop('agents/one/inbox/again.md', 'Do it\n');
  project.drop('agents/two/inbox/again.md', 'Do it\n');
  await said(up, 'two → user');
  up.kill('SIGTERM');
  const [code] = (await once(up, 'exit')) as [number | null];
  expect(code).not.toBeNull();
  expect(project.survivors()).toEqual([]);
});
