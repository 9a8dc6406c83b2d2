import { networkInterfaces } from 'node:os';
import { afterEach, expect, it } from 'vitest';
import { probeContainment } from '../../src/process/containment.ts';
import { playProject, smallTeam } from '../support/play.ts';
import type { TestProject } from '../support/project.ts';

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
] as const)(
  'a role with `capabilities: […]%s` has a network: %s',
  { timeout: 60_000 },
  async (more, open) => {
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
  },
);
