import { execFile } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';

const checkout = fileURLToPath(new URL('../..', import.meta.url));
const extensions = readdirSync(join(checkout, 'src/extensions'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);
const run = promisify(execFile);

let copy = '';

beforeAll(() => {
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
  for (const path of [...needed, 'package.json', 'tsconfig.json', 'vitest.config.ts'])
    cpSync(join(checkout, path), join(copy, path), {
      recursive: true,
      filter: (source) => !source.includes('/real-clis/node_modules'),
    });
  // Not that of the checkout: the compiler keeps there what it has read.
  mkdirSync(join(copy, 'node_modules'));
  for (const name of readdirSync(join(checkout, 'node_modules')))
    if (name !== '.cache')
      symlinkSync(join(checkout, 'node_modules', name), join(copy, 'node_modules', name));
});

afterAll(() => rmSync(copy, { recursive: true, force: true }));

const lists = ['list.ts', 'page.ts', 'page.css'];
const foldersOf = (name: string) => [`src/extensions/${name}`, `test/extensions/${name}`];

/** Takes the folders of an extension out of the copy, and its lines out of the lists. */
function remove(name: string): void {
  for (const path of foldersOf(name)) rmSync(join(copy, path), { recursive: true, force: true });
  expect(lists.filter((list) => forget(list, name))).toContain('list.ts');
}

function restore(name: string): void {
  for (const path of [...foldersOf(name), ...lists.map((list) => `src/extensions/${list}`)])
    if (existsSync(join(checkout, path))) cpSync(join(checkout, path), join(copy, path), { recursive: true });
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

/** The program has the right types, and the page where a part of it may be gone. */
async function expectTypes(parts: readonly string[]): Promise<void> {
  for (const part of parts)
    await expect(run('npx', ['tsc', '-p', part], { cwd: copy })).resolves.toMatchObject({ stderr: '' });
}

describe('the folders of extensions', () => {
  afterEach(() => extensions.forEach(restore));

  it.each(extensions)('can be deleted: %s', async (name) => {
    remove(name);
    const hasPage = existsSync(join(checkout, 'src/extensions', name, 'page'));
    await expectTypes(hasPage ? ['.', 'src/web'] : ['.']);
  });

  // Together, as each of them alone would take a minute.
  it('can all be deleted, and the tests of what shows them pass', async () => {
    extensions.forEach(remove);
    await expectTypes(['.', 'src/web']);
    const env = { ...process.env, TESTS: '' };
    const tests = [
      'test/cli/main.test.ts',
      'test/mail/controller/workers.test.ts',
      'test/server/http/openapi.test.ts',
      'test/server/http/documents.test.ts',
      'test/up',
      'test/web',
    ];
    await expect(run('npx', ['vitest', 'run', ...tests], { cwd: copy, env })).resolves.toBeDefined();
  });
});
