import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { brotliDecompressSync, gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';

/** What a browser loads before it shows anything, and all that it can load, in bytes as they are sent. */
const most = { first: 77_000, all: 253_000 };

/** The files of the page by name. */
async function files(): Promise<Map<string, string>> {
  const script = new URL('../../scripts/build.mjs', import.meta.url).href;
  const { ensureBuilt } = (await import(script)) as { ensureBuilt: () => Promise<string> };
  const bytes = readFileSync(join(dirname(await ensureBuilt()), 'web.json.br'));
  return new Map(
    Object.entries(JSON.parse(brotliDecompressSync(bytes).toString()) as Record<string, string>),
  );
}

/** A file with those that it names; `deferred`: also those that it loads later. */
function withNamed(all: ReadonlyMap<string, string>, name: string, deferred: boolean): Set<string> {
  const found = new Set<string>();
  const add = (each: string): void => {
    if (found.has(each)) return;
    found.add(each);
    const text = all.get(each) ?? '';
    const read = deferred ? text : text.replaceAll(/import\("[^"]*"\)/g, '');
    for (const other of all.keys()) if (read.includes(other)) add(other);
  };
  add(name);
  return found;
}

function sizeOf(all: ReadonlyMap<string, string>, names: Iterable<string>): number {
  return [...names].reduce((sum, name) => sum + gzipSync(all.get(name) ?? '').length, 0);
}

const plain = (names: Iterable<string>) =>
  [...new Set([...names].map((name) => name.replace(/-[A-Z\d]{8}\./, '.')))].toSorted();

it('is a page of at most 77 kB, and names files by their content', async () => {
  const all = await files();
  const first = withNamed(all, 'index.html', false);
  expect(plain(first)).toEqual(['chunk.js', 'index.html', 'page.js', 'style.css']);
  expect(sizeOf(all, first)).toBeLessThan(most.first);
});

it('has at most 253 kB with the composer, which is loaded when it opens', async () => {
  const all = await files();
  const whole = withNamed(all, 'index.html', true);
  expect(plain(whole)).toContain('composer.js');
  expect(sizeOf(all, whole)).toBeLessThan(most.all);
});
