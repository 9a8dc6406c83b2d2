import { afterEach, describe, expect, it } from 'vitest';
import { playProject } from '../support/play.ts';
import type { TestProject } from '../support/project.ts';

const team = `
name: parts
version: "1"
workspace: { worktree: role }
roles:
  architect: { capabilities: [READ, EDIT] }
  engineer: { capabilities: [READ, EDIT], concurrency: 2 }
messages:
  task: { from: user, to: architect }
  subtask: { from: architect, to: engineer, thread: new, reply: [done], join: all, fan_out: 2 }
  done: { from: engineer, to: architect }
  delivered: { from: architect, to: user, closes: true }
start: { type: task, to: architect }
`;

/** Both engineers end only when both have begun: they work at the same time. */
const plays = {
  architect: `
    if (type === 'task') {
      writeFileSync('plan.txt', 'the plan\\n');
      send('subtask', 'engineer', 'Make the red part', 'subject: red\\n');
      return send('subtask', 'engineer', 'Make the blue part', 'subject: blue\\n');
    }
    const { readdirSync } = await import('node:fs');
    send('delivered', 'user', readdirSync('.').filter((name) => name.endsWith('.txt')).join(' '));`,
  engineer: `
    const { readFileSync } = await import('node:fs');
    const [, part] = /^subject: (\\w+)$/m.exec(mail[0]);
    const other = part === 'red' ? 'blue' : 'red';
    writeFileSync(part + '.txt', readFileSync('plan.txt', 'utf8'));
    writeFileSync(project + '/begun-' + part, '');
    await until(project + '/begun-' + other);
    send('done', 'architect', 'Made', 'subject: Add ' + part + '\\n');`,
};

let project: TestProject;
afterEach(() => project.remove());

const git = (...args: string[]) => project.git(...args);

function begin(changed: Readonly<Record<string, string>> = {}, protocol = team): void {
  project = playProject(
    protocol,
    { ...plays, ...changed },
    { '.gitignore': '.mailroom/\nagents/\n.drop/\nbegun-*\n*.log\n', 'kept.txt': 'kept\n' },
  );
  project.makeRepository();
}

/** Resolves to what `up` has printed. */
async function work(): Promise<string> {
  project.drop('agents/architect/inbox/task.md', 'Paint it\n');
  return (await project.run(['up', '--until-idle'])).stdout;
}

interface Message {
  readonly type: string;
  readonly id: string;
  readonly thread: string;
  readonly subject: string;
  readonly commit: string | null;
  readonly branch: string | null;
  readonly body: string;
}

async function trail(): Promise<Message[]> {
  return JSON.parse((await project.run(['trail', '--json'])).stdout) as Message[];
}

describe('a role that hands out its work in sub-threads', () => {
  it('gets the work of all of them back, merged', async () => {
    begin();
    await work();
    const messages = await trail();
    const of = (type: string) => messages.filter((message) => message.type === type);
    const [delivered] = of('delivered');
    expect(delivered?.body.trim()).toBe('blue.txt kept.txt plan.txt red.txt');
    const done = of('done');
    expect(done.map(({ subject }) => subject).toSorted()).toEqual(['Add blue', 'Add red']);
    for (const { thread, branch, commit } of done) {
      expect(branch).toBe(`mailroom/${thread}/engineer`);
      expect(git('merge-base', '--is-ancestor', commit ?? '', delivered?.commit ?? '')).toBe('');
    }
    const plan = new Set(of('subtask').map(({ commit }) => commit));
    expect([...plan].map((commit) => git('show', '--format=', '--name-only', commit ?? ''))).toEqual([
      'plan.txt',
    ]);
    expect(new Set(done.map(({ thread }) => thread)).size).toBe(2);
    expect(git('status', '--porcelain')).toBe('');
  });
});

describe('sub-threads that all change one file', () => {
  it('are merged one by one, and no conflict counts as a correction', async () => {
    begin(
      {
        architect: `
          if (type === 'task') {
            for (const part of ['red', 'green', 'blue'])
              send('subtask', 'engineer', 'Make it', 'subject: ' + part + '\\n');
            return;
          }
          const { readFileSync } = await import('node:fs');
          const lines = readFileSync('kept.txt', 'utf8').split('\\n');
          writeFileSync('kept.txt', lines.filter((line) => !/^[<|=>]{7}/.test(line)).join('\\n'));
          send('delivered', 'user', 'Painted');`,
        engineer: `
          const [, part] = /^subject: (\\w+)$/m.exec(mail[0]);
          writeFileSync('kept.txt', 'kept\\n' + part + '\\n');
          send('done', 'architect', 'Made');`,
      },
      `${team.replace('fan_out: 2', 'fan_out: 3')}limits: { corrections: 0 }\n`,
    );
    expect(await work()).toMatch(
      / architect t\d+ resolves a conflict: the work of engineer \(commit \w{10}, message …\w{6}\) conflicts with that of architect \(commit \w{10}\) in kept\.txt\n/,
    );
    const [delivered] = (await trail()).filter(({ type }) => type === 'delivered');
    const merged = git('show', `${delivered?.commit ?? ''}:kept.txt`).split('\n');
    expect(merged.toSorted()).toEqual(['blue', 'green', 'kept', 'red']);
  });
});

describe('sub-threads of which one asks a person', () => {
  it('are shown below the thread that opened them, and `why` names each', async () => {
    begin(
      {
        engineer: `
          const [, part] = /^subject: (\\w+)$/m.exec(mail[0]);
          if (part === 'red') return send('done', 'architect', 'Made');
          send('question', 'user', 'Which blue?', 'subject: Which\\n');`,
      },
      team.replace(
        'delivered:',
        'question: { from: engineer, to: user, reply: [answer], blocking: thread }\n  answer: { from: user, to: engineer }\n  delivered:',
      ),
    );
    await work();
    const status = await project.run(['status']);
    expect(status.stdout).toMatch(/ open .* Paint it \(.*\n.* quiet .* └ red\n.* needs you .* └ blue \(.*\n/);
    const { threads } = JSON.parse((await project.run(['status', '--json'])).stdout) as {
      threads: { id: string; parent: string | null; subject: string }[];
    };
    const of = (subject: string) => threads.find((thread) => thread.subject === subject);
    const [paint, red, blue] = ['Paint it', 'red', 'blue'].map(of);
    expect(threads.map(({ parent }) => parent)).toEqual([null, paint?.id, paint?.id]);
    const shown = (await project.run(['trail'])).stdout;
    const end = (id = '') => `…${id.slice(-6)}`;
    expect(shown).toContain(`└ red  sub-thread ${end(red?.id)}: quiet, 1 turn`);
    expect(shown).toContain(`└ blue  sub-thread ${end(blue?.id)}: open, 1 turn`);
    expect(shown).toContain(`blue  sub-thread ${end(blue?.id)} of ${end(paint?.id)}: open, 2 messages`);
    for (const word of [paint?.id ?? '', 'architect']) {
      const why = await project.run(['why', word]);
      expect(why.stdout).toContain(`  sub-thread ${end(blue?.id)}, blue: `);
      expect(why.stdout).toContain('user has not answered question');
      expect(why.stdout).toContain(`    command  mailroom why ${blue?.id.slice(-6) ?? ''}`);
      expect(why.stdout).not.toContain(`sub-thread ${end(red?.id)}`);
    }
  });
});
