import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { TestProject } from '../support/project.ts';

const page = readFileSync(new URL('../../docs/languages/from.md', import.meta.url), 'utf8');
const files = [...page.matchAll(/^```yaml\n(name: (\S+)\n[^]*?)^```$/gm)].map(
  ([, text = '', name = '']) => [name, text] as const,
);

/** How each file of the page ends: what a reader of it expects. */
const ends: Readonly<
  Record<string, { readonly status: string; readonly reason?: string; readonly last: string }>
> = {
  matrix: { status: 'SUCCEEDED', last: 'finally' },
  poll: { status: 'SUCCEEDED', last: 'finally' },
  score: { status: 'SUCCEEDED', last: 'publish' },
  monitored: { status: 'SUCCEEDED', last: 'decide' },
  reviews: { status: 'FAILED', reason: 'the review of security failed', last: 'verdict' },
};

let project: TestProject | null = null;
afterEach(() => project?.remove());

describe('docs/languages/from.md', () => {
  it('has the files whose ends are known', () => {
    expect(files.map(([name]) => name).toSorted()).toEqual(Object.keys(ends).toSorted());
  });

  it.each(files)('runs `%s` unchanged', async (name, text) => {
    project = new TestProject({ 'mailroom.yaml': '', [`workflows/${name}.yaml`]: text });
    expect(await project.run(['validate', name])).toMatchObject({ code: 0, stderr: '' });
    const { stdout } = await project.run(['run', name, '--json']);
    const run = JSON.parse(stdout) as {
      status: string;
      reason: string | null;
      steps: Record<string, { status: string }>;
    };
    const { status, reason, last } = ends[name]!;
    expect(run).toMatchObject({ status });
    if (reason !== undefined) expect(run.reason).toContain(reason);
    expect(run.steps[last]?.status).toBe(status);
  });
});
