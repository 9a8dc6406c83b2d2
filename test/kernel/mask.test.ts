import { expect, it } from 'vitest';
import { maskJson, maskReport, maskValues, strongMask, weakness, type Mask } from '../../src/kernel/mask.ts';

const name = (text: string): string => text.replaceAll('hush-hush', '***');
const mask: Mask = { name, text: (text) => name(text).replaceAll(/\bon\b/g, '***') };

it('masks the texts of a value, keeps its shape and its numbers, and leaves weak secrets in its keys', () => {
  const value = { 'hush-hush': ['it is on', 1, null, { on: 'hush-hush' }], on: true };
  expect(maskJson(value, mask)).toEqual({ '***': ['it is ***', 1, null, { on: '***' }], on: true });
});

it('leaves alone the names of properties that are our own', () => {
  expect(maskValues({ 'hush-hush': { 'hush-hush': 'on' } }, mask)).toEqual({ 'hush-hush': { '***': '***' } });
});

it('leaves weak secrets in everything where it is asked to', () => {
  expect(maskJson({ on: 'on, hush-hush' }, strongMask(mask))).toEqual({ on: 'on, ***' });
});

it('takes strong secrets out of the strings of a report, which stays what it is', () => {
  const digits: Mask = { name: (text) => text.replaceAll('123456', '***'), text: (text) => text };
  expect(maskReport('{"n":123456,"s":"a 123456"}\n{"on": 1}\nplain 123456\n', digits)).toBe(
    '{"n":123456,"s":"a ***"}\n{"on": 1}\nplain ***\n',
  );
  expect(maskReport('{\n  "n": 123456, "s": "123456"\n}', digits)).toBe('{"n":123456,"s":"***"}');
  const lines: Mask = { name: (text) => text.replaceAll('key\nend', '***'), text: (text) => text };
  expect(maskReport('{"a":1}\nkey\nend\n{"b":"key\\nend"}', lines)).toBe('{"a":1}\n***\n{"b":"key\\nend"}');
});

it('calls short secrets and common words weak', () => {
  expect(weakness('abcde')).toBe('has fewer than 6 characters');
  expect(weakness('Output')).toBe('is a common word');
  expect(weakness('succeeded')).toBe('is a common word');
  expect(weakness('hunter-two')).toBeNull();
});
