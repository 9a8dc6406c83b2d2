import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { run } from '../../src/process/run.ts';
import { zombieNote } from '../../src/process/sandbox/first-process.ts';
import { probeContainment } from '../../src/process/sandbox/containment.ts';
import { temporaryFolder } from '../process/support.ts';

const bin = fileURLToPath(new URL('../../bin', import.meta.url));
const { namespace } = await probeContainment();
const env = { PATH: `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}` };

/** A package with this program, and the command in its `node_modules/.bin`. */
function packageWith(program: string): string {
  const folder = temporaryFolder();
  cpSync(bin, join(folder, 'package/bin'), { recursive: true });
  mkdirSync(join(folder, 'package/dist'));
  writeFileSync(join(folder, 'package/dist/app.cjs'), `exports.main = async (argv) => { ${program} };`);
  mkdirSync(join(folder, '.bin'));
  symlinkSync('../package/bin/mailroom', join(folder, '.bin/mailroom'));
  return join(folder, '.bin/mailroom');
}

/** Runs it as the first process of a namespace. */
function first(mailroom: string, argv: readonly string[] = [], stdin = '') {
  const user = namespace.works && namespace.user ? ['--user', '--map-current-user'] : [];
  const words = ['unshare', ...user, '--pid', '--fork', '--mount-proc', mailroom, ...argv];
  return run(words, { cwd: '/', env, stdin });
}

it('the first process of a container reaps orphans', async () => {
  const orphans = packageWith(`
    require('node:child_process').spawnSync('sh', ['-c', '(sleep 0.1 &); (sleep 0.1 &); (true &)']);
    const left = () => require('node:fs').readdirSync('/proc').filter((name) => /^\\d+$/.test(name)).length;
    while (left() > 2) await new Promise(setImmediate);
    console.log('none is left, beside', process.pid === 1 ? 'nothing' : 'the first process');
    return 0;`);
  expect(await first(orphans)).toMatchObject({
    stdout: 'none is left, beside the first process\n',
    exitCode: 0,
  });
});

it('the first process of a container is as the program is', async () => {
  const echo = packageWith(`
    console.log(JSON.stringify(argv), require('node:fs').readFileSync(0, 'utf8'));
    return 7;`);
  const argv = ['up', 'a  b', '$(x)', ''];
  expect(await first(echo, argv, 'said\n')).toMatchObject({
    stdout: `${JSON.stringify(argv)} said\n\n`,
    exitCode: 7,
  });
});

it.each(['SIGTERM', 'SIGINT', 'SIGHUP'])(
  'the first process of a container passes on %s, and ends as the program does',
  async (signal) => {
    const ends = packageWith(`
      const alive = setInterval(() => {}, 3_600_000);
      const got = new Promise((resolve) => process.once('${signal}', resolve));
      process.kill(1, '${signal}');
      await got;
      clearInterval(alive);
      return 5;`);
    expect(await first(ends)).toMatchObject({ exitCode: 5 });
  },
);

it('elsewhere nothing is between', async () => {
  const itself = packageWith(`console.log(process.ppid, process.argv[1]); return 0;`);
  const { stdout } = await run([itself], { cwd: '/', env });
  expect(stdout).toBe(`${String(process.pid)} ${itself}\n`);
});

it.each(['mailroom', 'orchestrate'])('%s cannot write to an output that is closed', async (name) => {
  const prints = packageWith(`
    const lost = (output) => {
      try { return require('node:fs').writeSync(output, String(output)) === 0; }
      catch ({ code }) { return code === 'EBADF'; }
    };
    return (lost(1) ? 10 : 0) + (lost(2) ? 20 : 0);`);
  const closing = async (redirection: string) => {
    const words = ['sh', '-c', `"$0" ${redirection}`, join(dirname(prints), '../package/bin', name)];
    const { exitCode, stdout, stderr } = await run(words, { cwd: '/', env });
    return [exitCode, stdout, stderr];
  };
  expect(await closing('>&-')).toEqual([10, '', '2']);
  expect(await closing('>&- <&-')).toEqual([10, '', '2']);
  expect(await closing('2>&-')).toEqual([20, '1', '']);
  expect(await closing('>&- 2>&-')).toEqual([30, '', '']);
  expect(await closing('<&- >&- 2>&-')).toEqual([30, '', '']);
  expect(await closing('<&-')).toEqual([0, '1', '2']);
  expect(await closing('9>/dev/null')).toEqual([0, '1', '2']);
});

it('says where Node as the first process leaves zombies', async () => {
  const folder = temporaryFolder();
  const link = (name: string) => {
    symlinkSync(`/usr/bin/${name}`, join(folder, name));
    return join(folder, name);
  };
  const note = await zombieNote(link('node'));
  expect(note).toEqual(namespace.works ? null : expect.stringContaining('docker run --init'));
  expect(await zombieNote(link('tini'))).toBeNull();
  expect(await zombieNote(join(folder, 'unknown'))).toBeNull();
});
