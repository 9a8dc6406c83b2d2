import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';

/** What a browser loads before it shows anything, in bytes as they are sent. */
const most = 60 * 1024;

it('is a page of at most 60 KB, and names files by their content', async () => {
  const script = new URL('../../scripts/build.mjs', import.meta.url).href;
  const { ensureBuilt } = (await import(script)) as { ensureBuilt: () => Promise<string> };
  const folder = join(dirname(await ensureBuilt()), 'web');
  const html = readFileSync(join(folder, 'index.html'), 'utf8');
  const named = readdirSync(folder).filter((name) => html.includes(name));
  expect(named.map((name) => name.replace(/-[A-Z\d]{8}\./, '.')).toSorted()).toEqual([
    'page.js',
    'style.css',
  ]);
  const bytes = [...named, 'index.html'].map((name) => gzipSync(readFileSync(join(folder, name))).length);
  expect(bytes.reduce((sum, each) => sum + each, 0)).toBeLessThan(most);
});
