import { describe, expect, it } from 'vitest';
import { createTail } from '../../../src/process/output/capture.ts';

describe('tail', () => {
  it('holds everything below its limit', () => {
    const tail = createTail(10);
    tail.push(Buffer.from('abc'));
    tail.push(Buffer.from('def'));
    expect(tail.text()).toBe('abcdef');
  });

  it('is empty at first', () => {
    expect(createTail(10).text()).toBe('');
  });

  it('holds the end, however it came', () => {
    const text = Array.from({ length: 5000 }, (_, i) => `${i},`).join('');
    for (const step of [1, 7, 99, 100, 101, 333, 5000]) {
      const tail = createTail(100);
      for (let at = 0; at < text.length; at += step) tail.push(Buffer.from(text.slice(at, at + step)));
      expect(tail.text()).toBe(text.slice(-100));
    }
  });

  it('leaves out a character that was cut in two', () => {
    const tail = createTail(4);
    tail.push(Buffer.from('aäöü'));
    expect(tail.text()).toBe('öü');
    tail.push(Buffer.from('x'));
    expect(tail.text()).toBe('üx');
  });
});
