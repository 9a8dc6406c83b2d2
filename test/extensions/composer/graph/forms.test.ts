import { expect, test } from 'vitest';
import type { FormField } from '../../../../src/extensions/composer/graph/documents.ts';
import { formsFor } from '../../../../src/extensions/composer/composer.ts';
import { languages } from '../../../../src/languages/languages.ts';

function fieldAt(fields: readonly FormField[], [key, ...rest]: readonly string[]): FormField {
  const found = fields.find((field) => field.key === key);
  if (found === undefined) throw new Error(`there is no field ${String(key)}`);
  return rest.length === 0 ? found : fieldAt(found.fields, rest);
}

test('the forms bind modules and memories to a workflow of stages and to each stage', () => {
  const { file, step, kinds } = formsFor('swdl', languages)!;
  expect(fieldAt(file, ['context', 'global_modules']).control).toBe('list');
  expect(fieldAt(step, ['context', 'modules']).control).toBe('list');
  for (const fields of [file, step])
    expect(
      fieldAt(fields, ['context', 'memory']).fields.map(({ key, control, usual }) => [key, control, usual]),
    ).toEqual([
      ['project_scope', 'text', 'current'],
      ['min_confidence', 'number', '0.7'],
      ['categories', 'list', 'all'],
      ['max_tokens', 'number', '2000'],
    ]);
  for (const language of ['native', 'swdl'])
    for (const { keys, often } of formsFor(language, languages)!.kinds) {
      expect(often.length).toBeGreaterThan(2);
      expect(often.length).toBeLessThanOrEqual(5);
      expect(keys).toEqual(expect.arrayContaining([...often]));
    }
  // Only agents have prompts.
  const withContext = kinds.filter(({ keys }) => keys.includes('context'));
  expect(withContext.map(({ name }) => name)).toEqual(['agent']);
});
