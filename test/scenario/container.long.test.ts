import { readdirSync, readFileSync } from 'node:fs';
import process from 'node:process';
import { expect, it } from 'vitest';
import { finished, said, TestProject } from '../support/project.ts';
import { ran } from '../support/ran.ts';

/** A container as most are: its processes see no others, and cannot make namespaces. */
const container =
  '--unshare-user --disable-userns --unshare-pid --as-pid-1 --dev-bind / / --proc /proc'.split(' ');
/** The program itself, not Node with it. */
const entryPoint = ['sh', '-c', 'shift; exec "$@"', 'sh'];

const agent = `
import { spawnSync } from 'node:child_process';
process.on('SIGTERM', () => {});
spawnSync('sh', ['-c', '(setsid sleep 0.1 &); (env -i setsid sleep 3600 &)']);
process.stderr.write('The orphans are there\\n');
setInterval(() => {}, 3_600_000);
`;

/** The zombies and the sleeping programs below the first process of a container. */
function orphans(first: string): string[] {
  const proc = `/proc/${first}/root/proc`;
  const pids = readdirSync(proc).filter((name) => /^\d+$/.test(name));
  const all = pids.flatMap((pid) => {
    try {
      const [, state = ''] = /\) (\w) /.exec(readFileSync(`${proc}/${pid}/stat`, 'utf8')) ?? [];
      return [`${state} ${readFileSync(`${proc}/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')}`.trim()];
    } catch {
      return [];
    }
  });
  return all.filter((each) => /^Z|^\w sleep /.test(each));
}

it('as the entry point, `up` reaps orphans of agents, and ends within the ten seconds of `docker stop`', async (ctx) => {
  const probe = await ran('bwrap', [...container, 'true'], { cwd: '/', env: process.env }).catch(() => null);
  if (probe?.code !== 0) return ctx.skip('there is no bubblewrap that makes a container');
  const project = new TestProject({
    'mailroom.yaml': 'trail: off\nproviders: { mine: { command: [node, agent.mjs] } }\n',
    'protocols/one.yaml': `
name: one
version: "1"
roles: { maker: { provider: mine, capabilities: [READ] } }
messages: { task: { from: user, to: maker }, done: { from: maker, to: user, closes: true } }
start: { type: task, to: maker }
`,
    'agent.mjs': agent,
  });
  project.drop('agents/maker/inbox/task.md', 'Make it.\n');
  const up = project.start(['up', '--plain'], {}, ['bwrap', ...container, ...entryPoint]);
  try {
    const ended = finished(up);
    await said(up, 'maker starts t1');
    const first = readFileSync(`/proc/${String(up.pid)}/task/${String(up.pid)}/children`, 'utf8').trim();
    await expect.poll(() => orphans(first), { timeout: 60_000 }).toEqual(['S sleep 3600']);
    const began = performance.now();
    process.kill(Number(first), 'SIGTERM');
    expect(await ended).toMatchObject({ code: 0, stderr: '' });
    expect(performance.now() - began).toBeLessThan(10_000);
  } finally {
    up.kill('SIGKILL');
    project.remove();
  }
});
