import { existsSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { contents } from '../../site/.vitepress/contents.ts';

const repository = new URL('../../', import.meta.url);

it('the sidebar of the site has the headings and pages of the table of pages', () => {
  const index = [
    '| page             | question |',
    '| ---------------- | -------- |',
    '| **Learn**        |          |',
    '| [First](a.md)    | a page   |',
    '| **Do**           |          |',
    '| [Second](c/b.md) | another  |',
  ].join('\n');
  expect(contents(index)).toEqual([
    { text: 'Learn', items: [{ text: 'First', link: '/docs/a' }] },
    { text: 'Do', items: [{ text: 'Second', link: '/docs/c/b' }] },
  ]);
});

it('leads from the sidebar to pages alone', () => {
  const groups = contents(readFileSync(new URL('docs/README.md', repository), 'utf8'));
  const pages = groups.flatMap(({ items }) => items.map(({ link }) => `${link.slice(1)}.md`));
  expect(groups.map(({ text }) => text)).toContain('Look up');
  expect(pages.filter((page) => !existsSync(new URL(page, repository)))).toEqual([]);
  expect(pages.length).toBeGreaterThan(20);
});
