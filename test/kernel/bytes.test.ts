import { expect, it } from 'vitest';
import { bytesInWords } from '../../src/kernel/bytes.ts';

it.each([
  [0, '0 bytes'],
  [1023, '1023 bytes'],
  [1024, '1 KiB'],
  [1025, '1.1 KiB'],
  [1024 * 1024, '1 MiB'],
  [4 * 1024 * 1024 + 1, '4.1 MiB'],
  [1024 ** 3, '1 GiB'],
])('%i bytes are %s', (bytes, words) => {
  expect(bytesInWords(bytes)).toBe(words);
});
