import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8');
const rows = [...read('README.md').matchAll(/^\| (.*?) +\| \[[^\]]+\]\((\S+)\) +\| `(.+)` +\|$/gm)].map(
  ([, name = '', file = '', words = '']) => ({ name, file, words }),
);

describe('the table of named cases', () => {
  it('has them all', () => {
    expect(rows).toHaveLength(33);
  });

  it.each(rows)('$name: $file says so', ({ file, words }) => {
    expect(read(file)).toContain(words);
  });
});
