import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, describe, expect, it } from 'vitest';

const checkout = fileURLToPath(new URL('../..', import.meta.url));
const extensions = readdirSync(join(checkout, 'src/extensions'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);
const run = promisify(execFile);

let copy = '';

afterEach(() => rmSync(copy, { recursive: true, force: true }));

/** The checkout without the folders of an extension, and without its lines in the lists. */
function without(name: string): string {
  copy = mkdtempSync(join(tmpdir(), 'mailroom-without-'));
  const needed = [
    'bin',
    'bench',
    'schemas',
    'scripts',
    'src',
    'test',
    'templates',
    'docs',
    'site/.vitepress',
  ];
  const left = ['node_modules', `src/extensions/${name}`, `test/extensions/${name}`].map((path) =>
    join(checkout, path),
  );
  for (const path of [...needed, 'package.json', 'tsconfig.json', 'vitest.config.ts'])
    cpSync(join(checkout, path), join(copy, path), {
      recursive: true,
      filter: (source) => !left.includes(source) && !source.includes('/real-clis/node_modules'),
    });
  symlinkSync(join(checkout, 'node_modules'), join(copy, 'node_modules'));
  expect(['list.ts', 'page.ts', 'page.css'].filter((list) => forget(list, name))).toContain('list.ts');
  return copy;
}

/** Takes an extension out of a list of them. Returns whether it was in it. */
function forget(list: string, name: string): boolean {
  const path = join(copy, 'src/extensions', list);
  const text = readFileSync(path, 'utf8');
  const shorter = text
    .replace(new RegExp(`^@?import .*'\\./${name}/.*';\n`, 'm'), '')
    .replace(new RegExp(`(?<=\\[[^\\]]*)\\b${name}\\b,?\\s*`), '');
  writeFileSync(path, shorter);
  return shorter !== text;
}

describe.each(extensions)('without the extension %s', (name) => {
  it('the program is whole, and its tests pass', async () => {
    const cwd = without(name);
    for (const part of ['.', 'src/web'])
      await expect(run('npx', ['tsc', '--noEmit', '-p', part], { cwd })).resolves.toMatchObject({
        stderr: '',
      });
    const env = { ...process.env, TESTS: '' };
    const tests = [
      'test/cli/main.test.ts',
      'test/cli/up.test.ts',
      'test/mail/controller',
      'test/server',
      'test/up',
      'test/web',
    ];
    await expect(run('npx', ['vitest', 'run', ...tests], { cwd, env })).resolves.toBeDefined();
  });
});
