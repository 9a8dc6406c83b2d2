import { expect, test } from 'vitest';
import fc from '../../support/fast-check.ts';
import { maskOf, secretFinder } from '../../../src/process/output/mask.ts';

test('finds what a masker replaces', () => {
  const secrets = ['hunter2hunter2', 'hunter2hunter3hunter2', 'abc', 'one-two\nthree-four'];
  const words = fc.constantFrom(...secrets, 'hunter', '2', ' ', 'abcd', '\n', 'é', btoa(secrets[0]!));
  const find = secretFinder(secrets);
  fc.assert(
    fc.property(fc.array(words, { maxLength: 12 }), (parts) => {
      const bytes = Buffer.from(parts.join(''));
      let [shown, at] = ['', 0];
      for (const [start, end] of find(bytes)) {
        shown += `${bytes.toString('utf8', at, start)}***`;
        at = end;
      }
      expect(shown + bytes.toString('utf8', at)).toBe(maskOf(secrets).text(bytes.toString()));
    }),
  );
});
