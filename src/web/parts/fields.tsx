import { signal, type Signal } from '@preact/signals';
import type { Json } from '../../kernel/json.ts';
import type { ComponentChildren } from 'preact';
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
  const typed = (name: string) => draftOf(place, name, shapes[name]).value;
  const { values, faults } = valuesOf(shapes, typed);
  show(place, faults);
  return Object.keys(faults).length === 0 ? values : null;
}

/** What a field holds: what was typed, at first its default. */
function draftOf(place: string, name: string, shape: FieldShape | undefined): Signal<string> {
  return draft(`${place}/${name}`, shape?.default == null ? '' : written(shape.default));
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
  name: field,
  shape,
  place,
}: {
  readonly name: string;
  readonly shape: FieldShape;
  readonly place: string;
}) {
  const id = `${place}-${field}`;
  const label = oneLine(field, 80);
  const faults = faultsOf(place);
  const fault = faults.value[field];
  const text = draftOf(place, field, shape);
  const type = (typed: string) => {
    text.value = typed;
    const { [field]: _own, ...others } = faults.value;
    if (fault !== undefined) faults.value = others;
  };
  const isRequired = shape.required && shape.default == null;
  const choices = choicesOf(shape);
  const isShort = choices !== null && choices.length <= mostRadios;
  const input = { id, shape, text: text.value, isWrong: fault !== undefined, type };
  const name = (
    <>
      {label}
      {isRequired && <span class="required"> (required)</span>}
    </>
  );
  return (
    <div class="field">
      {isShort ? (
        <Radios
          {...input}
          legend={name}
          choices={shape.required || shape.default != null ? choices : ['', ...choices]}
        />
      ) : (
        <>
          <label for={id}>{name}</label>
          <Input {...input} choices={choices} />
        </>
      )}
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

/** So many values are all shown at once. */
const mostRadios = 4;

/** The values that a field may have; null: any of its type. */
function choicesOf(shape: FieldShape): readonly string[] | null {
  return shape.enum?.map(written) ?? (shape.type === 'boolean' ? ['true', 'false'] : null);
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

/** A few values, one of which is chosen by one click; an empty one is none. */
function Radios({
  legend,
  choices,
  ...of
}: InputProps & { readonly legend: ComponentChildren; readonly choices: readonly string[] }) {
  const { id, text, isWrong, type } = of;
  return (
    <fieldset class="choices" aria-describedby={describedBy(id, isWrong)}>
      <legend>{legend}</legend>
      {choices.map((each, place) => (
        <label key={each}>
          <input
            type="radio"
            id={place === 0 ? id : undefined}
            name={id}
            checked={text === each}
            onChange={() => type(each)}
          />
          {each === '' ? 'not given' : oneLine(each, 120)}
        </label>
      ))}
    </fieldset>
  );
}

function describedBy(id: string, isWrong: boolean): string {
  return isWrong ? `${id}-fault ${id}-help` : `${id}-help`;
}

function Input({
  id,
  shape,
  text,
  isWrong,
  type,
  choices,
}: InputProps & { readonly choices: readonly string[] | null }) {
  const typed = (event: { currentTarget: { value: string } }) => type(event.currentTarget.value);
  const given = {
    id,
    'aria-describedby': describedBy(id, isWrong),
    'aria-invalid': isWrong,
    value: text,
    ...(shape.default != null && { placeholder: oneLine(written(shape.default), 120) }),
  };
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
