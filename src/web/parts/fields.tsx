import type { Json } from '../../kernel/json.ts';
import { oneLine } from '../../kernel/one-line.ts';
import { Problem } from '../api/client.ts';
import { draft } from '../state/drafts.ts';
import { complain } from '../state/toasts.ts';

/** What a field of an answer, or a parameter of a workflow, accepts. */
export interface FieldShape {
  readonly type: string;
  /** The allowed values; null: any of its type. */
  readonly enum: readonly Json[] | null;
  readonly required: boolean;
  readonly default?: Json;
  readonly description?: string | null;
}

type Shapes = Readonly<Record<string, FieldShape>>;

type Values =
  | { readonly ok: true; readonly values: Readonly<Record<string, Json>> }
  | { readonly ok: false; readonly name: string; readonly problem: string };

/** The values that were typed, by the types of their fields; empty optional ones are left out. */
function valuesOf(shapes: Shapes, typed: (name: string) => string): Values {
  const values: Record<string, Json> = {};
  for (const [name, shape] of Object.entries(shapes)) {
    const text = typed(name);
    if (text.trim() === '') {
      if (shape.required && shape.default === undefined)
        return { ok: false, name, problem: `Fill in ${name}.` };
      continue;
    }
    const value = valueOf(shape, text);
    if (value === undefined) return { ok: false, name, problem: `${name} must be ${inWords(shape)}.` };
    values[name] = value;
  }
  return { ok: true, values };
}

/** The values typed under `place`; null: something is missing, and the person is notified. */
export function typedFields(shapes: Shapes, place: string): Readonly<Record<string, Json>> | null {
  const read = valuesOf(shapes, (name) => draft(`${place}/${name}`).value);
  if (read.ok) return read.values;
  complain(new Problem('E_VALUE', 422, read.problem));
  document.getElementById(`${place}-${read.name}`)?.focus();
  return null;
}

/** The value that was typed; undefined: the type has no such value. */
function valueOf(shape: FieldShape, text: string): Json | undefined {
  if (shape.enum !== null) return shape.enum.find((each) => written(each) === text);
  if (shape.type === 'string') return text;
  const value = parsed(text);
  switch (shape.type) {
    case 'number':
      return typeof value === 'number' ? value : undefined;
    case 'integer':
      return Number.isInteger(value) ? value : undefined;
    case 'boolean':
      return typeof value === 'boolean' ? value : undefined;
    case 'list':
    case 'array':
      return Array.isArray(value) ? value : linesOf(text);
    case 'object':
      return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
    default:
      return value ?? text;
  }
}

function linesOf(text: string): string[] {
  return text.split('\n').flatMap((each) => (each.trim() === '' ? [] : [each.trim()]));
}

function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

/** A value as a field shows it: strings without quotes. */
function written(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function inWords({ type, enum: allowed }: FieldShape): string {
  if (allowed !== null) return `one of ${allowed.map(written).join(', ')}`;
  const words: Readonly<Record<string, string>> = {
    boolean: 'true or false',
    integer: 'a whole number',
    object: 'a JSON object, such as {"a": 1}',
    list: 'one value a line, or a JSON array',
    array: 'one value a line, or a JSON array',
  };
  return words[type] ?? `a ${type}`;
}

/** One input for each field. What is typed is kept under `place`. */
export function Fields({ shapes, place }: { readonly shapes: Shapes; readonly place: string }) {
  return (
    <>
      {Object.entries(shapes).map(([name, shape]) => (
        <Field key={name} name={name} shape={shape} place={place} />
      ))}
    </>
  );
}

function Field({
  name,
  shape,
  place,
}: {
  readonly name: string;
  readonly shape: FieldShape;
  readonly place: string;
}) {
  const id = `${place}-${name}`;
  const label = oneLine(name, 80);
  return (
    <div class="field">
      <label for={id}>
        {label}
        {shape.required && shape.default === undefined && <span class="required"> required</span>}
      </label>
      <Input id={id} shape={shape} text={draft(`${place}/${name}`)} />
      <p class="help" id={`${id}-help`}>
        {shape.description != null && shape.description !== '' && `${oneLine(shape.description, 300)} `}
        {shape.enum === null && shape.type !== 'string' && `Type: ${inWords(shape)}. `}
        {shape.default !== undefined &&
          shape.default !== null &&
          `Default: ${oneLine(written(shape.default), 120)}.`}
      </p>
    </div>
  );
}

function Input({
  id,
  shape,
  text,
}: {
  readonly id: string;
  readonly shape: FieldShape;
  readonly text: ReturnType<typeof draft>;
}) {
  const given = { id, 'aria-describedby': `${id}-help`, value: text.value };
  const type = (event: { currentTarget: { value: string } }) => {
    text.value = event.currentTarget.value;
  };
  const choices = shape.enum?.map(written) ?? (shape.type === 'boolean' ? ['true', 'false'] : null);
  if (choices !== null)
    return (
      <select {...given} onChange={type}>
        <option value="">{shape.default === undefined ? 'Choose …' : 'Default'}</option>
        {choices.map((each) => (
          <option key={each} value={each}>
            {oneLine(each, 120)}
          </option>
        ))}
      </select>
    );
  if (['list', 'array', 'object', 'any'].includes(shape.type))
    return <textarea {...given} rows={3} onInput={type} />;
  const isNumber = shape.type === 'number' || shape.type === 'integer';
  return <input {...given} inputMode={isNumber ? 'decimal' : 'text'} autocomplete="off" onInput={type} />;
}
