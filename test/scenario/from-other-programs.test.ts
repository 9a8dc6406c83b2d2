import { readdirSync, readFileSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { TestProject } from '../support/project.ts';

const page = readFileSync(new URL('../../docs/languages/from.md', import.meta.url), 'utf8');
const onPage = [...page.matchAll(/^```yaml\n(name: (\S+)\n[^]*?)^```$/gm)].map(
  ([, text = '', name = '']) => [name, text] as const,
);
const folder = new URL('../fixtures/other-programs/', import.meta.url);
/** Files of strangers, rebuilt: by name. */
const rebuilt = new Map(
  readdirSync(folder).map((file) => [file.replace('.yaml', ''), readFileSync(new URL(file, folder), 'utf8')]),
);
const isRefused = (name: string) => name.startsWith('refused-');

interface End {
  readonly status: string;
  readonly reason?: string;
  readonly last: string;
  readonly steps?: Readonly<Record<string, string>>;
  /** Files that it leaves, by path. */
  readonly files?: Readonly<Record<string, string>>;
}

type Steps = Readonly<Record<string, { status: string; items?: readonly { steps: Steps }[] }>>;

/** Of a step by its path: `test/0/unit`. */
function statusOf(steps: Steps, path: string): string | undefined {
  const [id = '', item, ...inner] = path.split('/');
  if (item === undefined) return steps[id]?.status;
  return statusOf(steps[id]?.items?.[Number(item)]?.steps ?? {}, inner.join('/'));
}

/** How each file ends: what a reader of it expects. */
const ends: Readonly<Record<string, End>> = {
  matrix: {
    status: 'FAILED',
    reason: '1 of 2 items failed',
    last: 'test',
    steps: {
      'test/0/versions/0/unit': 'FAILED',
      'test/0/versions/1/unit': 'SUCCEEDED',
      'test/1/versions/0/unit': 'SKIPPED',
      'test/1/versions/1/unit': 'SUCCEEDED',
      publish: 'SKIPPED',
      finally: 'SUCCEEDED',
    },
  },
  poll: { status: 'SUCCEEDED', last: 'finally' },
  score: { status: 'SUCCEEDED', last: 'publish' },
  monitored: { status: 'SUCCEEDED', last: 'decide', files: { log: 'fix\nfix\nfix\n' } },
  reviews: { status: 'FAILED', reason: 'the review of security failed', last: 'verdict' },
  'smart-review': {
    status: 'SUCCEEDED',
    last: 'report',
    steps: { code: 'SUCCEEDED', docs: 'SKIPPED', tests: 'FAILED' },
    files: { 'report.txt': 'found a leak, tests FAILED, docs SKIPPED\n' },
  },
  adversarial: {
    status: 'FAILED',
    reason: '1 of the sprints did not stand',
    last: 'finally',
    steps: { sprints: 'FAILED' },
    files: { 'log.txt': 'store: \nstore: hole 1\nview: \nview: hole 1\nview: hole 2\n' },
  },
  'review-fix': { status: 'SUCCEEDED', last: 'done', files: { 'looks.txt': 'x\nx\n', 'fixes.txt': 'fix\n' } },
  design: { status: 'SUCCEEDED', last: 'publish', files: { 'out.txt': 'score 3, asked 1\n' } },
  kpis: {
    status: 'SUCCEEDED',
    last: 'report',
    steps: { analyse: 'FAILED' },
    files: { 'out.txt': 'sales 3, wrong: {\n  "cost": "exit code 3"\n}\n' },
  },
  tables: { status: 'SUCCEEDED', last: 'clean' },
  retried: {
    status: 'SUCCEEDED',
    last: 'poll',
    files: { 'tries.txt': 'x\nx\n', 'polls.txt': 'x\nx\nx\n' },
  },
  outer: { status: 'SUCCEEDED', last: 'use', files: { 'out.txt': '3\n' } },
  task: { status: 'SUCCEEDED', last: 'implement', files: { 'done.txt': 't1 Add a flag\n' } },
};

let project: TestProject | null = null;
afterEach(() => project?.remove());

function placed(name: string, text: string): TestProject {
  project = new TestProject({ 'mailroom.yaml': '', [`workflows/${name}.yaml`]: text });
  if (name === 'outer') project.write('workflows/inner.yaml', rebuilt.get('inner')!);
  return project;
}

describe('workflows from other programs', () => {
  const files = [...onPage, ...[...rebuilt].filter(([name]) => !isRefused(name) && name !== 'inner')];

  it('have ends that are known, and few lines', () => {
    expect(files.map(([name]) => name).toSorted()).toEqual(Object.keys(ends).toSorted());
    for (const [, text] of files) expect(text.split('\n').length).toBeLessThanOrEqual(45);
  });

  it.each(files)('run: `%s`', async (name, text) => {
    const here = placed(name, text);
    const host = { TASK_ID: 't1', TASK_TITLE: 'Add a flag' };
    expect(await here.run(['validate', name])).toMatchObject({ code: 0, stderr: '' });
    const { code, stdout } = await here.run(['run', name, '--json'], host);
    const run = JSON.parse(stdout) as {
      status: string;
      reason: string | null;
      steps: Steps;
    };
    const { status, reason, last, steps = {}, files: left = {} } = ends[name]!;
    expect({ code, status: run.status }).toEqual({ code: status === 'SUCCEEDED' ? 0 : 1, status });
    if (reason !== undefined) expect(run.reason).toContain(reason);
    for (const [id, is] of Object.entries({ ...steps, [last]: status }))
      expect([id, statusOf(run.steps, id)]).toEqual([id, is]);
    for (const [path, content] of Object.entries(left)) expect(here.read(path)).toBe(content);
  });

  it.each([
    [
      'refused-daemon',
      [
        'says when workflows start, and is not a workflow itself',
        'write there `triggers: { review: { cron: 0 3 * * *, cooldown: 30m } }`',
        'write there `triggers: { tests: { files: [ src/**/*.ts ] } }`',
      ],
    ],
    [
      'refused-agents',
      [
        'a workflow has no team: a step names one agent with `agent`',
        'write `hooks`: they run programs and send notices',
        'what an agent may do is said by the `capabilities` of its step',
      ],
    ],
  ] as const)('are refused with what to write: `%s`', async (name, hints) => {
    const ran = await placed(name, rebuilt.get(name)!).run(['validate', name]);
    expect(ran.code).toBe(2);
    for (const hint of hints) expect(ran.stderr).toContain(hint);
  });
});
