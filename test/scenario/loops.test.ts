import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { TestProject } from '../support/project.ts';

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
    const said: string[] = [];
    for (const index of [0, 1, 2])
      said.push((await place.run(['logs', document.run, '--step', `improve/${String(index)}/work`])).stdout);
    expect(said.map((text) => /the review said: (.*)/.exec(text)?.[1])).toEqual([
      'nothing yet',
      'review 1',
      'review 2',
    ]);
  });
});
