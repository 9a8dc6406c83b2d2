import { expect, it } from 'vitest';
import { complete } from '../../../../src/editing/complete.ts';
import { kindOf } from '../../../../src/editing/kind.ts';
import { renameAt } from '../../../../src/editing/rename.ts';
import { grammarFor } from '../../../../src/editing/texts.ts';
import { languages } from '../../../../src/languages/languages.ts';
import { applyPatches } from '../../../../src/yaml/edit/edit.ts';
import { nipLanguages } from './nip.ts';

it.each([
  [
    'kind: 30920\ntags:\n  - [step, count, "5100"]\n  - [step, report, "5300"]\n  - [edge, |]\n',
    ['count', 'report'],
  ],
  ['{\n  "kind": 30920,\n  "con|"\n}\n', ['content']],
])('editors complete %s', (typed, labels) => {
  const around = { roles: [], types: [], agents: [], providers: [], files: [] };
  const [text, offset] = [typed.replace('|', ''), typed.indexOf('|')];
  const found = complete(text, offset, 'workflow', around, nipLanguages);
  expect(found.map(({ label }) => label)).toEqual(labels);
});

it('editors rename a step with its edges', () => {
  const text = '{"kind":30920,"tags":[["step","a","5100"],["step","b","5300"],["edge","a","b"]]}';
  const grammar = grammarFor('workflow', text, nipLanguages)!;
  const renamed = renameAt(text, text.indexOf('a","5100'), 'c', grammar);
  expect(renamed.ok && applyPatches(text, renamed.patches)).toBe(text.replaceAll('"a"', '"c"'));
});

it('a definition outside of a project is known by its content, where the language is', () => {
  const text = '{"kind": 30920, "tags": []}';
  expect(kindOf('a.json', false, text, nipLanguages)).toBe('workflow');
  expect(kindOf('a.json', false, text, languages)).toBeNull();
});
