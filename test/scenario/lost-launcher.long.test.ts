import { chmodSync, existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { lives, pause, temporaryFolder, until } from '../process/support.ts';
import { appears } from '../support/appears.ts';
import { launcherOf, launcherReadyOf } from '../support/launchers.ts';
import { playProject, smallTeam } from '../support/play.ts';
import { finished, said, TestProject } from '../support/project.ts';

let project: TestProject;
afterEach(() => {
  const left = project.survivors();
  project.remove();
  if (left.length > 0) throw new Error(`still running: ${left.join(', ')}`);
});

/** A `PATH` with which no kind of namespace works. */
function withoutNamespaces(): Record<string, string> {
  const folder = temporaryFolder();
  for (const name of ['unshare', 'bwrap']) {
    writeFileSync(join(folder, name), '#!/bin/sh\nexit 1\n');
    chmodSync(join(folder, name), 0o755);
  }
  return { PATH: `${folder}:${process.env['PATH']!}` };
}

describe('a controller', () => {
  it('whose launcher is killed while an agent works records that attempt as failed, and the next one does it', async () => {
    project = playProject(smallTeam, {
      maker: `writeFileSync(project + '/working-' + String(times), '');
if (times === 0) await new Promise(() => setInterval(() => {}, 1e6));
send('done', 'user');`,
    });
    const up = project.start(['up']);
    const end = finished(up);
    await said(up, 'roles');
    const launcher = await launcherReadyOf(up);
    const closed = said(up, 'is closed');
    project.drop('agents/maker/inbox/one.md', 'Work\n');
    await appears(join(project.root, 'working-0'));
    process.kill(launcher, 'SIGKILL');
    await closed;
    up.kill('SIGTERM');
    const { code, stdout } = await end;
    expect(code).toBe(0);
    expect(stdout).toContain('maker t1 stopped: node was ended by SIGKILL, again in ');
    expect(project.read('maker.log')).toBe('t1 1 0 task\nt1 2 0 task\n');
    const shown = JSON.parse((await project.run(['show', 't1', '--json'])).stdout) as {
      invocations: readonly { attempt: number; result: { outcome: object } }[];
    };
    expect(shown.invocations.map(({ attempt, result }) => [attempt, result.outcome])).toMatchObject([
      [1, { is: 'later', class: 'RETRYABLE_TRANSIENT' }],
      [2, { is: 'done' }],
    ]);
  });

  it.each(['agents', 'steps'])(
    'that is killed leaves none of its %s, although none works in a namespace',
    async (kind) => {
      const deaf = `process.on('SIGTERM', () => {}); const { spawn } = await import('node:child_process');
spawn('sh', ['-c', 'trap "" TERM; sleep 1000; sleep 1000'], { detached: true, stdio: 'ignore' });
writeFileSync(project + '/working', ''); await new Promise(() => setInterval(() => {}, 1e6));`;
      project = playProject(smallTeam, { maker: deaf });
      project.write(
        'work.yaml',
        `name: sample\nversion: "1"\ntimeout: 5m\nsteps:\n  one: { command: [sh, -c, 'trap "" TERM; (setsid sleep 1000 &); echo > working; sleep 1000; sleep 1000'] }\n`,
      );
      project.drop('agents/maker/inbox/one.md', 'Work\n');
      const host = project.start(kind === 'agents' ? ['up'] : ['run', 'work.yaml'], withoutNamespaces());
      const end = finished(host);
      await appears(join(project.root, 'working'));
      const launcher = launcherOf(host)!;
      host.kill('SIGKILL');
      await end;
      await until('the launcher has ended', () => !lives(launcher));
      expect(project.survivors()).toEqual([]);
    },
  );
});

it('a step that ends what started it fails in the end, and those beside it succeed', async () => {
  project = new TestProject({
    'mailroom.yaml': 'trail: off\n',
    'work.yaml': `name: sample
version: "1"
timeout: 5m
steps:
  hostile: { command: [sh, -c, 'kill -9 $PPID; sleep 10'], on_failure: continue }
  after: { depends_on: [hostile], command: [echo, after] }
  beside: { command: [sh, -c, 'sleep 2; echo >> beside.ran'] }
`,
  });
  // A program of its own: what the step ends is no process of this test.
  const { code, stdout } = await finished(project.start(['run', 'work.yaml', '--json']));
  const { status, steps } = JSON.parse(stdout) as { status: string; steps: Record<string, object> };
  expect({ code, status }).toEqual({ code: 0, status: 'SUCCEEDED' });
  const reason = 'it was ended by SIGKILL: the process that starts it ended each time, too';
  expect(steps['hostile']).toMatchObject({ status: 'FAILED', reason, attempts: 1 });
  expect(steps['after']).toMatchObject({ status: 'SUCCEEDED' });
  expect(project.read('beside.ran')).toBe('\n');
});

it('a run of sixty steps whose launcher is killed twenty times succeeds, with one record of each', async () => {
  const ids = Array.from({ length: 60 }, (_, index) => `s${index}`);
  const steps = ids.map((id) => `  ${id}: { command: [sh, -c, 'echo >> ${id}.ran; sleep 0.5'] }\n`);
  project = new TestProject({
    'mailroom.yaml': 'trail: off\n',
    'work.yaml': `name: sample\nversion: "1"\ntimeout: 30m\nconcurrency: 4\nsteps:\n${steps.join('')}`,
  });
  const child = project.start(['run', 'work.yaml', '--json']);
  let isOver = false;
  const over = finished(child).finally(() => (isOver = true));
  const killed = new Set<number>();
  while (killed.size < 20) {
    const fresh = () => [launcherOf(child)].find((pid) => pid !== undefined && !killed.has(pid));
    await until('there is another launcher', () => isOver || fresh() !== undefined);
    if (isOver) break;
    await pause(Math.random() * 200);
    const next = fresh();
    if (next === undefined) continue;
    process.kill(next, 'SIGKILL');
    killed.add(next);
  }
  const { code, stdout, stderr } = await over;
  expect(killed.size).toBe(20);
  expect({ code, stderr }).toMatchObject({ code: 0 });
  const { status, steps: ended } = JSON.parse(stdout) as { status: string; steps: Record<string, object> };
  expect(status).toBe('SUCCEEDED');
  for (const id of ids) {
    expect(existsSync(join(project.root, `${id}.ran`))).toBe(true);
    expect(ended[id]).toMatchObject({ status: 'SUCCEEDED', attempts: 1 });
    expect(stderr.split('\n').filter((line) => line.includes(`✓ ${id} `))).toHaveLength(1);
  }
});
