import { execFile } from 'node:child_process';
import {
  cpSync,
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
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { importsOf } from './imports.ts';
import { parse, readTree } from './tree.ts';

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

describe('the folders of extensions', () => {
  // With the next test this holds for each of them alone: what is left imports none that is gone.
  it('do not import one another', () => {
    const files = readTree(['src/extensions', 'test/extensions'], ['.ts', '.tsx']);
    const folderOf = (path: string) => /^(?:src|test)\/extensions\/([^/]+)\//.exec(path)?.[1];
    const across = [...files].flatMap(([path, text]) => {
      const own = folderOf(path);
      if (own === undefined) return [];
      const of = importsOf(parse(path, text)).filter(({ target }) => (folderOf(target) ?? own) !== own);
      return of.map(({ line, target }) => `${path}:${String(line)} imports ${target}`);
    });
    expect(across).toEqual([]);
  });

  it('can all be deleted, and the tests of what shows them pass', async () => {
    extensions.forEach(remove);
    for (const part of ['.', 'src/web'])
      await expect(run('npx', ['tsc', '-p', part], { cwd: copy })).resolves.toMatchObject({ stderr: '' });
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
  }, 900_000);
});
