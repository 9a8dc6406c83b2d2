import { execFileSync } from 'node:child_process';
import { readlinkSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { playProject, smallTeam } from '../support/play.ts';
import type { TestProject } from '../support/project.ts';

let project: TestProject;
afterEach(() => project.remove());

it('makes a team of the agents of three programs, which checks and does a task', async () => {
  const keep = "writeFileSync(project + '/' + role + '.prompt', prompt);";
  project = playProject(
    smallTeam,
    {
      architect: `${keep}
  if (type === 'task') for (const to of ['builder', 'reviewer']) send('assignment', to, 'Part of it');
  else send('done', 'user', mail.length + ' reports');`,
      builder: `${keep} send('report', 'architect', 'Built');`,
      reviewer: `${keep} send('report', 'architect', 'Reviewed');`,
    },
    {
      '.claude/agents/architect.md':
        '---\nname: architect\ndescription: Plans\nhooks: {}\n---\nYou draw plans.\n',
      '.opencode/agent/builder.md': '---\ndescription: Builds\nmode: subagent\n---\nYou lay bricks.\n',
      '.github/agents/reviewer.agent.md':
        '---\ndescription: Reviews\ntools: [read]\n---\nYou look closely.\n',
    },
  );
  rmSync(join(project.root, 'protocols'), { recursive: true });
  const made = await project.run(['init', '--from-agents', '--provider', 'play']);
  expect(made).toMatchObject({ code: 0 });
  expect(made.stdout).toContain('left out .claude/agents/architect.md: not taken: hooks\n');
  expect(made.stdout).toContain('mailroom send architect --message');
  expect(readlinkSync(join(project.root, 'agents/builder/role.md'))).toBe('../../.opencode/agent/builder.md');
  const checked = await project.run(['check']);
  expect(checked).toMatchObject({ code: 0, stderr: '' });
  expect(checked.stdout).toMatch(/^ok: 4 roles, .*explored \d+ states/);
  await project.run(['send', 'architect', '--message', 'Build a house']);
  expect(await project.run(['up', '--until-idle'])).toMatchObject({ code: 0 });
  const trail = JSON.parse((await project.run(['trail', '--json'])).stdout) as { type: string }[];
  expect(trail.map(({ type }) => type).toSorted()).toEqual(
    ['task', 'assignment', 'assignment', 'report', 'report', 'done'].toSorted(),
  );
  expect(project.read('architect.prompt')).toContain('You draw plans.');
  expect(project.read('builder.prompt')).toContain('You lay bricks.');
  for (const role of ['architect', 'builder', 'reviewer'])
    expect(project.read(`${role}.prompt`)).not.toMatch(/hooks:|description:|mode:|tools:/);
  expect(await project.run(['init', '--from-agents'])).toMatchObject({ code: 2 });
  // What the proposal says of checkouts is a protocol, too.
  const landing = project
    .read('protocols/agents.yaml')
    .replace('# workspace:', 'workspace:')
    .replace('closes: true }', 'closes: true, lands: main }');
  project.write('protocols/agents.yaml', landing);
  const git = (...args: string[]) => execFileSync('git', args, { cwd: project.root });
  git('init', '-q', '-b', 'main');
  git('add', '--all');
  git('-c', 'user.name=Ada', '-c', 'user.email=ada@example.org', 'commit', '-qm', 'Start');
  const { code, stderr } = await project.run(['check']);
  const said = [...stderr.matchAll(/(?:warning|error) (E_\w+)/g)].map(([, found]) => found);
  expect([code, said]).toEqual([0, ['E_LANDS']]);
});
