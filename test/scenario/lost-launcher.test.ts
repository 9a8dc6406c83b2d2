import { existsSync } from 'node:fs';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { until } from '../process/support.ts';
import { launcherOf, launcherReadyOf } from '../support/launchers.ts';
import { finished, TestProject } from '../support/project.ts';

let project: TestProject;
afterEach(() => {
  const left = project.survivors();
  project.remove();
  if (left.length > 0) throw new Error(`still running: ${left.join(', ')}`);
});

/** The document of a run. */
interface Document {
  readonly run: string;
  readonly status: string;
  readonly steps: Readonly<Record<string, object>>;
}

const ids = ['one', 'two', 'three'];

describe('a run whose launcher is killed', () => {
  it.each([
    ['by themselves', ''],
    ['with the containment of agents', ', network: false'],
  ])('starts the steps again that worked %s, and spends no attempt of them', async (_, contained) => {
    const step = (id: string) =>
      `  ${id}: { command: [sh, -c, 'echo $$ >> ${id}.began; until [ -e go ]; do sleep 0.02; done; echo >> ${id}.done']${contained}, depends_on: [before] }\n`;
    project = new TestProject({
      'mailroom.yaml': 'trail: off\n',
      'work.yaml': `name: sample\nversion: "1"\ntimeout: 5m\nsteps:\n  before: { command: [sh, -c, 'until [ -e ready ]; do sleep 0.02; done'] }\n${ids.map(step).join('')}  last: { command: [echo, last], depends_on: [${ids.join(', ')}] }\n`,
    });
    const child = project.start(['run', 'work.yaml', '--json']);
    const over = finished(child);
    onTestFinished(() => void child.kill());
    const lines = (name: string) =>
      existsSync(`${project.root}/${name}`) ? project.read(name).trimEnd().split('\n') : [];
    const began = (times: number) => () => ids.every((id) => lines(`${id}.began`).length === times);
    // What is started before that is a child of the program.
    const first = await launcherReadyOf(child);
    project.write('ready', '');
    await until('all have begun', began(1));
    process.kill(first, 'SIGKILL');
    await until('all have begun again', began(2));
    expect(launcherOf(child)).not.toBe(first);
    project.write('go', '');
    const { code, stdout } = await over;
    expect(code).toBe(0);
    for (const id of ids) expect(lines(`${id}.done`)).toHaveLength(1);
    const { run, status, steps } = JSON.parse(stdout) as Document;
    expect(status).toBe('SUCCEEDED');
    for (const id of [...ids, 'last']) expect(steps[id]).toMatchObject({ status: 'SUCCEEDED', attempts: 1 });
    const shown = JSON.parse((await project.run(['show', run, '--json'])).stdout) as Document;
    expect(shown).toMatchObject({ run, status: 'SUCCEEDED' });
  });
});
