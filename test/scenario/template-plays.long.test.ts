import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ownTemplates } from '../../src/project/scaffold.ts';
import { TestProject } from '../support/project.ts';

/*
 * Each template as a newcomer tries it: made, checked, and played to its end by the script that comes with it.
 */

let project: TestProject;
beforeEach(() => {
  project = new TestProject({});
});
afterEach(() => project.remove());

interface Play {
  /** The role that gets the first message. */
  readonly to: string;
  /** What the person answers to the question of a role; null: no role asks. */
  readonly answer: string | null;
  /** The project must be a git repository. */
  readonly git?: true;
  /** With its sub-threads; missing: one. */
  readonly threads?: number;
  /** The lines, in any order, of a file that the work that landed has put into the project. */
  readonly lands?: { readonly file: string; readonly lines: readonly string[] };
  /** The types of all messages, in their order. */
  readonly said: readonly string[];
}

const plays: Readonly<Record<string, Play>> = {
  solo: {
    to: 'reviewer',
    answer: 'The error path.',
    said: ['review-request', 'question', 'answer', 'review'],
  },
  'tdd-pair': {
    to: 'tester',
    answer: null,
    said: ['task', 'failing-test', 'passing', 'failing-test', 'passing', 'delivered'],
  },
  'bug-triage': {
    to: 'triage',
    answer: 'Version 2.',
    said: ['bug', 'question', 'answer', 'fix', 'fixed', 'report'],
  },
  'docs-team': {
    to: 'writer',
    answer: null,
    said: ['task', 'draft', 'remarks', 'remarks', 'draft', 'remarks', 'remarks', 'published'],
  },
  'parallel-team': {
    to: 'architect',
    answer: null,
    git: true,
    lands: { file: 'FEATURES.md', lines: ['# Features', '- export', '- import'] },
    said: ['task', 'part', 'built', 'built', 'delivered'],
  },
  'fan-out-team': {
    to: 'architect',
    answer: null,
    git: true,
    threads: 4,
    lands: { file: 'FEATURES.md', lines: ['# Features', '- export', '- import', '- search'] },
    said: ['task', 'part', 'part', 'part', 'built', 'built', 'built', 'delivered'],
  },
  'research-vote': {
    to: 'lead',
    answer: null,
    said: ['topic', 'assignment', 'finding', 'finding', 'finding', 'report'],
  },
};

function commitAll(): void {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: project.root, stdio: 'pipe' });
  git('init', '-qb', 'main');
  git('add', '-A');
  git('-c', 'user.name=Ada', '-c', 'user.email=ada@example.org', 'commit', '-qm', 'Start');
}

async function succeeds(...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await project.run(args);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout;
}

describe('a template', () => {
  it.each(Object.entries(plays))('%s has nothing wrong, and its roles finish a task', async (name, play) => {
    await succeeds('init', '--template', name);
    if (play.git === true) commitAll();
    expect(await succeeds('check')).toMatch(/^ok: /);
    await succeeds('send', play.to, '--message', 'Look at this.');
    const first = await succeeds('up', '--until-idle');
    if (play.answer !== null) {
      expect(first).toContain('idle: waiting for ');
      await succeeds('reply', '--message', play.answer);
      await succeeds('up', '--until-idle');
    }
    const trail = JSON.parse(await succeeds('trail', '--json')) as { type: string; thread: string }[];
    // Either of those who work in parallel may be the first.
    expect(trail.map(({ type }) => type.replace(/^built-[ab]$/, 'built'))).toEqual(play.said);
    const { threads } = JSON.parse(await succeeds('status', '--threads', '--json')) as {
      threads: { state: string }[];
    };
    expect(threads.map(({ state }) => state)).toEqual(Array(play.threads ?? 1).fill('closed'));
    if (play.lands !== undefined) {
      const lines = project.read(play.lands.file).split('\n');
      expect(lines.filter((line) => line !== '').toSorted()).toEqual(play.lands.lines);
    }
  });

  it('is listed with one line and its protocol', async () => {
    const folders = readdirSync(fileURLToPath(new URL('../../templates', import.meta.url)));
    expect(Object.keys(ownTemplates).toSorted()).toEqual(
      folders.filter((name) => name !== 'base').toSorted(),
    );
    const listed = await succeeds('init', '--list');
    for (const [name, { about }] of Object.entries(ownTemplates))
      expect(listed).toContain(`${name}: ${about}\n`);
    expect(listed).toContain(
      [
        'docs-team: a writer, an editor, and one who checks every command',
        '  user ── task ──▶ writer',
        '  writer ── draft ──▶ editor and checker ── remarks ──▶ writer',
        '  writer or checker ── question ──▶ user ── answer ──▶ writer or checker',
        '  writer ── published (closes the thread) ──▶ user',
        '',
      ].join('\n'),
    );
    expect(readdirSync(project.root)).toEqual([]);
    const { templates } = JSON.parse(await succeeds('init', '--list', '--json')) as {
      templates: { name: string; protocol: string[] }[];
    };
    expect(templates.filter(({ protocol }) => protocol.length === 0)).toEqual([]);
  });
});

describe('mailroom graph --protocol', () => {
  it('draws roles and messages as text and Mermaid', async () => {
    await succeeds('init', '--template', 'solo');
    expect(await succeeds('graph', '--protocol')).toBe(
      [
        'user ── review-request ──▶ reviewer ── review (closes the thread) ──▶ user',
        'reviewer ── question ──▶ user ── answer ──▶ reviewer',
        '',
      ].join('\n'),
    );
    const mermaid = await succeeds('graph', '--protocol', '--format', 'mermaid');
    expect(mermaid).toContain('n1["reviewer<br/>rehearsal"]');
    expect(mermaid).toContain('n0{{"user<br/>a person"}}');
    expect(mermaid).toContain('n0 -->|"review-request"| n1');
    expect(mermaid).toContain('n1 -.->|"review, closes the thread"| n0');
  });

  it('draws either one', async () => {
    project.write('protocols/team.yaml', '');
    for (const args of [[], ['--protocol', 'first-look'], ['--protocol', '--format', 'svg']]) {
      const { code } = await project.run(['graph', ...args]);
      expect(code).toBe(2);
    }
  });
});
