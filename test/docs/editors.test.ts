import { parse as parseToml } from 'smol-toml';
import { expect, it } from 'vitest';
import { languages } from '../../src/languages/languages.ts';
import { blocks, pages } from './blocks.ts';

const configurations = blocks.filter(
  ({ page, info }) => page === 'docs/editors.md' && /^(json|toml)$/.test(info),
);

it.each(configurations)('docs/editors.md:$line starts `mailroom lsp`', ({ info, text }) => {
  const words = JSON.stringify(info === 'toml' ? parseToml(text) : JSON.parse(text));
  expect(words).toMatch(/"mailroom","[\w.]+":\["lsp"\]/);
});

it('docs/editors.md names the schema of every language', () => {
  const page = pages.get('docs/editors.md') ?? '';
  const files = languages.flatMap(({ schemaFile }) => schemaFile ?? []);
  expect(files.filter((file) => !page.includes(`../schemas/${file}`))).toEqual([]);
});
