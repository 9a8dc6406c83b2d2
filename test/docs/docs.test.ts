import { describe, expect, it } from 'vitest';
import { readTree } from '../architecture/tree.ts';
import { checkout, findDeadLinks, reachablePages, type Place } from './markdown.ts';
import { comparisons, findMissingNames } from './names.ts';

function placeOf(files: Readonly<Record<string, string>>): Place {
  return { exists: (path) => path in files, read: (path) => files[path] ?? '' };
}

describe('the documentation', () => {
  const pages = [...readTree(['.'], ['.md']).keys()];

  it('is there', () => {
    expect(pages).toContain('CHANGELOG.md');
  });

  it('has no link that leads nowhere', () => {
    expect(pages.flatMap((page) => findDeadLinks(page, checkout))).toEqual([]);
  });

  it('has no page that one does not come to from the README, or as a contributor', () => {
    const reached = new Set(
      ['README.md', 'CONTRIBUTING.md'].flatMap((page) => [...reachablePages(page, checkout)]),
    );
    expect(pages.filter((page) => page.startsWith('docs/') && !reached.has(page))).toEqual([]);
  });

  it('leads from the README to at most fourteen further pages', () => {
    const section = checkout.read('README.md').split('## Where next')[1] ?? '';
    expect(section.match(/\]\(/g)?.length).toBeLessThanOrEqual(14);
  });

  it.each(comparisons)('names the same $what as the code', (names) => {
    expect(findMissingNames(names, checkout)).toEqual([]);
  });
});

describe('the link check', () => {
  it('finds files, headings and references that do not exist', () => {
    const page = [
      '[a](gone.md) and ![b](<docs/gone.png>)',
      '[c](#gone)',
      '[d](b.md#gone)',
      '[e]: ../out.md',
    ].join('\n');
    const place = placeOf({ 'a.md': page, 'b.md': '# B\n', '../out.md': '' });
    expect(findDeadLinks('a.md', place)).toEqual([
      'a.md:1 gone.md',
      'a.md:1 docs/gone.png',
      'a.md:2 #gone',
      'a.md:3 b.md#gone',
      'a.md:4 ../out.md',
    ]);
  });

  it('accepts what exists, other sites and what is only code', () => {
    const page = [
      '# A `title`, twice',
      '# A `title`, twice',
      '[a](#a-title-twice-1) [b](docs/b.md "B") [c](docs/) [d](https://example.com/gone.md)',
      '`[e](gone.md)`',
      '```md',
      '[f](gone.md)',
      '```',
    ].join('\n');
    expect(findDeadLinks('a.md', placeOf({ 'a.md': page, 'docs/b.md': '', 'docs/': '' }))).toEqual([]);
  });
});

it('a page is reached by links of pages that are, and by no other way', () => {
  const place = placeOf({
    'a.md': '[b](docs/b.md#x)',
    'docs/b.md': '[c](c.md) `[d](d.md)`',
    'docs/c.md': '',
    'docs/d.md': '',
  });
  expect([...reachablePages('a.md', place)]).toEqual(['a.md', 'docs/b.md', 'docs/c.md']);
});

describe('the comparison of names', () => {
  const names = {
    what: 'codes',
    code: 'code.ts',
    page: 'page.md',
    inCode: /'(E_[A-Z]+)'/g,
    onPage: /E_[A-Z]+/g,
  };

  it('says what either side lacks', () => {
    const place = placeOf({ 'code.ts': `'E_BOTH', 'E_CODE'`, 'page.md': 'E_BOTH E_PAGE' });
    expect(findMissingNames(names, place)).toEqual(['E_CODE is not in page.md', 'E_PAGE is not in code.ts']);
  });

  it('says nothing until there are two sides', () => {
    expect(findMissingNames(names, placeOf({ 'code.ts': `'E_CODE'` }))).toEqual([]);
  });
});
