import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { documentOf } from '../docs/blocks.ts';
import { finished, TestProject } from '../support/project.ts';

let project: TestProject;
afterEach(() => project.remove());

/** An agent that costs what its argument says, and writes that, too. */
const agent = `
import { execFileSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
const { MAILROOM_OUTBOX: outbox, MAILROOM_WORKSPACE: workspace } = process.env;
const [tokens, waitsFor] = process.argv.slice(2);
writeFileSync(join(workspace, 'begun'), '');
writeFileSync(join(workspace, 'task.md'), 'Done.\\n');
// It ends with the test, too.
const waits = () => waitsFor !== undefined && existsSync(workspace) && !existsSync(waitsFor);
while (waits()) await new Promise((resolve) => setTimeout(resolve, 5));
writeFileSync(join(workspace, 'result.txt'), \`\${tokens}\\n\`);
if (tokens === '7') execFileSync('git', ['commit', '-qam', 'By the agent']);
writeFileSync(join(outbox, 'done.md'), '---\\ntype: done\\nto: user\\n---\\nDone.\\n');
console.error(\`usage: {"usd": \${tokens / 100000}, "tokens": \${tokens}}\`);
`;

const files = {
  '.gitignore': 'begun\n.mailroom/\nagents/*/*/\nschemas/\n',
  'mailroom.yaml': `# The settings of a person.
providers:
  dear: { command: [node, agent.mjs, '2000'] }
  cheap: { command: [node, agent.mjs, '500'] }
  own: { command: [node, agent.mjs, '7'] }
  slow: { command: [node, agent.mjs, '1', never] }
`,
  'protocols/team.yaml': `
name: lone
version: "1"
roles:
  worker: { provider: dear, capabilities: [READ, EDIT], retries: 0 }
messages:
  task: { from: user, to: worker }
  done: { from: worker, to: user, closes: true }
start: { type: task, to: worker }
`,
  'workflows/ship.yaml': `
name: ship
version: "1"
timeout: 1m
steps:
  ship:
    worker: CUSTOM
    capabilities: [EDIT]
    instructions: echo shipped > shipped.txt
`,
  'agent.mjs': agent,
  'task.md': 'Do it.\n',
};

interface Document {
  readonly name: string;
  readonly sides: readonly Readonly<Record<string, unknown>>[];
  readonly keep: string;
  readonly remove: string;
}

function start(changes: Readonly<Record<string, string>> = {}): void {
  project = new TestProject({ ...files, ...changes });
  project.makeRepository();
}

/** What of the project a comparison must leave as it is. */
const untouched = () => [
  project.git('rev-parse', 'HEAD'),
  project.git('status', '--porcelain'),
  project.read('mailroom.yaml'),
  project.read('protocols/team.yaml'),
  project.list('.').filter((name) => name !== '.mailroom'),
];

describe('compare', () => {
  it('does a task under two settings, and leaves the project as it is', async () => {
    start();
    const before = untouched();
    const { code, stdout, stderr } = await finished(
      project.start(['compare', 'task.md', '--with', 'provider=cheap', '--json']),
    );
    expect(code).toBe(0);
    expect(stderr).toMatch(/^a: as the project is …\n[^]*^b: provider=cheap …\n/m);
    const { name, sides, keep, remove } = JSON.parse(stdout) as Document;
    const shown = documentOf('docs/commands/compare.md') as Document;
    expect(Object.keys(JSON.parse(stdout) as Document)).toEqual(Object.keys(shown));
    expect(Object.keys(sides[0]!)).toEqual(Object.keys(shown.sides[0]!));
    expect({ name, keep }).toEqual({ name: 'task', keep: 'git merge compare/task-b' });
    const same = { ok: true, ended: 'done', turns: 1, launches: 1, unpriced: 0, left: [] };
    expect(sides).toMatchObject([
      { ...same, side: 'a', tokens: 2000, usd: 0.02, branch: 'compare/task-a' },
      { ...same, side: 'b', tokens: 500, usd: 0.005, branch: 'compare/task-b' },
    ]);
    expect(sides.map(({ changes }) => changes)).toEqual([
      { files: 2, added: 2, removed: 1 },
      { files: 2, added: 2, removed: 1 },
    ]);
    expect(project.git('show', 'compare/task-a:result.txt')).toBe('2000');
    expect(project.git('show', 'compare/task-b:result.txt')).toBe('500');
    // Its settings are no part of the work.
    expect(project.git('diff', '--name-only', 'HEAD', 'compare/task-b')).toBe('result.txt\ntask.md');
    expect(untouched()).toEqual(before);
    expect(project.git('branch', '--list', 'mailroom*')).toBe('');
    // Each side keeps its mail.
    expect((await project.run(['-C', '.mailroom/compare/task/b', 'trail'])).stdout).toContain('Done.');

    const again = await project.run(['compare', 'task.md', '--with', 'provider=cheap']);
    expect(again.code).toBe(1);
    expect(again.stderr).toBe(
      `error E_REFUSED: an earlier comparison has left \`.mailroom/compare/task\`, \`compare/task-a\`, \`compare/task-b\`\nhint: remove it with \`${remove}\`, or choose another --name\n`,
    );
  });

  it('shows both sides beside each other', async () => {
    start();
    const both = ['--with', 'provider=cheap', '--with', 'worker.provider=dear,mcp=off', '--name', 'x'];
    const { stdout } = await finished(project.start(['compare', 'task.md', ...both]));
    expect(stdout.replace(/\d+s/g, '1s').replaceAll(project.root, 'HERE').replaceAll(/ +/g, ' ')).toBe(` a b
settings provider=cheap worker.provider=dear,mcp=off
ended done done
turns 1 1
launches 1 1
tokens 500 2000
dollars $0.0050 $0.0200
time 1s 1s
changes 2 files, +2 -1 2 files, +2 -1
branch compare/x-a compare/x-b
folder HERE/.mailroom/compare/x/a HERE/.mailroom/compare/x/b

See what differs: git diff compare/x-a compare/x-b
Keep one: git merge compare/x-b
Remove both: rm -rf HERE/.mailroom/compare/x; git branch -D compare/x-a compare/x-b
`);
  });

  it('keeps the settings out of what an agent commits', async () => {
    start();
    const b = 'provider=own,capabilities=[READ, EDIT, RUN_COMMANDS]';
    const { code } = await finished(project.start(['compare', 'task.md', '--with', b]));
    expect(code).toBe(0);
    expect(project.git('log', '--format=%s', 'compare/task-b')).toBe(
      'Work of compare/task-b\nBy the agent\nfirst',
    );
    expect(project.git('diff', '--name-only', 'HEAD', 'compare/task-b')).toBe('result.txt\ntask.md');
  });

  it('runs a workflow on each side', async () => {
    start();
    const { code, stdout } = await finished(
      project.start(['compare', 'workflows/ship.yaml', '--with', 'sandbox=off', '--json']),
    );
    expect(code).toBe(0);
    const { sides } = JSON.parse(stdout) as Document;
    expect(sides).toMatchObject([
      { ended: 'SUCCEEDED', turns: null, launches: 0, changes: { files: 1 } },
      { ended: 'SUCCEEDED', turns: null, launches: 0, changes: { files: 1 } },
    ]);
    expect(project.git('show', 'compare/ship-b:shipped.txt')).toBe('shipped');
  });

  it('refuses what is not committed, and settings that do not fit, and leaves nothing', async () => {
    start();
    const refused = async (...args: string[]) => {
      const { code, stderr } = await project.run(['compare', 'task.md', ...args]);
      expect(project.git('branch', '--list', 'compare/*')).toBe('');
      return { code, stderr };
    };
    expect(await refused('--with', 'modle=x')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('`modle` is not a key') as unknown,
    });
    expect((await refused('--with', 'nothing')).stderr).toContain('`nothing` is not a setting');
    expect(project.list('.mailroom/compare')).toEqual([]);
    project.write('more.txt', 'more\n');
    expect(await refused('--with', 'mcp=on')).toEqual({
      code: 1,
      stderr:
        'error E_REFUSED: not committed: more.txt\nhint: both sides begin with the last commit: commit it, `git stash -u`, or let git ignore it\n',
    });
  });

  it('stops at a signal, says what is left, and starts no other side', async () => {
    start();
    const running = project.start(['compare', 'task.md', '--with', 'provider=slow', '--with', 'mcp=off']);
    const over = finished(running);
    const begun = join(project.root, '.mailroom/compare/task/a/begun');
    await expect.poll(() => existsSync(begun), { timeout: 20_000 }).toBe(true);
    running.kill('SIGINT');
    const { code, stdout } = await over;
    expect(code).toBe(130);
    expect(stdout).toContain('Remove both:');
    expect(project.git('branch', '--list', 'compare/*').trim()).toBe('compare/task-a');
  });

  it('killed: names the process that still works, and later what is left', async () => {
    start();
    const running = project.start(['compare', 'task.md', '--with', 'provider=slow', '--with', 'mcp=off']);
    const side = join(project.root, '.mailroom/compare/task/a');
    await expect.poll(() => existsSync(join(side, 'begun')), { timeout: 20_000 }).toBe(true);
    const killed = once(running, 'exit');
    running.kill('SIGKILL');
    await killed;
    const again = async () => (await project.run(['compare', 'task.md', '--with', 'mcp=off'])).stderr;
    expect(await again()).toMatch(
      /has left `\.mailroom\/compare\/task`, and process \d+ works in a\nhint: end it; then remove it with `rm -rf /,
    );
    project.write('.mailroom/compare/task/a/never', '');
    await expect.poll(again, { timeout: 20_000 }).toMatch(/has left `\.mailroom\/compare\/task`\n/);
  });
});
