import fc from '../../support/fast-check.ts';
import { expect, it } from 'vitest';
import { expectMasked, secret } from './secret-documents.ts';
import { played } from './said.ts';
import type { Outcome } from '../../../src/providers/provider.ts';

/*
 * Any secret in anything that an agent says or hands over: no document of the mail changes its shape, and no strong secret is
 * anywhere below the project, or in what the trail commits, but in the files that the agent has written itself.
 */

it('a secret changes no document of the mail and leaks into none', () => {
  const said = fc.record({
    before: fc.string(),
    after: fc.string(),
    ends: fc.constantFrom<Outcome['is']>('done', 'done', 'done', 'later', 'never'),
    isWrong: fc.boolean(),
    isOwn: fc.boolean(),
  });
  let turns = 0;
  let commits = 0;
  const property = fc.property(
    fc.array(secret, { minLength: 1, maxLength: 3 }),
    said,
    (secrets, { before, after, ...rest }) => {
      const text = secrets.map((each) => `${before}${each}${after}`).join(' and ');
      const given = { ...rest, text, subject: text };
      const plain = played([], given);
      expectMasked(secrets, played(secrets, given), plain);
      commits += [...plain.keys()].filter((path) => path.startsWith('commit ')).length;
      turns += [...plain.keys()].filter((path) => path.includes('/result')).length;
    },
  );
  fc.assert(property, { numRuns: 100 });
  expect(turns).toBeGreaterThan(100);
  expect(commits).toBeGreaterThan(100);
});

it.each([
  { isWrong: false, isOwn: false },
  { isWrong: true, isOwn: false },
  { isWrong: true, isOwn: true },
])('a secret in the name of a file is in no document: %j', (how) => {
  const name = 'secret-in-a-name';
  const said = { text: 'Done.', subject: 'done', ends: 'done', name, ...how } as const;
  const files = [...played([name], said)].filter(([, text]) => text.includes(name));
  expect(files.map(([path]) => path)).toEqual([]);
});
