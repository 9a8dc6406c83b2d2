import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { afterEach, expect, it } from 'vitest';
import { playProject, smallTeam } from '../support/play.ts';
import { finished, program, type TestProject } from '../support/project.ts';

/*
 * Linux without what macOS lacks: an empty /proc, no programs of util-linux, no bubblewrap, and a
 * Node that names that system. What else differs there (fs.watch, names, git) is not tested here.
 */

let project: TestProject;
afterEach(() => project.remove());

/** Runs a shell script there; `mailroom` is the program, in the folder of the project. */
function elsewhere(script: string) {
  const bin = join(project.root, 'bin');
  mkdirSync(bin);
  for (const name of ['sh', 'git', 'cat', 'sleep']) {
    const found = execFileSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8' });
    symlinkSync(found.trim(), join(bin, name));
  }
  symlinkSync(process.execPath, join(bin, 'node'));
  project.write('system.cjs', "Object.defineProperty(process, 'platform', { value: 'darwin' });\n");
  const lines = `mount -t tmpfs none /proc || exit 9
    export PATH="$1/bin" NODE_OPTIONS="--require $1/system.cjs" NO_COLOR=1
    mailroom() { node "$0" "$@"; }
    ${script}`;
  const argv = ['--map-root-user', '--mount', 'sh', '-c', lines, program, project.root];
  return finished(spawn('unshare', argv, { cwd: project.root, stdio: ['ignore', 'pipe', 'pipe'] }));
}

it('delivers mail, and says what is weaker', async () => {
  project = playProject(smallTeam, {
    maker: `if (type === 'task') send('review', 'checker'); else send('done', 'user');`,
    checker: `send('verdict', 'maker', 'Good', 'fields: { good: true }\\n');`,
  });
  const ran = await elsewhere(`
    mailroom doctor; echo "doctor: $?"
    mailroom check; echo "check: $?"
    mailroom send maker -m 'Make it'
    mailroom up --until-idle; echo "up: $?"
    mailroom trail`);
  expect(ran.stderr).toBe('');
  expect(ran.stdout).toMatch(/^! lock +no flock\(1\): a weaker lock is used/m);
  expect(ran.stdout).toMatch(/^! containment +process groups only .*: what leaves its group is not ended$/m);
  for (const line of ['doctor: 0', 'check: 0', 'idle: done', 'up: 0'])
    expect(ran.stdout.split('\n')).toContain(line);
  expect(ran.stdout).toMatch(/maker → user: done/);
});

it('keeps a project and a run to one process, and ends what it cancels', async () => {
  project = playProject(
    smallTeam,
    { maker: '' },
    {
      'workflows/slow.yaml': `
name: slow
version: "1"
timeout: 10m
steps: { wait: { command: [sh, -c, 'echo $$ > pid; while :; do sleep 0.1; done'] } }
`,
    },
  );
  const ran = await elsewhere(`
    mailroom run slow >/dev/null & run=$!
    while ! [ -s pid ]; do sleep 0.1; done
    mailroom run slow; echo "second run: $?"
    mailroom cancel last
    wait $run; echo "run: $?"
    kill -0 "$(cat pid)" && echo 'the step lives'
    (exec node "$0" up >up.log) & up=$!
    while ! [ -s up.log ]; do sleep 0.1; done
    mailroom up; echo "second up: $?"
    kill $up; wait $up; echo "up: $?"`);
  expect(ran.stdout.match(/^(second )?(run|up): \d+$|lives$/gm)).toEqual([
    'second run: 1',
    'run: 130',
    'second up: 1',
    'up: 0',
  ]);
  expect(ran.stderr.match(/^error \w+/gm)).toEqual(['error E_LOCKED', 'error E_LOCKED']);
});
