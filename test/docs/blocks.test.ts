import { expect, it } from 'vitest';
import { blocks, blocksOf } from './blocks.ts';
import { held, unusedRows } from './run-blocks.ts';

it('every block of the pages is held by a test that reads its page, or says why not', () => {
  expect(blocks.length).toBeGreaterThan(200);
  const open = held.filter(({ by }) => by === null);
  expect(open.map(({ block }) => `${block.page}:${String(block.line)} ${block.info}`)).toEqual([]);
  expect(unusedRows()).toEqual([]);
});

it('a block is found with its line, indented or around another one', () => {
  const page =
    '# A\n\n1. B:\n\n   ```yaml\n   # a.yaml\n   b: 1\n   ```\n\n## C\n\n````text\n```sh\nd\n```\n````\n';
  expect(blocksOf('a.md', page)).toEqual([
    { page: 'a.md', line: 5, info: 'yaml', text: '# a.yaml\nb: 1\n', file: 'a.yaml', section: 1 },
    { page: 'a.md', line: 12, info: 'text', text: '```sh\nd\n```\n', file: null, section: 2 },
  ]);
});
