import { describe, expect, it } from 'vitest';
import { ProjectFixture } from './project-fixture.ts';

const definition = `name: w
version: '1'
timeout: 20s
steps:
  a: { command: [echo, a] }
  l: { for_each: { items: [1], steps: { i: { command: [echo, i] } } } }
finally:
  f: { command: [echo, f] }
  g: { for_each: { items: [1], steps: { h: { command: [echo, h] } } } }
`;

const whole = 'hint: to run all of it: mailroom run WORKFLOW';

describe('`run-step`', () => {
  it.each([
    ['finally', '`finally` runs at the end of a whole run only', whole],
    ['f', '`f` is a step of `finally`, and runs at the end of a whole run only', whole],
    ['h', '`h` is a step of `finally`, and runs at the end of a whole run only', whole],
    ['i', '`i` is a step of `l`, and runs in it only', 'hint: to run all of it: mailroom run-step l'],
  ])('refuses what does not run alone, and advises what does: %s', async (step, problem, hint) => {
    const fixture = new ProjectFixture();
    fixture.disk.write('workflows/w.yaml', definition);
    const refused = { code: 2, out: '', err: `error E_TARGET: ${problem}\n${hint}\n` };
    expect(await fixture.run('run-step', step)).toEqual(refused);
    expect(await fixture.run('run-step', 'workflows/w.yaml', step)).toEqual(refused);
  });
});
