import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ran, type Ran } from '../support/ran.ts';

const repository = fileURLToPath(new URL('../..', import.meta.url));

interface Message {
  readonly type: string;
  readonly from: string;
  readonly to: string | readonly string[];
  readonly thread: string;
  readonly in_reply_to?: string;
  readonly id: string;
  readonly fields?: Readonly<Record<string, unknown>>;
  readonly body: string;
  readonly turn: string | null;
}

/** As a person's shell would: without the variables of the test runner and of git hooks. */
function run(program: string, argv: readonly string[], cwd: string): Promise<Ran> {
  const { PATH, HOME } = process.env;
  return ran(program, argv, { cwd, env: { PATH, HOME, TMPDIR: scratch } });
}

let scratch: string;
let project: string;
let demo: Ran;
let messages: readonly Message[];

beforeAll(async () => {
  scratch = mkdtempSync(join(tmpdir(), 'mailroom-demo-test-'));
  demo = await run(process.execPath, [join(repository, 'scripts/demo.mjs')], repository);
  const folder = readdirSync(scratch).find((name) => name.startsWith('mailroom-demo-'));
  project = join(scratch, folder ?? '', 'calculator');
  const trail = await run(
    process.execPath,
    [join(repository, 'bin/mailroom'), 'trail', '--json'],
    existsSync(project) ? project : scratch,
  );
  messages = JSON.parse(trail.stdout) as readonly Message[];
});

afterAll(() => {
  rmSync(scratch, { recursive: true, force: true });
});

describe('the demo', () => {
  it('ends well', () => {
    expect(demo).toMatchObject({ code: 0, stderr: '' });
    expect(demo.stdout).toMatch(/1 test fails: “subtracts two numbers”/);
    expect(demo.stdout).toMatch(/\n5 tests pass\n/);
    expect(demo.stdout).toMatch(/\nDelivered, and the tests pass, after \d+ s\./);
  });

  it('is plain where it is not a terminal', () => {
    expect(demo.stdout).not.toContain('\u001b');
  });

  it('tells the story in this order', () => {
    expect(messages.map(({ type, from, to }) => `${from} ${type} ${[to].flat().join()}`)).toEqual([
      'user task architect',
      'architect design engineer',
      'engineer review-request qa',
      'qa review-feedback engineer',
      'engineer review-request qa',
      'qa delivered user',
    ]);
    expect(new Set(messages.map(({ thread }) => thread)).size).toBe(1);
  });

  it('has a review that finds a fault, and one that finds it fixed', () => {
    const reviews = messages.filter(({ from }) => from === 'qa');
    expect(reviews.map(({ type }) => type)).toEqual(['review-feedback', 'delivered']);
    expect(reviews[0]?.body).toContain("`subtract('7', 2)` returns 5");
    const requests = messages.filter(({ type }) => type === 'review-request');
    expect(reviews.map(({ in_reply_to }) => in_reply_to)).toEqual(requests.map(({ id }) => id));
  });

  it('leaves a project whose tests pass, with the fault covered', async () => {
    const tests = await run('npm', ['test'], project);
    expect(tests).toMatchObject({ code: 0 });
    expect(readFileSync(join(project, 'src/calculator.mjs'), 'utf8')).toMatch(/checked\(a\) - checked\(b\)/);
    expect(readFileSync(join(project, 'test/calculator.test.mjs'), 'utf8')).toMatch(/subtract accepts only/);
  });

  it('leaves the delivery in the inbox of its user, and nothing in any other', () => {
    const inbox = (role: string) => readdirSync(join(project, 'agents', role, 'inbox'));
    expect(inbox('user')).toEqual([expect.stringMatching(/-delivered-[0-9a-f-]{36}\.md$/)]);
    expect(['architect', 'engineer', 'qa'].flatMap(inbox)).toEqual([]);
  });

  it('leaves a commit of every message, with trailers, and the branch of its user alone', async () => {
    const format = '%s%x00%(trailers:key=Message-Id,valueonly)%x00%(trailers:key=Turn,valueonly)';
    const log = await run('git', ['log', '--reverse', `--format=${format}`, 'mailroom-trail'], project);
    const commits = log.stdout
      .split(/\n(?=\S.*\0)/)
      .map((commit) => commit.split('\0').map((part) => part.trim()));
    const found = messages.map(({ id }) => commits.find(([, ids]) => ids?.split('\n').includes(id)) ?? []);
    expect(
      found.map(([subject = ''], index) => subject.includes(messages[index]?.type ?? '?')),
    ).not.toContain(false);
    expect(found.map(([, , turn]) => turn)).toEqual(messages.map(({ turn }) => turn ?? ''));
    const branch = await run('git', ['log', '--format=%s', 'HEAD'], project);
    expect(branch.stdout).toBe('A calculator that cannot subtract\n');
    const status = await run('git', ['status', '--porcelain'], project);
    expect(status.stdout).toBe(' M src/calculator.mjs\n M test/calculator.test.mjs\n');
  });
});

describe('the demos of work in parallel', () => {
  it.each([
    ['parallel', 'parallel-team', 'Both', ['import', 'export']],
    ['fan-out', 'fan-out-team', 'All', ['import', 'export', 'search']],
  ])(
    '%s ends with all parts on main, and the conflicts resolved',
    async (name, template, all, parts) => {
      const ended = await run(process.execPath, [join(repository, 'scripts/demo.mjs'), name], repository);
      expect(ended).toMatchObject({ code: 0, stderr: '' });
      expect(ended.stdout).toMatch(new RegExp(`\n${all} parts are on main, after \\d+ s\\.`));
      const made = readdirSync(scratch)
        .map((folder) => join(scratch, folder, template))
        .find((path) => existsSync(path));
      const [title, ...lines] = readFileSync(join(made ?? '', 'FEATURES.md'), 'utf8')
        .trimEnd()
        .split('\n');
      expect(title).toBe('# Features');
      expect(lines.toSorted()).toEqual(['', ...parts.map((part) => `- ${part}`).toSorted()]);
      const branch = await run('git', ['branch', '--show-current'], made ?? scratch);
      expect(branch.stdout).toBe('main\n');
    },
    240_000,
  );
});

describe('the command line of the demo', () => {
  it('knows which providers there are', async () => {
    const ended = await run(
      process.execPath,
      [join(repository, 'scripts/demo.mjs'), '--provider', 'none'],
      repository,
    );
    expect(ended).toEqual({
      code: 2,
      signal: null,
      stdout: '',
      stderr: '--provider is one of rehearsal, claude, codex, gemini, opencode, pi, agy\n',
    });
  });
});
