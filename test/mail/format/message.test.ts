import { expect, it } from 'vitest';
import fc from '../../support/fast-check.ts';
import { fileName, idInName } from '../../../src/mail/format/message.ts';

const id = '019f2c4b-7d3e-7a51-9c08-5b1e8d0f6a27';

it.each([
  ['2026-11-21T20:45:12.345Z', '20261121T204512345Z-task-019f2c4b-7d3e-7a51-9c08-5b1e8d0f6a27.md'],
  ['+010000-01-01T00:00:00.000Z', '+0100000101T000000000Z-task-019f2c4b-7d3e-7a51-9c08-5b1e8d0f6a27.md'],
])('names a message of %s', (created, name) => {
  expect(fileName({ created: Date.parse(created), type: 'task', id })).toBe(name);
  expect(idInName(name)).toBe(id);
});

it.each(['json-flag.md', `20261121T204512345Z-task-${id.slice(-6)}.md`, `20261121T204512345Z-task-${id}`])(
  'finds no id in %s',
  (name) => expect(idInName(name)).toBeNull(),
);

it('names no two messages alike, whatever their ids share', () => {
  const created = fc.integer({ min: 0, max: 2 ** 47 });
  const type = fc.stringMatching(/^[a-z][a-z0-9-]{0,9}$/);
  // Ids that differ in a few letters only, anywhere.
  const ids = fc.uuid({ version: 7 }).chain((first) => {
    const near = fc.nat({ max: 35 }).map((at) => {
      const other = first[at] === '0' ? '1' : '0';
      return first[at] === '-' ? first : `${first.slice(0, at)}${other}${first.slice(at + 1)}`;
    });
    return fc.tuple(fc.constant(first), near);
  });
  fc.assert(
    fc.property(ids, created, created, type, type, ([a, b], at, later, one, other) => {
      const names = [
        fileName({ id: a, created: at, type: one }),
        fileName({ id: b, created: later, type: other }),
      ];
      expect(names.map(idInName)).toEqual([a, b]);
      expect(names[0] === names[1]).toBe(a === b && at === later && one === other);
    }),
  );
});
