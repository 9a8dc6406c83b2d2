import { expect, it } from 'vitest';
import { fileName } from './message.ts';

it.each([
  ['2026-11-21T20:45:12.345Z', '20261121T204512345Z-task-abcdef.md'],
  ['+010000-01-01T00:00:00.000Z', '+0100000101T000000000Z-task-abcdef.md'],
])('names a message of %s', (created, name) => {
  expect(fileName({ created: Date.parse(created), type: 'task', id: 'some-abcdef' })).toBe(name);
});
