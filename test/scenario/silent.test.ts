import { afterEach, expect, it } from 'vitest';
import { playProject, smallTeam } from '../support/play.ts';
import type { TestProject } from '../support/project.ts';

let project: TestProject;
afterEach(() => project.remove());

const lost = 'agents/makr/inbox/b.md is not read: no role is called `makr`; move it to agents/maker/inbox/';
const unnamed =
  "agents/maker/inbox/task.txt is not read: the name of a message ends in .md; rename it, or set `inbox_patterns: ['*.txt']` in mailroom.yaml";

it(
  'names mail that no role reads in up, status, check and doctor, and reads more names on request',
  { timeout: 60_000 },
  async () => {
    project = playProject(smallTeam, { maker: `send('done', 'user', mail[0]);` });
    project.write('agents/makr/inbox/b.md', 'Lost\n');
    project.write('agents/maker/inbox/task.txt', 'Make it\n');
    const up = await project.run(['up', '--until-idle']);
    expect(up.stdout.split('\n').filter((line) => line.includes('is not read'))).toEqual([
      expect.stringContaining(unnamed),
      expect.stringContaining(lost),
    ]);
    expect((await project.run(['status'])).stdout).toContain(`problem     ${lost}\n`);
    const check = await project.run(['check', '--no-explore']);
    expect(check).toMatchObject({ code: 0 });
    expect(check.stderr).toContain(`warning E_MISPLACED: ${lost.replace('; ', '\nhint: ')}\n`);
    expect((await project.run(['doctor'])).stdout).toContain(`  ${unnamed}\n`);
    // Its text is a task, as in a file of Markdown.
    project.write('mailroom.yaml', `${project.read('mailroom.yaml')}inbox_patterns: ['*.txt']\n`);
    expect((await project.run(['status'])).stdout).toMatch(/^maker +idle +1 /m);
    const second = await project.run(['up', '--until-idle']);
    expect(second).toMatchObject({ code: 0 });
    expect(second.stdout).not.toContain('task.txt is not read');
    expect(second.stdout).toContain('maker → user: done');
    expect(project.list('agents/maker/inbox')).toEqual([]);
  },
);

it(
  'shows the failing test of a gate to the agent and to people, with the file of the whole output',
  { timeout: 60_000 },
  async () => {
    project = playProject(
      smallTeam.replace('closes: true', 'closes: true, gates: [{ run: [node, --test, sum.test.mjs] }]'),
      { maker: `appendFileSync(project + '/prompts', prompt); send('done', 'user');` },
    );
    project.write(
      'play/run.mjs',
      project.read('play/run.mjs').replace('writeFileSync });', 'writeFileSync, appendFileSync });'),
    );
    project.write(
      'play/maker.mjs',
      project.read('play/maker.mjs').replace('writeFileSync })', 'writeFileSync, appendFileSync })'),
    );
    const passing = Array.from({ length: 300 }, (_, number) => `test('passes ${String(number)}', () => {});`);
    project.write(
      'sum.test.mjs',
      [
        `import test from 'node:test';`,
        ...passing,
        `test('adds two numbers', () => { throw new Error('no sum'); });`,
        ...passing,
      ].join('\n'),
    );
    project.write('agents/maker/inbox/task.md', 'Make it\n');
    expect((await project.run(['up', '--until-idle'])).code).toBe(1);
    const prompts = project.read('prompts');
    const notices = project
      .list('agents/user/inbox')
      .map((name) => project.read(`agents/user/inbox/${name}`));
    for (const text of [prompts, notices.join('\n')]) {
      expect(text).toContain('adds two numbers');
      expect(text).toContain('no sum');
      const log = /its whole output is in (\S+gate-1\.stdout)/.exec(text)?.[1] ?? '';
      expect(project.read(log.slice(project.root.length + 1))).toContain('passes 299');
    }
    expect(prompts).toMatch(/\[… \d+ lines …\]/);
  },
);
