import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { playProject } from '../support/play.ts';
import type { TestProject } from '../support/project.ts';

const team = `
name: parallel
version: "1"
workspace: { worktree: role }
roles:
  lead: { capabilities: [READ] }
  left: { capabilities: [READ, EDIT] }
  right: { capabilities: [READ, EDIT] }
  checker: { capabilities: [READ] }
messages:
  task: { from: user, to: lead }
  build: { from: lead, to: { all: [left, right] } }
  left-done: { from: left, to: checker }
  right-done: { from: right, to: checker }
  again: { from: checker, to: left }
  done: { from: [checker, left], to: user, closes: true }
expects:
  checker: [{ all: [left-done, right-done] }]
start: { type: task, to: lead }
`;

/** An engineer that ends only when the other one has begun: their turns run at the same time. */
const engineer = (own: string, other: string, more = '') => `
    if (type === 'again') return send('done', 'user');
    writeFileSync('${own}.txt', '${own}\\n');
    writeFileSync('${own}.log', '');
    ${more}
    writeFileSync(project + '/begun-${own}', '');
    await until(project + '/begun-${other}');
    send('${own}-done', 'checker', 'Words', 'subject: Add ${own}\\n');`;

const plays = {
  lead: `send('build', '[left, right]');`,
  left: engineer('left', 'right'),
  right: engineer('right', 'left'),
  checker: `
    const { readdirSync } = await import('node:fs');
    send('done', 'user', readdirSync('.').filter((name) => name.endsWith('.txt')).join(' '));`,
};

let project: TestProject;
afterEach(() => project.remove());

const git = (...args: string[]) => project.git(...args);

function begin(changed: Readonly<Record<string, string>> = {}): void {
  project = playProject(
    team,
    { ...plays, ...changed },
    { '.gitignore': '.mailroom/\nagents/\n.drop/\nbegun-*\n*.log\n', 'kept.txt': 'kept\n' },
  );
  project.makeRepository();
}

/** Resolves to what `up` has printed. */
async function work(): Promise<string> {
  project.drop('agents/lead/inbox/task.md', 'Paint it\n');
  return (await project.run(['up', '--until-idle'])).stdout;
}

interface Message {
  readonly type: string;
  readonly id: string;
  readonly thread: string;
  readonly commit: string | null;
  readonly branch: string | null;
  readonly body: string;
}

async function trail(): Promise<Map<string, Message>> {
  const printed = JSON.parse((await project.run(['trail', '--json'])).stdout) as Message[];
  return new Map(printed.map((message) => [message.type, message]));
}

describe('roles with a checkout of their own', () => {
  beforeEach(async () => {
    begin();
    await work();
  });

  it('work at the same time, and a join reads the merge of their work', async () => {
    const messages = await trail();
    expect(messages.get('done')?.body.trim()).toBe('kept.txt left.txt right.txt');
    const [left, right, done] = ['left-done', 'right-done', 'done'].map((type) => messages.get(type));
    const thread = done?.thread ?? '';
    expect(left?.branch).toBe(`mailroom/${thread}/left`);
    expect(git('log', '-1', '--format=%an <%ae>%n%B', left?.commit ?? '')).toBe(
      [
        'left <left@mailroom>',
        'Add left',
        '',
        `Mailroom-Thread: ${thread}`,
        'Mailroom-Turn: t2',
        `Mailroom-Messages: ${left?.id ?? ''}`,
      ].join('\n'),
    );
    expect(git('rev-parse', `mailroom/${thread}/left`)).toBe(left?.commit);
    expect(git('log', '-1', '--format=%P', done?.commit ?? '').split(' ')).toEqual([
      left?.commit,
      right?.commit,
    ]);
    expect(messages.get('build')?.commit).toBe(git('rev-parse', 'main'));
    expect(messages.get('task')).toMatchObject({ commit: null, branch: null });
  });

  it('show their commits and checkouts, and change nothing of the person', async () => {
    const done = (await trail()).get('done');
    const shown = await project.run(['show', done?.id ?? '']);
    expect(shown.stdout).toContain(
      `${done?.commit?.slice(0, 10) ?? ''} on mailroom/${done?.thread ?? ''}/checker`,
    );
    const turn = (await project.run(['show', 't2'])).stdout;
    expect(turn).toMatch(/reported +ignored, stays in the worktree: left[.]log\n/);
    const status = JSON.parse((await project.run(['status', '--json'])).stdout) as object;
    const path = (role: string) => `.mailroom/worktrees/${done?.thread ?? ''}.${role}`;
    const roles = ['checker', 'lead', 'left', 'right'];
    expect(status).toMatchObject({
      threads: [{ worktree: null, checkouts: roles.map((role) => ({ role, path: path(role) })) }],
    });
    const listed = JSON.parse((await project.run(['worktree', '--json'])).stdout) as object[];
    expect(listed).toMatchObject(
      roles.map((role) => ({ role, path: path(role), uncommitted: 0, subject: 'Paint it' })),
    );
    const [file = ''] = project.list('agents/user/inbox');
    expect(project.read(`agents/user/inbox/${file}`)).toContain(`\ncommit: ${done?.commit ?? ''}\nbranch: `);
    expect(git('status', '--porcelain')).toBe('');
    expect(existsSync(join(project.root, 'left.txt'))).toBe(false);
  });

  it('are merged by a person, one role at a time', async () => {
    const thread = (await trail()).get('done')?.thread ?? '';
    const several = await project.run(['worktree', 'merge', thread]);
    expect(several.stderr).toContain('several roles have a worktree there');
    expect(await project.run(['worktree', 'merge', thread, '--role', 'checker'])).toMatchObject({ code: 0 });
    expect([project.read('left.txt'), project.read('right.txt')]).toEqual(['left\n', 'right\n']);
  });
});

describe('work that conflicts', () => {
  /** Both engineers change the same line. */
  function beginCrossed(checker: string, capabilities: string): void {
    const both = (own: string) => `writeFileSync('kept.txt', '${own}\\n');`;
    begin({
      left: engineer('left', 'right', both('left')),
      right: engineer('right', 'left', both('right')),
      checker,
    });
    const text = project.read('protocols/team.yaml');
    const from = 'checker: { capabilities: [READ] }';
    project.write('protocols/team.yaml', text.replace(from, `checker: { capabilities: ${capabilities} }`));
  }

  const tellsWhatItReads = `
    const { readFileSync } = await import('node:fs');
    send('done', 'user', readFileSync('kept.txt', 'utf8'));`;

  it('is resolved by the role that picks it up, before its messages leave', async () => {
    beginCrossed(
      `
        if (!prompt.includes('## Resolve a conflict first') || !prompt.includes(' in kept.txt')) return;
        if (prompt.includes('\`kept.txt\` has conflict markers')) writeFileSync('kept.txt', 'both\\n');
        ${tellsWhatItReads}`,
      '[READ, EDIT]',
    );
    expect(await work()).toMatch(
      / checker t\d+ resolves a conflict: the work of \w+ \(commit \w{10}, message …\w{6}\) conflicts with .* in kept\.txt\n/,
    );
    const done = (await trail()).get('done');
    expect(done?.body.trim()).toBe('both');
    expect(git('show', `${done?.commit ?? ''}:kept.txt`)).toBe('both');
    expect(project.read('checker.log').trim().split('\n')).toHaveLength(2);
  });

  it('waits for a person where its role must not edit', async () => {
    beginCrossed(tellsWhatItReads, '[READ]');
    expect(await work()).toMatch(/ checker t\d+ waits until a person has resolved a conflict\n/);
    expect((await project.run(['status'])).stdout).toMatch(
      /checker .* t\d+ waits until a person has resolved a conflict\n/,
    );
    const [notice = ''] = project.list('agents/user/inbox');
    const text = project.read(`agents/user/inbox/${notice}`);
    const [, path = ''] = /`(\.mailroom\/worktrees\/[^`]+)`/.exec(text) ?? [];
    const [, id = ''] = /`mailroom retry (\w+)`/.exec(text) ?? [];
    expect(text).toMatch(
      /^E_CONFLICT: the work of (left|right) \(commit \w+, message .*\) conflicts with .* in kept\.txt$/m,
    );
    expect((await project.run(['why', 'checker'])).stdout).toContain(
      'waits until a person has resolved a conflict',
    );
    const waiting = async () =>
      JSON.parse((await project.run(['inbox', '--json'])).stdout) as { items: Record<string, unknown>[] };
    expect((await waiting()).items).toEqual([
      expect.objectContaining({ kind: 'conflict', from: 'checker', command: `mailroom retry ${id}` }),
    ]);
    project.write(`${path}/kept.txt`, 'both\n');
    expect(await project.run(['retry', id])).toMatchObject({ code: 0 });
    await project.run(['up', '--until-idle']);
    expect(
      (await waiting()).items.filter(
        ({ kind, subject }) => kind === 'conflict' || String(subject).startsWith('Conflict'),
      ),
    ).toEqual([]);
    const done = (await trail()).get('done');
    expect(done?.body.trim()).toBe('both');
    expect(git('log', '-1', '--format=%an', done?.commit ?? '')).toBe('user');
  });
});
