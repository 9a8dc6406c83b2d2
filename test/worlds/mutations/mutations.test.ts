import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { mutations } from './list.ts';
import { mutated } from './mutation.ts';

const root = join(import.meta.dirname, '../../..');

it.each(mutations.map((mutation) => [mutation.mechanism, mutation] as const))(
  'the mutation fits the program: %s',
  (_, mutation) => {
    const text = readFileSync(join(root, 'src', mutation.file), 'utf8');
    expect(mutated(text, mutation)).not.toBe(text);
    expect(mutation.seenBy.filter((file) => !existsSync(join(root, file)))).toEqual([]);
    // `npm test` alone must see it.
    expect(mutation.seenBy.filter((file) => file.includes('.long.'))).toEqual([]);
  },
);

it('are not the same twice', () => {
  const changes = mutations.map(({ file, from, to }) => [file, from, to].join('\0'));
  expect(new Set(changes).size).toBe(changes.length);
});
