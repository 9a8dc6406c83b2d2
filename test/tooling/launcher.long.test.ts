import { execFileSync, spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Builder } from '../support/installed.ts';
import { ran, type Ran } from '../support/ran.ts';

const repository = fileURLToPath(new URL('../..', import.meta.url));
let checkout: string;

/** Runs the launcher of the small checkout. */
function launch(...argv: string[]): Promise<Ran> {
  const { env } = process;
  return ran(process.execPath, [join(checkout, 'bin/mailroom'), ...argv], { cwd: process.cwd(), env });
}

function writeProgram(text: string): void {
  writeFileSync(join(checkout, 'src/main.ts'), text);
}

function programThatSays(word: string): string {
  return `export async function main(argv: string[]) { console.log('${word}', ...argv); return 7; }`;
}

function builtProgramThatSays(word: string): string {
  return `exports.main = async () => { console.log('${word}'); return 0; };`;
}

/** What V8 says to what was compiled of the built program before; undefined where nothing was. */
function compiledRejected(): string {
  const loader = JSON.stringify(join(checkout, 'bin/program.cjs'));
  const built = JSON.stringify(join(checkout, 'dist/app.cjs'));
  const text = `const { compileProgram } = require(${loader}); console.log(compileProgram(${built}).script.cachedDataRejected);`;
  return execFileSync(process.execPath, ['-e', text], { encoding: 'utf8' }).trim();
}

beforeEach(() => {
  checkout = mkdtempSync(join(tmpdir(), 'mailroom-launcher-'));
  for (const folder of ['web', 'extensions']) mkdirSync(join(checkout, 'src', folder), { recursive: true });
  for (const part of ['web/index.html', 'extensions/page.ts', 'extensions/page.css'])
    writeFileSync(join(checkout, 'src', part), '');
  for (const part of ['process/starting/launcher-program.ts', 'server/mcp/at-once.ts']) {
    mkdirSync(dirname(join(checkout, 'src', part)), { recursive: true });
    writeFileSync(join(checkout, 'src', part), '');
  }
  for (const part of ['bin', 'scripts', 'package.json']) {
    cpSync(join(repository, part), join(checkout, part), { recursive: true });
  }
  symlinkSync(join(repository, 'node_modules'), join(checkout, 'node_modules'));
});

afterEach(() => {
  rmSync(checkout, { recursive: true, force: true });
});

describe('the launcher', () => {
  it('builds a fresh checkout, passes the arguments on and ends with the exit code of main', async () => {
    writeProgram(programThatSays('first'));
    expect(await launch('a', 'b')).toEqual({ code: 7, signal: null, stdout: 'first a b\n', stderr: '' });
  });

  it('builds again when a source is newer, and only then', async () => {
    writeProgram(programThatSays('first'));
    await launch();
    const built = join(checkout, 'dist/app.cjs');
    writeFileSync(built, builtProgramThatSays('untouched'));
    expect((await launch('status')).stdout).toBe('untouched\n');
    writeProgram(programThatSays('second'));
    const later = Date.now() / 1000 + 60;
    utimesSync(join(checkout, 'src/main.ts'), later, later);
    expect((await launch()).stdout).toBe('second\n');
  });

  it('lets several processes build at once and leaves nothing behind', async () => {
    writeProgram(programThatSays('first'));
    const ended = await Promise.all(Array.from({ length: 4 }, () => launch()));
    expect(ended.map(({ stdout }) => stdout)).toEqual(Array(4).fill('first\n'));
    expect(readdirSync(join(checkout, 'dist')).toSorted()).toEqual([
      expect.stringMatching(/^app-[0-9a-f]{16}\.cache$/),
      'app.cjs',
      'app.cjs.map',
      expect.stringMatching(/^help-[0-9a-f]{16}\.cache$/),
      'help.cjs',
      'launcher.cjs',
      'licences.txt',
      'tools.cjs',
      'web.json.br',
    ]);
  });

  it('builds beside others: only what a process has left that is gone is removed', async () => {
    writeProgram(programThatSays('first'));
    const gone = spawnSync('true').pid;
    const dist = join(checkout, 'dist');
    const [left, going] = [gone, process.pid].map((pid) => join(dist, `.building-${String(pid)}-a1b2c3`));
    for (const folder of [left, going]) mkdirSync(folder!, { recursive: true });
    writeFileSync(join(dist, 'app-of-before.cache'), '');
    const begun = Date.now() / 1000 - 7200;
    utimesSync(going!, begun, begun);
    await launch();
    expect(existsSync(left!)).toBe(false);
    expect(readdirSync(dist)).toContain('app-of-before.cache');

    // What is published has no file of an earlier build.
    const { env } = process;
    const builds = Array.from({ length: 3 }, () =>
      ran(process.execPath, [join(checkout, 'scripts/build.mjs')], { cwd: checkout, env }),
    );
    for (const build of builds) expect(await build).toMatchObject({ code: 0, stdout: 'built app.cjs\n' });
    expect(readdirSync(dist)).not.toContain('app-of-before.cache');
    expect(existsSync(going!)).toBe(true);

    const { copyBuild } = (await import(pathToFileURL(join(checkout, 'scripts/build.mjs')).href)) as Builder;
    const copy = join(checkout, 'copy');
    copyBuild(dist, copy);
    expect(readdirSync(copy)).toEqual(readdirSync(dist).filter((name) => !name.startsWith('.')));
  });

  it('starts with what V8 compiled of this very program', async () => {
    writeProgram(programThatSays('first'));
    await launch();
    expect(compiledRejected()).toBe('false');
    // As long as the one before: V8 itself could not tell.
    const built = join(checkout, 'dist/app.cjs');
    writeFileSync(built, readFileSync(built, 'latin1').replace(/app-\w{4}/, 'app-0000'));
    expect(compiledRejected()).toBe('undefined');
  });

  it('keeps the memory for new objects small where processes are started, with the same compiled program', async () => {
    writeProgram(`import { getHeapSpaceStatistics } from 'node:v8';
export async function main() {
  const kept = Array.from({ length: 1e6 }, (_, index) => ({ index }));
  const space = getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space');
  console.log(kept.length && space!.space_size < 4e6);
  return 0;
}`);
    expect((await launch('validate')).stdout).toBe('false\n');
    const dist = join(checkout, 'dist');
    for (const name of readdirSync(dist)) if (name.endsWith('.cache')) rmSync(join(dist, name));
    // Elsewhere the process needs the memory that the flag of this V8 saves.
    const isNode20 = process.versions.node.startsWith('20.');
    expect((await launch('run')).stdout).toBe(`${String(isNode20)}\n`);
    expect(compiledRejected()).toBe(isNode20 ? 'false' : 'undefined');
  });

  it('starts although what was compiled is of another V8', async () => {
    writeProgram(programThatSays('first'));
    await launch();
    const cache = readdirSync(join(checkout, 'dist')).find((name) => name.endsWith('.cache')) ?? '';
    writeFileSync(join(checkout, 'dist', cache), 'of another');
    expect(compiledRejected()).toBe('true');
    expect((await launch()).stdout).toBe('first\n');
  });

  it('says what is wrong with sources that cannot be built', async () => {
    writeProgram('export const = 1;');
    const { code, stderr } = await launch();
    expect(code).toBe(1);
    expect(stderr).toContain('mailroom: its sources could not be built');
    expect(stderr).toContain('src/main.ts:1:13');
  });

  it('says what to do when the packages are not installed', async () => {
    rmSync(join(checkout, 'node_modules'));
    writeProgram(programThatSays('first'));
    const { code, stderr } = await launch();
    expect(code).toBe(1);
    expect(stderr).toContain('run `npm ci`');
  });

  it('runs what is published, which has no sources and no scripts', async () => {
    for (const part of ['src', 'scripts', 'node_modules']) rmSync(join(checkout, part), { recursive: true });
    mkdirSync(join(checkout, 'dist'));
    writeFileSync(join(checkout, 'dist/app.cjs'), builtProgramThatSays('published'));
    expect(await launch('status')).toEqual({ code: 0, signal: null, stdout: 'published\n', stderr: '' });
  });
});

const { bin } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8')) as {
  bin: Readonly<Record<string, string>>;
};

it('prints the help of each command from what is loaded for help alone', () => {
  const mailroom = join(repository, 'bin/mailroom');
  const help = (...argv: string[]) => execFileSync(mailroom, argv, { encoding: 'utf8' });
  const commands = [...help().matchAll(/^  (\w[\w-]*) .*/gm)].map(([, name = '']) => name);
  expect(commands.length).toBeGreaterThan(30);
  const inOneProcess = `
    const { compileProgram } = require(${JSON.stringify(join(repository, 'bin/program.cjs'))});
    const load = (part) => compileProgram(require('node:path').join(${JSON.stringify(repository)}, 'dist', part)).exports;
    const [whole, part] = [load('app.cjs'), load('help.cjs')];
    const said = [];
    process.stdout.write = (text) => said.push(text);
    process.stdout.setMaxListeners(0);
    process.stderr.setMaxListeners(0);
    (async () => {
      for (const argv of ${JSON.stringify([['--version'], ['--help'], ...commands.map((name) => [name, '--help'])])}) {
        const codes = [await whole.main(argv, ''), await part.main(argv, '')];
        const [first, second] = [said.slice(0, said.length / 2), said.slice(said.length / 2)].map(String);
        if (first === '' || first !== second || codes.some((code) => code !== 0)) process.exit(1);
        said.length = 0;
      }
    })();`;
  execFileSync(process.execPath, ['-e', inOneProcess]);
});

it.each(Object.entries(bin))('a checkout starts as `%s`', (name, file) => {
  const help = execFileSync(join(repository, file), ['--help'], { encoding: 'utf8' });
  expect(help).toMatch(new RegExp(`^Usage: ${name} `));
});
