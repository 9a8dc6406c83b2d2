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

/** The checkout without the folders of an extension, and without its lines in the list. */
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
  const list = join(copy, 'src/extensions/list.ts');
  const text = readFileSync(list, 'utf8');
  const shorter = text
    .replace(new RegExp(`^import .*'\\./${name}/index\\.ts';\n`, 'm'), '')
    .replace(new RegExp(`(?<=\\[.*)\\b${name}\\b,? ?`), '');
  expect(shorter.length).toBeLessThan(text.length);
  writeFileSync(list, shorter);
  return copy;
}

describe.each(extensions)('without the extension %s', (name) => {
  it('the program is whole, and its tests pass', async () => {
    const cwd = without(name);
    await expect(run('npx', ['tsc', '--noEmit'], { cwd })).resolves.toMatchObject({ stderr: '' });
    const env = { ...process.env, TESTS: '' };
    const tests = ['test/cli/main.test.ts', 'test/cli/up.test.ts', 'test/mail/controller', 'test/up'];
    await expect(run('npx', ['vitest', 'run', ...tests], { cwd, env })).resolves.toBeDefined();
  });
});
