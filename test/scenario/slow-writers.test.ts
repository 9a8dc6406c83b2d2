import { closeSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { afterEach, expect, it } from 'vitest';
import { finished, said, TestProject } from '../support/project.ts';

/** A role whose agent writes down what it is asked, and says that it is done. */
const files = {
  'mailroom.yaml': `trail: off\nproviders: { note: { command: [sh, agent.sh] } }\n`,
  'agent.sh': `cat >> asked.txt\nprintf -- '---\\ntype: done\\nto: user\\n---\\nok\\n' > "$MAILROOM_OUTBOX/done.md"\n`,
  'protocols/team.yaml': `name: team
version: '1'
roles: { writer: { provider: note } }
messages:
  task: { from: [user], to: [writer] }
  done: { from: [writer], to: [user], closes: true }
start: { type: task, to: writer }
`,
  'agents/writer/role.md': 'You write.\n',
};

let project: TestProject | null = null;

afterEach(() => {
  project?.remove();
  project = null;
});

it.each([
  ['in parts', 'Drop the tables\n', 'of the tests\n', 'Drop the tables\nof the tests\n'],
  ['late', '', 'Drop the tables of the tests\n', 'Drop the tables of the tests\n'],
  ['with its front matter in parts', '---\nsubject: Tables\n', '---\nDrop them\n', 'Drop them\n'],
])('a task that is written %s is handed over whole', async (_, first, second, text) => {
  const team = (project = new TestProject(files));
  const up = team.start(['up', '--plain']);
  await said(up, 'roles');
  const file = openSync(join(team.root, 'agents/writer/inbox/task.md'), 'w');
  writeSync(file, first);
  const why = async () => (await team.run(['why', 'writer'])).stdout;
  const writer = `process ${String(process.pid)} (`;
  await expect.poll(why).toContain(`agents/writer/inbox/task.md is incomplete: ${writer}`);
  writeSync(file, second);
  closeSync(file);
  await said(up, 'done');
  const ended = finished(up);
  up.kill('SIGTERM');
  expect((await ended).stderr).toBe('');
  expect(team.read('asked.txt')).toContain(text);
});
