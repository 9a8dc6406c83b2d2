import { expect, it } from 'vitest';
import { afterAct } from '../../../../src/extensions/composer/page/after.ts';
import type { Act } from '../../../../src/extensions/composer/graph/documents.ts';
import type { Draft } from '../../../../src/extensions/composer/documents.ts';

const draft = (...names: string[]) => ({ steps: names.map((id) => ({ id })) }) as unknown as Draft;
const before = draft('a', 'b', 'c');

it.each<[Act, Draft, string[], ReturnType<typeof afterAct>]>([
  [
    { do: 'add', kind: 'agent' },
    draft('a', 'b', 'c', 'd'),
    ['a'],
    { chosen: ['d'], focused: 'd', revealed: 'd' },
  ],
  [{ do: 'connect', from: 'a', to: 'c' }, before, ['a'], { chosen: ['c'], focused: 'c', revealed: 'c' }],
  [
    { do: 'rename', step: 'b', name: 'z' },
    draft('a', 'z', 'c'),
    ['b'],
    { chosen: ['z'], focused: null, revealed: 'z' },
  ],
  // What stands where a removed step stood, else the last one.
  [{ do: 'remove', steps: ['a'] }, draft('b', 'c'), ['a'], { chosen: [], focused: 'b', revealed: null }],
  [{ do: 'remove', steps: ['c'] }, draft('a', 'b'), ['c'], { chosen: [], focused: 'b', revealed: null }],
  [
    { do: 'set', path: ['steps', 'a', 'timeout'], value: '1m' },
    before,
    ['a'],
    { chosen: ['a'], focused: null, revealed: null },
  ],
])('after %j', (act, after, chosen, wanted) => {
  expect(afterAct(act, before, after, chosen)).toEqual(wanted);
});
