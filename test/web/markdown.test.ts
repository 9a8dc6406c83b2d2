import process from 'node:process';
import { expect, test } from 'vitest';
import { targetOf } from '../../src/web/links.ts';
import { treeOf } from '../../src/web/markdown-tree.ts';

test('only addresses of the web and of mail are links', () => {
  expect(targetOf('https://example.com/a?b')?.href).toBe('https://example.com/a?b');
  expect(targetOf('mailto:ada@example.com')?.href).toBe('mailto:ada@example.com');
  // What looks like a name is shown as what it is.
  expect(targetOf('https://ex\u0430mple.com/')?.href).toBe('https://xn--exmple-4nf.com/');
  for (const url of [
    'javascript:alert(1)',
    'JaVaScRiPt:alert(1)',
    ' javascript:alert(1)',
    'java\nscript:alert(1)',
    'data:text/html,<script>alert(1)</script>',
    'vbscript:x',
    'file:///etc/passwd',
    '//example.com',
    '/api/v1/status',
    '#/runs',
    'https:example.com',
    'https://',
  ])
    expect([url, targetOf(url)]).toEqual([url, null]);
});

test('a text without signs has no tree', () => {
  expect(treeOf('Only words.\n\nAnd more.')).toBeNull();
  expect(treeOf('**Words**')?.children[0]?.type).toBe('paragraph');
});

test.each([
  ['quotes in quotes', '>'.repeat(50_000)],
  ['quotes on every line', `${'> '.repeat(2_000)}x\n`.repeat(25)],
  ['seven quotes on every line', `${'> '.repeat(7)}x\n`.repeat(4_000)],
  ['links', '[a]('.repeat(20_000)],
  ['lists in lists', `${'- '.repeat(5_000)}x`],
  ['brackets', '['.repeat(50_000)],
  ['stars', '**a '.repeat(12_000)],
  ['underscores', '_a_'.repeat(16_000)],
  ['ticks', Array.from({ length: 300 }, (_, index) => '`'.repeat(index)).join(' ')],
  ['a wide table', `|${'a|'.repeat(5_000)}\n|${'-|'.repeat(5_000)}\n`],
  ['a long table', `|a|b|\n|-|-|\n${'|1|2|\n'.repeat(8_000)}`],
  [
    'references',
    Array.from({ length: 3_000 }, (_, i) => `[r${String(i)}]: https://a.b/\n[r${String(i)}]`).join('\n'),
  ],
  ['entities', '&amp;&#x202e;&Aacute;'.repeat(4_000)],
  ['autolinks', 'https://a.b/c www.a.b a@b.c '.repeat(3_000)],
])('%s take seconds of the processor at most', (_, text) => {
  const start = process.cpuUsage();
  treeOf(text.slice(0, 30_000));
  expect(process.cpuUsage(start).user).toBeLessThan(8_000_000);
});
