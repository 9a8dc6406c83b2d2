import type { ChildProcess } from 'node:child_process';
import { afterEach, expect, it } from 'vitest';
import { finished, said, TestProject } from '../support/project.ts';

const protocol = `
name: p
version: "1"
roles: { maker: { provider: human } }
messages: { task: { from: user, to: maker } }
`;
const rounds = 6;
const started: ChildProcess[] = [];
let project: TestProject | null = null;

afterEach(() => {
  for (const child of started.splice(0)) child.kill('SIGKILL');
  project?.remove();
});

it('of controllers started at once exactly one works, the others say so, and nothing is lost or doubled', async () => {
  const made = new TestProject({
    'mailroom.yaml': 'trail: off\nsandbox: off\n',
    'protocols/p.yaml': protocol,
  });
  project = made;
  for (let round = 1; round <= rounds; round += 1) {
    const all = [1, 2, 3].map(() => made.start(['up', '--plain']));
    started.push(...all);
    const ends = all.map((child) => finished(child));
    // The first that works; the two others end by themselves.
    const working = await Promise.any(all.map(async (child) => (await said(child, 'p: 2 roles'), child)));
    const refused = await Promise.all(ends.filter((_end, index) => all[index] !== working));
    for (const { code, stdout, stderr } of refused) {
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
      expect(stderr).toMatch(/^error E_LOCKED: .* holds this project/);
    }
    made.drop(
      'agents/user/outbox/task.md',
      `---\ntype: task\nto: maker\nsubject: Task ${String(round)}\n---\nDo it.\n`,
    );
    await expect.poll(() => made.list('agents/maker/inbox').length).toBe(round);
    working.kill('SIGKILL');
    await Promise.all(ends);
  }
  const subjects = made
    .list('agents/maker/inbox')
    .map((name) => /^subject: (.*)$/m.exec(made.read(`agents/maker/inbox/${name}`))?.[1]);
  expect(subjects).toEqual(Array.from({ length: rounds }, (_, index) => `Task ${String(index + 1)}`));
  expect(await made.run(['up', '--until-idle', '--plain'])).toMatchObject({ code: 0, stderr: '' });
  expect(made.list('agents/user/sent').length).toBe(1);
  expect(made.survivors()).toEqual([]);
});
