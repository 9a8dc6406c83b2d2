import { afterEach, expect, it } from 'vitest';
import { join } from 'node:path';
import { listProcesses, readProcess } from '../../src/process/proc.ts';
import { pause } from '../process/support.ts';
import { appears } from '../support/appears.ts';
import { playProject, smallTeam } from '../support/play.ts';
import { finished, said, type TestProject } from '../support/project.ts';

let project: TestProject;
afterEach(() => project.remove());

/** A process and all below it, in whatever group or session they are. */
function treeOf(root: number): number[] {
  const tree = new Set([root]);
  const all = (listProcesses() ?? []).flatMap((pid) => readProcess(pid) ?? []);
  for (let size = 0; size < tree.size;) {
    size = tree.size;
    for (const { pid, parent } of all) if (tree.has(parent)) tree.add(pid);
  }
  return [...tree];
}

it.each(['timeout', 'idle_timeout'])(
  'a stop of the whole tree is not the time of an agent: %s',
  async (limit) => {
    project = playProject(smallTeam.replace('maker: {', `maker: { ${limit}: 10s,`), {
      maker: `writeFileSync(project + '/begun', '');
await until(project + '/go');
send('done', 'user');`,
    });
    const up = project.start(['up']);
    const end = finished(up);
    await said(up, 'roles');
    project.drop('agents/maker/inbox/one.md', 'Work\n');
    await appears(join(project.root, 'begun'));
    const tree = treeOf(up.pid ?? 0);
    for (const pid of tree) process.kill(pid, 'SIGSTOP');
    await pause(13_000);
    const closed = said(up, 'is closed');
    for (const pid of tree) process.kill(pid, 'SIGCONT');
    // A second, in which a limit that had counted the stop would be over.
    await pause(1_000);
    project.drop('go', '');
    await closed;
    up.kill('SIGTERM');
    expect(await end).toMatchObject({ code: 0 });
    expect(project.read('maker.log')).toMatch(/^\S+ 1 0 task\n$/);
  },
);
