import { afterEach, describe, expect, it } from 'vitest';
import { appears } from '../support/appears.ts';
import { playProject, smallTeam } from '../support/play.ts';
import { finished, type TestProject } from '../support/project.ts';

let project: TestProject;
afterEach(() => project.remove());

const types = async () =>
  (JSON.parse((await project.run(['trail', '--json'])).stdout) as { id: string; type: string }[]).map(
    ({ type }) => type,
  );

describe('a controller that is killed', () => {
  it('by what it is given, ten times over, launches that no more often than it may', async () => {
    project = playProject(smallTeam, {
      maker: `writeFileSync(project + '/launched-' + String(times), ''); await new Promise(() => setInterval(() => {}, 1e6));`,
    });
    project.drop('agents/maker/inbox/task.md', 'Whoever takes this up is killed\n');
    let kills = 0;
    for (let start = 0; start < 10; start += 1) {
      const child = project.start(['up', '--until-idle']);
      const end = finished(child);
      const over = await Promise.race([
        appears(`${project.root}/launched-${String(kills)}`).then(() => false),
        end.then(() => true),
      ]);
      if (over) continue;
      kills += 1;
      child.kill('SIGKILL');
      await end;
    }
    expect(kills).toBe(3);
    expect(project.read('maker.log').trim().split('\n')).toHaveLength(3);
    const [month = ''] = project.list('agents/maker/failed');
    expect(project.list(`agents/maker/failed/${month}`).filter((name) => name.endsWith('.md'))).toHaveLength(
      1,
    );
    expect(project.survivors()).toEqual([]);
  });

  it('between taking a file in and writing it down delivers it once; one whose protocol is edited continues by the old one', async () => {
    const id = '019a0000-0000-7000-8000-00000000abcd';
    project = playProject(smallTeam, {
      maker: `if (type === 'task') send('review', 'checker'); else send('done', 'user');`,
      checker: `
          writeFileSync(project + '/checking', '');
          if (times === 0) await new Promise(() => setInterval(() => {}, 1e6));
          send('verdict', 'maker', 'Good', 'fields: { good: true }\\n');`,
    });
    project.write(`.mailroom/accepting/${id}~maker~inbox`, 'Taken in, not written down\n');
    const child = project.start(['up', '--until-idle']);
    const end = finished(child);
    await appears(`${project.root}/checking`);
    child.kill('SIGKILL');
    await end;
    project.write(
      'protocols/team.yaml',
      smallTeam
        .replace('reply: [verdict]', 'reply: [opinion]')
        .replace('  question:', '  opinion: { from: checker, to: maker }\n  question:'),
    );
    const ran = await project.run(['up', '--until-idle']);
    expect(ran).toMatchObject({ code: 0 });
    expect(ran.stdout).toContain('used from now on: protocols/team.yaml');
    expect(await types()).toEqual(['task', 'review', 'verdict', 'done']);
    expect(project.list('.mailroom/accepting')).toEqual([]);
    expect(await project.run(['show', id])).toMatchObject({ code: 0 });
  });
});
