import { useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { valueAt, type Path } from '../../../kernel/json.ts';
import type { FormField } from '../graph/documents.ts';
import { Fields } from './fields.tsx';
import type { Composer } from './model.ts';

interface SomeFieldsProps {
  readonly fields: readonly FormField[];
  /** The keys that are mostly needed, in their order. */
  readonly often: readonly string[];
  readonly path: Path;
  readonly composer: Composer;
}

/** The fields that are required, set or mostly needed; a search finds the others. */
export function SomeFields({ fields, often, path, composer }: SomeFieldsProps) {
  const find = useSignal('');
  const words = find.value.trim().toLowerCase();
  const definition = composer.graph.value?.definition ?? null;
  const usual = useMemo(() => usualFields(fields, often), [fields, often]);
  const shown =
    words === ''
      ? [
          ...usual,
          ...fields.filter(
            (field) => !usual.includes(field) && valueAt(definition, [...path, field.key]) !== undefined,
          ),
        ]
      : fields.filter((field) => isFound(field, words));
  const more = fields.length - shown.length;
  return (
    <>
      <Fields fields={shown} path={path} composer={composer} />
      {shown.length === 0 && <p class="dim">No key has this in its name or description.</p>}
      <div class="field">
        <label for="find-key">
          {words === '' ? `Find one of ${String(more)} more keys` : `${String(shown.length)} keys found`}
        </label>
        <input
          id="find-key"
          type="search"
          autocomplete="off"
          placeholder="name or description"
          value={find.value}
          onInput={(event) => (find.value = event.currentTarget.value)}
        />
      </div>
    </>
  );
}

function usualFields(fields: readonly FormField[], often: readonly string[]): FormField[] {
  const byKey = new Map(fields.map((field) => [field.key, field]));
  const first = often.flatMap((key) => byKey.get(key) ?? []);
  return [...fields.filter((field) => field.required && !first.includes(field)), ...first];
}

function isFound({ key, description, fields }: FormField, words: string): boolean {
  const own = `${key} ${key.replaceAll('_', ' ')} ${description ?? ''}`.toLowerCase();
  return own.includes(words) || fields.some((field) => isFound(field, words));
}
