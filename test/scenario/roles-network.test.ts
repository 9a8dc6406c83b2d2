import { networkInterfaces } from 'node:os';
import { afterEach, expect, it } from 'vitest';
import { probeContainment } from '../../src/process/sandbox/containment.ts';
import { playProject, smallTeam } from '../support/play.ts';
import { TestProject } from '../support/project.ts';

const { bubblewrap, namespace } = await probeContainment();
const held = bubblewrap.works || namespace.works;

let project: TestProject;
afterEach(() => project.remove());

/** Says which networks it sees. */
const looking = `
  const { networkInterfaces } = await import('node:os');
  const all = Object.keys(networkInterfaces()).join(' ');
  send('done', 'user', all === '' ? 'none' : all);`;

it.each([
  ['', true],
  [', network: false', false],
] as const)('a role with `capabilities: […]%s` has a network: %s', async (more, open) => {
  const team = smallTeam.replace('[READ, EDIT] }', `[READ, EDIT]${more} }`);
  project = playProject(team, { maker: looking });
  project.drop('agents/maker/inbox/task.md', 'Look\n');
  expect(await project.run(['up', '--until-idle'])).toMatchObject({ code: 0 });
  const rows = JSON.parse((await project.run(['trail', '--json'])).stdout) as {
    type: string;
    body: string;
  }[];
  const seen = rows.find(({ type }) => type === 'done')?.body.trim();
  expect(seen).toBe(open || !held ? Object.keys(networkInterfaces()).join(' ') : 'none');
});

const workflow = `
name: networks
version: "1"
timeout: 1m
steps:
  open: { command: [node, looks.cjs], stdout: open.txt }
  shut: { command: [node, looks.cjs], stdout: shut.txt, network: false }
  script: { worker: CUSTOM, capabilities: [READ], instructions: node looks.cjs, stdout: script.txt, network: false }
`;

it('a step of a workflow has a network unless it says otherwise', async () => {
  const looks = `console.log(Object.keys(require('node:os').networkInterfaces()).join(' '));`;
  project = new TestProject({ 'mailroom.yaml': 'trail: off\n', 'work.yaml': workflow, 'looks.cjs': looks });
  expect(await project.run(['run', 'work.yaml', '--json'])).toMatchObject({ code: 0 });
  const all = Object.keys(networkInterfaces()).join(' ');
  const seen = ['open', 'shut', 'script'].map((name) => project.read(`${name}.txt`).trim());
  expect(seen).toEqual(held ? [all, '', ''] : [all, all, all]);
});
