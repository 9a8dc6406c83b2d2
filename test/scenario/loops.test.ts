import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { finished, said, TestProject } from '../support/project.ts';

let project: TestProject | null = null;

afterEach(() => {
  project?.remove();
  project = null;
});

interface Document {
  readonly run: string;
  readonly steps: Readonly<Record<string, object>>;
}

/** Runs an example of this repository in a project of its own. */
async function example(name: string, ...parts: string[]) {
  const read = (file: string) => readFileSync(new URL(`../../workflows/${file}`, import.meta.url), 'utf8');
  const files = Object.fromEntries(parts.map((part) => [part, read(part)]));
  project = new TestProject({ 'mailroom.yaml': 'trail: off\n', 'work.yaml': read(name), ...files });
  const { code, stdout, stderr } = await project.run(['run', 'work.yaml', '--json']);
  expect({ code, stderr }).toMatchObject({ code: 0 });
  return { place: project, document: JSON.parse(stdout) as Document };
}

describe('what loops hand on', () => {
  it('is what each file that matches became, in one place', async () => {
    const { place, document } = await example('collect.yaml');
    expect(place.read('counted/0/lines-0.txt').trim()).toBe('2');
    expect(place.read('counted/1/lines-1.txt').trim()).toBe('1');
    const { stdout } = await place.run(['logs', document.run, '--step', 'total']);
    expect(stdout).toContain('3 lines');
  });

  it('is what a sub-workflow made when its check found it complete', async () => {
    const { place, document } = await example('until-approved.yaml', 'parts/draft.yaml');
    expect(document.steps['cycle']).toMatchObject({ status: 'SUCCEEDED', iterations: 3 });
    expect(place.read('published/text.md')).toBe('a line\n'.repeat(3));
    expect(place.read('context/cycle/size/size.txt').trim()).toBe('3');
  });

  it('is what the review of the iteration before has found', async () => {
    const { place, document } = await example('rounds.yaml');
    const printed: string[] = [];
    for (const index of [0, 1, 2])
      printed.push(
        (await place.run(['logs', document.run, '--step', `improve/${String(index)}/work`])).stdout,
      );
    expect(printed.map((text) => /the review said: (.*)/.exec(text)?.[1])).toEqual([
      'nothing yet',
      'review 1',
      'review 2',
    ]);
  });
});

describe('a step of a loop whose items have keys', () => {
  const begin = (name: string, steps: string, more = '') => {
    project = new TestProject({
      'mailroom.yaml': '',
      [`workflows/${name}.yaml`]: `
name: ${name}
version: '1'
timeout: 1m
steps:
  packages:
    for_each: { items: [api, web], as: pkg, key: '\${{ pkg }}', steps: ${steps} }
${more}`,
    });
    return project;
  };

  it('is named by them, and what is unknown is an error', async () => {
    const script = `[sh, -c, 'echo "$0"; test "$0" != web', '\${{ pkg }}']`;
    const place = begin('build', `{ test: { command: ${script} } }`, '    on_failure: continue\n');
    const run = (...args: string[]) => place.run(args);
    await run('run', 'build');
    expect((await run('show', 'last')).stdout).toMatch(/packages\/1\/test +web +FAILED/);
    expect((await run('logs', 'last', '--step', 'packages/web/test')).stdout).toContain('1/test (web), ');
    expect(await run('logs', 'last', '--step', 'packages/wib/test')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('E_TARGET: the run has no step `packages/wib/test`'),
    });
    expect((await run('why', 'last/packages')).stdout).toMatch(/mailroom retry \w+ packages\/1\/test/);
    expect((await run('resume', 'last')).stderr).toMatch(
      /nothing to continue; .*retry \w+ packages\/1\/test/,
    );
    expect((await run('retry', 'last', 'packages/web/test')).stdout).toContain('packages/1/test FAILED');
  });

  it('is answered by its key, in the newest run', async () => {
    const place = begin('ask', "{ ship: { gate: { message: 'Ship it?' } } }");
    const child = place.start(['run', 'ask']);
    await said(child, 'mailroom approve');
    const answer = (verb: string, path: string) => place.run([verb, 'last', path, '--as', 'ada']);
    expect(await answer('approve', 'packages/api/ship')).toMatchObject({ code: 0 });
    await said(child, 'packages/1/ship');
    expect(await answer('reject', 'packages/web/ship')).toMatchObject({ code: 0 });
    await finished(child);
  });
});
