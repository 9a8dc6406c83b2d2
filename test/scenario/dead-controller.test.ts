import { afterEach, expect, it } from 'vitest';
import { appears } from '../support/appears.ts';
import { killWithLauncher } from '../support/launchers.ts';
import { playProject, smallTeam } from '../support/play.ts';
import { finished, type TestProject } from '../support/project.ts';

let project: TestProject;
afterEach(() => project.remove());

it('after a kill of the controller no command says that something runs, and the next one starts it again', async () => {
  const maker = `if (times === 0) await new Promise(() => setInterval(() => {}, 60_000)); send('done', 'user');`;
  project = playProject(smallTeam, { maker });
  project.write('agents/maker/inbox/task.md', '---\ntype: task\n---\nDo it.\n');
  const up = project.start(['up', '--plain']);
  const over = finished(up);
  await appears(`${project.root}/maker.log`);
  killWithLauncher(up);
  await over;
  const said = async (...args: readonly string[]) => (await project.run(args)).stdout;
  const lost = /is interrupted|was left running/;
  expect(await said('status')).toMatch(/maker +interrupted/);
  expect(await said('status')).toMatch(lost);
  expect(await said('show', 't1')).toMatch(lost);
  for (const word of ['maker', 't1']) {
    const why = await said('why', word);
    expect(why).toMatch(/^no controller runs; turn t1 of maker (?:is interrupted|was left running), and/);
    expect(why).not.toMatch(/running$|active$/m);
  }
  expect(await said('doctor')).not.toContain(`process ${String(up.pid)}`);
  project.write('config/mailroom/projects', `${project.root}\n`);
  const all = await finished(
    project.start(['status', '--all'], { XDG_CONFIG_HOME: `${project.root}/config` }),
  );
  expect(all.stdout).toMatch(/ no +0 +1 +0/);
  expect(await project.run(['up', '--until-idle'])).toMatchObject({ code: 0 });
  expect(project.read('maker.log')).toContain('t1 2 0 task');
});
