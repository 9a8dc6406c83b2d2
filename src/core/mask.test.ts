import { expect, it } from 'vitest';
import { maskJson } from './mask.ts';

it('masks every text of a value, names too', () => {
  const mask = (text: string): string => text.replaceAll('hush', '***');
  const value = { hush: ['a hush', 1, null, { deep: 'hush' }], __proto__x: true };
  expect(maskJson(value, mask)).toEqual({ '***': ['a ***', 1, null, { deep: '***' }], __proto__x: true });
});
