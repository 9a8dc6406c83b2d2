import { readFileSync } from 'node:fs';
import { format, resolveConfig } from 'prettier';
import { expect, it, test } from 'vitest';
import { keyPage, keyPages } from '../../scripts/keys.ts';
import { jsonSchemas } from '../../src/project/definition/json-schemas.ts';

test.each([...keyPages(jsonSchemas())])('%s is current (else: npm run schemas)', async (path, text) => {
  const place = new URL(`../../${path}`, import.meta.url);
  const current = await format(text, { ...(await resolveConfig(place)), parser: 'markdown' });
  expect(readFileSync(place, 'utf8')).toBe(current);
});

/** The cells of the rows of a page, by its headings. */
function tablesOf(page: string): Record<string, string[][]> {
  const sections = page.split(/^## /m).slice(1);
  return Object.fromEntries(
    sections.map((section) => {
      const [heading = '', ...lines] = section.split('\n');
      const rows = lines.filter((line) => line.startsWith('| `'));
      return [heading, rows.map((row) => row.split(' | ').map((cell) => cell.replaceAll(/^\| | \|$/g, '')))];
    }),
  );
}

it('says of each key what it may hold and whether it must be there', () => {
  const page = keyPage('Keys', {
    properties: {
      a: { type: 'integer', minimum: 1, description: 'A number.' },
      b: { enum: ['x', 'y'], description: 'One | other.' },
      c: {
        anyOf: [
          { type: 'string' },
          { type: 'array', items: { type: 'number', exclusiveMinimum: 0, maximum: 1 } },
        ],
      },
      d: { type: ['string', 'boolean'] },
      e: {},
    },
    required: ['a'],
  });
  expect(tablesOf(page)).toEqual({
    'The file': [
      ['`a`', 'integer from 1', 'yes', 'A number.'],
      ['`b`', '`x`, `y`', '', 'One \\| other.'],
      ['`c`', 'string or list of: number above 0 to 1', '', ''],
      ['`d`', 'string or boolean', '', ''],
      ['`e`', 'any value', '', ''],
    ],
  });
});

it('gives each mapping a section, equal ones the same, and two forms of a key two', () => {
  const budget = { type: 'object', properties: { usd: { type: 'number' } } };
  const page = keyPage('Keys', {
    properties: {
      roles: { type: 'object', additionalProperties: { type: 'object', properties: { budget } } },
      limits: budget,
      gate: {
        anyOf: [
          { type: 'object', properties: { run: { const: 'npm' } } },
          { type: 'object', properties: { all: { $ref: '#/$defs/any' } } },
        ],
      },
    },
    $defs: { any: { type: 'boolean' } },
  });
  expect(tablesOf(page)).toEqual({
    'The file': [
      ['`roles`', 'names, each: [roles.NAME](#rolesname)', '', ''],
      ['`limits`', '[limits](#limits)', '', ''],
      ['`gate`', '[gate](#gate) or [gate, form 2](#gate-form-2)', '', ''],
    ],
    'roles.NAME': [['`budget`', '[limits](#limits)', '', '']],
    limits: [['`usd`', 'number', '', '']],
    gate: [['`run`', '`npm`', '', '']],
    'gate, form 2': [['`all`', 'boolean', '', '']],
  });
});
