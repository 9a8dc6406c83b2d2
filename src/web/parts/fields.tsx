import { signal, type Signal } from '@preact/signals';
import type { Json } from '../../kernel/json.ts';
import { oneLine } from '../../kernel/one-line.ts';
import { Problem } from '../api/client.ts';
import { draft } from '../state/drafts.ts';

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

/** What is wrong with what was typed, by the name of the field. */
type Faults = Readonly<Record<string, string>>;

const faultsAt = new Map<string, Signal<Faults>>();

function faultsOf(place: string): Signal<Faults> {
  const known = faultsAt.get(place);
  if (known !== undefined) return known;
  const faults = signal<Faults>({});
  faultsAt.set(place, faults);
  return faults;
}

/** The values that were typed, by the types of their fields; empty optional ones are left out. */
function valuesOf(
  shapes: Shapes,
  typed: (name: string) => string,
): { readonly values: Readonly<Record<string, Json>>; readonly faults: Faults } {
  const values: Record<string, Json> = {};
  const faults: Record<string, string> = {};
  for (const [name, shape] of Object.entries(shapes)) {
    const text = typed(name);
    const value = text.trim() === '' ? undefined : valueOf(shape, text);
    if (value !== undefined) values[name] = value;
    else if (text.trim() !== '') faults[name] = `It must be ${inWords(shape)}.`;
    else if (shape.required && shape.default == null) faults[name] = 'Fill this in.';
  }
  return { values, faults };
}

/** The values typed under `place`; null: the fields that are missing or wrong say so. */
export function typedFields(shapes: Shapes, place: string): Readonly<Record<string, Json>> | null {
  const { values, faults } = valuesOf(shapes, (name) => draft(`${place}/${name}`).value);
  show(place, faults);
  return Object.keys(faults).length === 0 ? values : null;
}

function show(place: string, faults: Faults): void {
  faultsOf(place).value = faults;
  const [first] = Object.keys(faults);
  if (first !== undefined) document.getElementById(`${place}-${first}`)?.focus();
}

/** Shows what the server says of single fields beside them, and throws the problem again. */
export function rethrowBeside(error: unknown, shapes: Shapes, place: string): never {
  if (error instanceof Problem) {
    const said = error.details.length === 0 ? [error.message] : error.details;
    const lines = said.flatMap((each) => each.split('; '));
    const faults = Object.keys(shapes).flatMap((name) => {
      const found = lines.find((line) => line.includes(`\`${name}\``));
      return found === undefined ? [] : [[name, found] as const];
    });
    show(place, Object.fromEntries(faults));
  }
  throw error;
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
  const faults = faultsOf(place);
  const fault = faults.value[name];
  const text = draft(`${place}/${name}`);
  const type = (typed: string) => {
    text.value = typed;
    const { [name]: _own, ...others } = faults.value;
    if (fault !== undefined) faults.value = others;
  };
  return (
    <div class="field">
      <label for={id}>
        {label}
        {shape.required && shape.default == null && <span class="required"> required</span>}
      </label>
      <Input id={id} shape={shape} text={text.value} isWrong={fault !== undefined} type={type} />
      {fault !== undefined && (
        <p class="fault" id={`${id}-fault`}>
          {oneLine(fault, 300)}
        </p>
      )}
      <p class="help" id={`${id}-help`}>
        {shape.description != null && `${sentence(oneLine(shape.description, 300))} `}
        {shape.enum === null && shape.type !== 'string' && `Type: ${inWords(shape)}. `}
        {shape.default != null && `Default: ${oneLine(written(shape.default), 120)}`}
      </p>
    </div>
  );
}

/** A text with what ends a sentence. */
function sentence(text: string): string {
  return text === '' || /[.!?:\u2026]$/.test(text) ? text : `${text}.`;
}

interface InputProps {
  readonly id: string;
  readonly shape: FieldShape;
  readonly text: string;
  readonly isWrong: boolean;
  readonly type: (text: string) => void;
}

function Input({ id, shape, text, isWrong, type }: InputProps) {
  const typed = (event: { currentTarget: { value: string } }) => type(event.currentTarget.value);
  const given = {
    id,
    'aria-describedby': isWrong ? `${id}-fault ${id}-help` : `${id}-help`,
    'aria-invalid': isWrong,
    value: text,
    ...(shape.default != null && { placeholder: oneLine(written(shape.default), 120) }),
  };
  const choices = shape.enum?.map(written) ?? (shape.type === 'boolean' ? ['true', 'false'] : null);
  if (choices !== null)
    return (
      <select {...given} onChange={typed}>
        <option value="">
          {shape.default == null ? 'Choose …' : `Default: ${oneLine(written(shape.default), 60)}`}
        </option>
        {choices.map((each) => (
          <option key={each} value={each}>
            {oneLine(each, 120)}
          </option>
        ))}
      </select>
    );
  if (['list', 'array', 'object', 'any'].includes(shape.type))
    return <textarea {...given} rows={3} onInput={typed} />;
  const isNumber = shape.type === 'number' || shape.type === 'integer';
  return <input {...given} inputMode={isNumber ? 'decimal' : 'text'} autocomplete="off" onInput={typed} />;
}
