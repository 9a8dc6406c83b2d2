import { execFile } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const repository = fileURLToPath(new URL('../..', import.meta.url));
let checkout: string;

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the launcher of the small checkout. */
function launch(...argv: string[]): Promise<Ended> {
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [join(checkout, 'bin/mailroom'), ...argv],
      (_, stdout, stderr) => {
        resolve({ code: child.exitCode ?? -1, stdout, stderr });
      },
    );
  });
}

function writeProgram(text: string): void {
  writeFileSync(join(checkout, 'src/app.ts'), text);
}

function programThatSays(word: string): string {
  return `export async function main(argv: string[]) { console.log('${word}', ...argv); return 7; }`;
}

beforeEach(() => {
  checkout = mkdtempSync(join(tmpdir(), 'mailroom-launcher-'));
  mkdirSync(join(checkout, 'src'));
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
    expect(await launch('a', 'b')).toEqual({ code: 7, stdout: 'first a b\n', stderr: '' });
  });

  it('builds again when a source is newer, and only then', async () => {
    writeProgram(programThatSays('first'));
    await launch();
    const built = join(checkout, 'dist/app.js');
    writeFileSync(built, programThatSays('untouched').replace(': string[]', ''));
    expect((await launch()).stdout).toBe('untouched\n');
    writeProgram(programThatSays('second'));
    const later = Date.now() / 1000 + 60;
    utimesSync(join(checkout, 'src/app.ts'), later, later);
    expect((await launch()).stdout).toBe('second\n');
  });

  it('lets several processes build at once and leaves nothing behind', async () => {
    writeProgram(programThatSays('first'));
    const ended = await Promise.all(Array.from({ length: 4 }, () => launch()));
    expect(ended.map(({ stdout }) => stdout)).toEqual(Array(4).fill('first\n'));
    expect(readdirSync(join(checkout, 'dist')).toSorted()).toEqual(['app.js', 'app.js.map']);
  });

  it('says what is wrong with sources that cannot be built', async () => {
    writeProgram('export const = 1;');
    const { code, stderr } = await launch();
    expect(code).toBe(1);
    expect(stderr).toContain('mailroom: its sources could not be built');
    expect(stderr).toContain('src/app.ts:1:13');
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
    writeFileSync(
      join(checkout, 'dist/app.js'),
      `export const main = async () => { console.log('published'); return 0; };`,
    );
    expect(await launch()).toEqual({ code: 0, stdout: 'published\n', stderr: '' });
  });
});
