import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { appears } from '../support/appears.ts';
import { killWithLauncher } from '../support/launchers.ts';
import { finished, TestProject } from '../support/project.ts';

/*
 * Runs that nobody works on, and what of them cannot be read or written.
 */

let project: TestProject | null = null;

afterEach(() => {
  const left = project?.survivors() ?? [];
  project?.remove();
  project = null;
  if (left.length > 0) throw new Error(`still running: ${left.join(', ')}`);
});

function projectWith(steps: string): TestProject {
  const workflow = `name: sample\nversion: "1"\ntimeout: 5m\n${steps}`;
  return (project = new TestProject({ 'mailroom.yaml': 'trail: off\n', 'work.yaml': workflow }));
}

it('a run whose host was killed is cancelled at once, what it left running too, and hides no other run and takes nothing from it', async () => {
  const steps = (id: string) => `  ${id}: { command: [sh, -c, 'echo $$ > ${id}.pid; exec sleep 600'] }\n`;
  const place = projectWith(
    `steps:\n${steps('one')}  ask: { depends_on: [one], gate: { message: 'Go?' } }\n`,
  );
  const child = place.start(['run', 'work.yaml']);
  const over = finished(child);
  await appears(join(place.root, 'one.pid'));
  killWithLauncher(child);
  await over;
  expect(place.survivors()).toHaveLength(1);
  const killed = place.list('.mailroom/runs')[0] ?? '';
  place.write(
    'other.yaml',
    'name: other\nversion: "1"\ntimeout: 1m\nsteps:\n  two: { command: [echo, two] }\n',
  );
  expect((await place.run(['run', 'other.yaml'])).code).toBe(0);
  const definition = `.mailroom/runs/${killed}/definition`;
  const text = place.read(definition);
  const why = expect.stringContaining(`${definition} is missing or damaged`) as string;
  place.write(definition, '{');
  expect(await place.run(['status'])).toMatchObject({ code: 0, stdout: why });
  const list = await place.run(['runs']);
  expect(list).toMatchObject({ code: 1, stderr: why });
  expect(list.stdout).toMatch(/other +SUCCEEDED/);
  const listed = await place.run(['runs', '--json']);
  expect(listed).toMatchObject({ code: 1, stderr: why });
  expect(JSON.parse(listed.stdout)).toMatchObject([{ workflow: 'other' }]);
  place.write(definition, text);
  expect(await place.run(['approve', killed, 'ask'])).toMatchObject({ code: 2 });
  expect(await place.run(['cancel', killed])).toMatchObject({ code: 0, stdout: `cancel ${killed}: done\n` });
  expect(place.survivors()).toEqual([]);
  const shown = (path: string) => JSON.parse(place.read(path)) as { name: string; status: string };
  expect(shown('context/_workflow.json')).toMatchObject({ name: 'other', status: 'SUCCEEDED' });
  const left = `.mailroom/runs/${killed}/context`;
  expect(shown(`${left}/_workflow.json`)).toMatchObject({ name: 'sample', status: 'CANCELLED' });
  expect(shown(`${left}/one/_meta.json`)).toMatchObject({ status: 'CANCELLED' });
  expect(await place.run(['cancel', killed])).toMatchObject({ code: 1 });
});

it('a workspace that cannot be written is named with the reason, and no run is made', async () => {
  const place = projectWith('steps:\n  one: { command: [echo, one] }\n');
  const { code, stderr } = await place.run(['run', 'work.yaml', '--workspace', '/sys']);
  expect(code).toBe(1);
  expect(stderr).toMatch(/^error E_DISK: cannot make the folder \/sys\/context: (?!no such file).+\n/);
  expect((await place.run(['runs'])).stdout).toBe('there are no runs\n');
});
