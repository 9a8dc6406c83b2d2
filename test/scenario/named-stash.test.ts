import { execFileSync, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { fills } from '../support/appears.ts';
import { playProject, smallTeam } from '../support/play.ts';
import { finished, said, type TestProject } from '../support/project.ts';

let project: TestProject;
afterEach(() => project.remove());

const waiting = 12;

it('loses and doubles nothing when a person stashes the mail away and takes it back while `up` runs', async () => {
  project = playProject(smallTeam, { maker: `send('done', 'user', mail[0].split('---').at(-1));` });
  const person = ['-c', 'user.name=P', '-c', 'user.email=p@example.org'];
  const git = (...args: string[]) =>
    execFileSync('git', [...person, ...args], { cwd: project.root }).toString();
  // The mail folders are not ignored here: `doctor` warns of that, and this is why.
  project.write('.gitignore', '.mailroom/\n*.log\n');
  git('init', '--quiet');
  git('add', '.gitignore', 'mailroom.yaml', 'protocols', 'play');
  git('commit', '--quiet', '--message=First');
  await project.run(['pause', 'maker']);
  for (let task = 0; task < waiting; task += 1)
    project.write(`agents/maker/inbox/${String(task)}.md`, `Task ${String(task)}.\n`);
  const child = project.start(['up']);
  const end = finished(child);
  // The copy of the sender is written first: when all wait here, nothing is under way that git could trip over.
  await fills(join(project.root, 'agents/maker/inbox'), /-task-/, waiting);
  // It fails at the end where the notice of the gone inbox comes into a folder that it is removing.
  const push = [...person, 'stash', 'push', '--quiet', '--include-untracked'];
  spawnSync('git', push, { cwd: project.root });
  expect(git('stash', 'list').trim().split('\n')).toHaveLength(1);
  await said(child, 'The inbox of maker is gone');
  git('stash', 'pop', '--quiet');
  child.kill('SIGTERM');
  await end;
  await project.run(['unpause', 'maker']);
  expect(await project.run(['up', '--until-idle'])).toMatchObject({ code: 0 });
  const rows = JSON.parse((await project.run(['trail', '--json'])).stdout) as {
    type: string;
    body: string;
  }[];
  const done = rows.filter(({ type }) => type === 'done').map(({ body }) => body.trim());
  expect(new Set(done).size).toBe(waiting);
  expect(done).toHaveLength(waiting);
});
