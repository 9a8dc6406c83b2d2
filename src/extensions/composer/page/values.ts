import type { FormField } from '../graph/documents.ts';
import type { Json } from '../../../kernel/json.ts';

/* Values of a definition in the fields of a form. */

/** A value as its field shows it; nothing where it is not written. */
export function shownValue({ control }: Pick<FormField, 'control'>, value: Json | undefined): string {
  if (value === undefined || value === null) return '';
  if (control === 'list' && Array.isArray(value) && value.every((item) => typeof item === 'string'))
    return value.join('\n');
  if (typeof value === 'string' && control !== 'json') return value;
  return control === 'json' ? JSON.stringify(value, null, 2) : JSON.stringify(value);
}

type Typed =
  /** Null: nothing was typed, so the key is not written. */
  { readonly ok: true; readonly value: Json } | { readonly ok: false; readonly problem: string };

/** What was typed in a field, as a value. */
export function typedValue({ control }: Pick<FormField, 'control'>, text: string): Typed {
  if (text.trim() === '') return { ok: true, value: null };
  switch (control) {
    case 'number': {
      const number = Number(text);
      return Number.isFinite(number) ? { ok: true, value: number } : { ok: false, problem: 'Type a number.' };
    }
    case 'switch':
      return { ok: true, value: text === 'true' };
    case 'list':
      return {
        ok: true,
        value: text.split('\n').flatMap((line) => (line.trim() === '' ? [] : [line.trim()])),
      };
    case 'json':
      return parsed(text);
    default:
      return { ok: true, value: text };
  }
}

function parsed(text: string): Typed {
  try {
    return { ok: true, value: JSON.parse(text) as Json };
  } catch {
    return { ok: false, problem: 'This is not JSON: strings need double quotes.' };
  }
}

/** The value of a new entry: its required keys, to be filled in. */
export function initialOf(fields: readonly FormField[]): Json {
  const [only] = fields;
  if (only !== undefined && only.key === '') return firstOf(only);
  return Object.fromEntries(
    fields.filter(({ required }) => required).map((field) => [field.key, firstOf(field)]),
  );
}

function firstOf({ key, control, choices, fields }: FormField): Json {
  switch (control) {
    case 'choice':
      return choices[0] ?? '';
    case 'number':
      return 0;
    case 'switch':
      return false;
    case 'list':
      return [];
    case 'group':
      return initialOf(fields);
    case 'map':
      return {};
    default:
      return key === 'type' ? 'string' : '';
  }
}
