import { expect, it } from 'vitest';
import { languages } from '../../src/languages/languages.ts';
import { tasks } from '../languages/tasks/read.ts';
import { importsOf } from './imports.ts';
import { languageRooms, roomOf } from './rooms.ts';
import { parse, readTree } from './tree.ts';

/** Who outside of languages/ knows the folder of a language; docs/contributing/architecture.md says why. */
const known = ['editing languages/swdl', 'project/definition languages/swdl'];

it('are described in docs/contributing/architecture.md by what they bring', () => {
  const page = readTree(['docs'], ['architecture.md']).get('docs/contributing/architecture.md') ?? '';
  const section = page.slice(page.indexOf('### A new language'), page.indexOf('## Path of a message'));
  const rows = [...section.matchAll(/^\| `(\w+)` +\| (yes|no) /gm)].map(
    ([, name, must]) => `${name} ${must}`,
  );
  const all = [...languages, tasks];
  const members = [...new Set(all.flatMap((language) => Object.keys(language)))];
  const expected = members.map((name) => {
    const isRequired = all.every((language) => Object.hasOwn(language, name));
    return `${name} ${isRequired ? 'yes' : 'no'}`;
  });
  expect(rows.toSorted()).toEqual(expected.toSorted());
});

it('are known outside of languages/ only to those who serve one of them', () => {
  const sources = readTree(['src'], ['.ts', '.tsx']);
  const imports = [...sources].flatMap(([path, text]) => importsOf(parse(path, text)));
  const found = imports
    .filter(
      ({ from, target }) => !from.startsWith('src/languages/') && languageRooms.includes(roomOf(target)),
    )
    .map(({ from, target }) => `${roomOf(from)} ${roomOf(target)}`);
  expect([...new Set(found)].toSorted()).toEqual(known);
});
