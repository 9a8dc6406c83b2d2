import { spawn } from 'node:child_process';
import { afterEach, expect, it } from 'vitest';
import { playProject, smallTeam } from '../support/play.ts';
import { finished, said, type TestProject, program } from '../support/project.ts';

let project: TestProject;
afterEach(() => project.remove());

const types = async () =>
  (JSON.parse((await project.run(['trail', '--json'])).stdout) as { type: string }[]).map(({ type }) => type);

/** Runs a shell in namespaces of its own, as root there. */
function isolated(namespaces: string, script: string) {
  const argv = [
    '--map-root-user',
    namespaces,
    'sh',
    '-c',
    script,
    'sh',
    process.execPath,
    program,
    project.root,
  ];
  const env = { ...process.env, NO_COLOR: '1' };
  return finished(spawn('unshare', argv, { cwd: project.root, env, stdio: ['ignore', 'pipe', 'pipe'] }));
}

it('a suspended controller keeps the project, also from another network, and continues where it was', async () => {
  project = playProject(smallTeam, { maker: `send('done', 'user');` });
  const first = project.start(['up']);
  const end = finished(first);
  await said(first, 'roles');
  first.kill('SIGSTOP');
  project.drop('agents/maker/inbox/one.md', 'While it stands still\n');
  const second = await isolated('--net', 'exec "$1" "$2" up --until-idle');
  expect(second).toMatchObject({ code: 1 });
  expect(second.stderr).toContain('E_LOCKED');
  const closed = said(first, 'is closed');
  first.kill('SIGCONT');
  await closed;
  first.kill('SIGTERM');
  expect(await end).toMatchObject({ code: 0 });
  expect(await types()).toEqual(['task', 'done']);
});

it('waits thirty days without a hurry', async () => {
  project = playProject(
    smallTeam
      .replace('maker: {', 'maker: { timeout: 30d, idle_timeout: 30d,')
      .replace('to: user, reply: [answer],', 'to: user, reply: [answer], timeout: 30d, on_timeout: fail,'),
    { maker: `if (type === 'task') send('question', 'user'); else send('done', 'user');` },
  );
  project.drop('agents/maker/inbox/one.md', 'Ask me\n');
  const ran = await project.run(['up', '--until-idle']);
  expect(ran).toMatchObject({ code: 0, stderr: '' });
  expect(ran.stdout.trim().split('\n').at(-1)).toBe('idle: waiting for user; see `mailroom inbox`');
  const up = project.start(['up']);
  const end = finished(up);
  await said(up, 'roles');
  expect(await project.run(['send', 'maker', '--message', 'Another'])).toMatchObject({ code: 0 });
  up.kill('SIGTERM');
  expect(await end).toMatchObject({ code: 0, stderr: '' });
  expect(await types()).toEqual(['task', 'question', 'task']);
});

/**
 * The project in a small file system of its own, which is full but for 40 KB when a long message
 * arrives.
 */
const fullDisk = `
  mkdir "$3/small" && mount -t tmpfs -o size=3m tmpfs "$3/small" || exit 9
  for each in mailroom.yaml protocols play; do cp -R "$3/$each" "$3/small/" || exit 9; done
  cd "$3/small"
  # What a first start writes is there before the disk is full.
  "$1" "$2" up --until-idle; echo "empty: $?"
  mv "$3/long.md" agents/maker/inbox/
  free() { df --output=avail -k . | tail -n 1; }
  head -c $(( ($(free) - 40) * 1024 )) /dev/zero >filler
  "$1" "$2" up --until-idle; echo "full: $?"
  rm filler
  "$1" "$2" up --until-idle; echo "space: $?"
  "$1" "$2" trail --json`;

/** The same, full to its last block while an agent works whose message is written. */
const fullMeanwhile = `
  mkdir "$3/small" && mount -t tmpfs -o size=3m tmpfs "$3/small" || exit 9
  for each in mailroom.yaml protocols play; do cp -R "$3/$each" "$3/small/" || exit 9; done
  cd "$3/small"
  "$1" "$2" up --plain &
  controller=$!
  "$1" "$2" send maker --message "Make it" >"$3/sent"
  until [ -e ready ]; do "$1" -e 0; done
  cat /dev/zero >filler 2>"$3/filled"
  mv ready go
  until "$1" "$2" status | grep 'maker  *held'; do "$1" -e 0; done
  "$1" "$2" status; "$1" "$2" why maker; "$1" "$2" doctor | grep disk
  "$1" "$2" send maker --message "And this"
  rm filler
  until [ -n "$(ls agents/user/inbox)" ]; do "$1" -e 0; done
  kill $controller; wait $controller`;

it('a disk that is full while an agent works is named by status, why and doctor, and each place once', async () => {
  project = playProject(smallTeam, {
    maker: `send('done', 'user'); writeFileSync(project + '/ready', ''); await until(project + '/go');`,
  });
  const { stdout, stderr } = await isolated('--mount', fullMeanwhile);
  const held = 'work has ended and waits until this machine can record it: cannot write ';
  expect(stdout).toContain(`problem     ${held}`);
  expect(stdout).toMatch(new RegExp(`maker +held .* t1 is held for .*: ${held}`));
  expect(stdout).toMatch(new RegExp(`^${held}.*: no space left on device\\.\\n +state +held`, 'm'));
  expect(stdout).toMatch(/✗ disk +0\.0 MB are left on the file system of .*: work waits until you free/);
  // Room for one file may be found, and not for the next.
  const lines = [...stdout.matchAll(/^[\d:]+ (work has ended and waits.*)/gm)].map(([, line]) => line);
  expect(lines[0]).toContain(held);
  expect(new Set(lines).size).toBe(lines.length);
  expect(stderr).toMatch(
    /E_DISK: .*no space left on device\nhint: free some space, then run the same command/,
  );
});

it('a disk that is full in the middle of a line, then has room again, loses nothing', async () => {
  project = playProject(smallTeam, { maker: `send('done', 'user', String(mail[0].length));` });
  project.drop('long.md', `${'long words '.repeat(5_500)}\n`);
  const ran = await isolated('--mount', fullDisk);
  expect(ran.stderr).toMatch(/E_DISK.*no space left/);
  expect(ran.stdout).toContain('empty: 0\n');
  expect(ran.stdout).toContain('full: 1\n');
  expect(ran.stdout).toContain('the last line was not whole');
  expect(ran.stdout).toContain('space: 0\n');
  const rows = JSON.parse(ran.stdout.slice(ran.stdout.indexOf('space: 0\n') + 9)) as { type: string }[];
  expect(rows.map(({ type }) => type)).toEqual(['task', 'done']);
});
