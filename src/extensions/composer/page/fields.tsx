import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { valueAt, type Path } from '../../../kernel/json.ts';
import { oneLine } from '../../../kernel/one-line.ts';
import type { FormField } from '../graph/documents.ts';
import { visible } from '../../../web/parts/text.tsx';
import type { Composer } from './model.ts';
import { initialOf, shownValue, typedValue } from './values.ts';

interface FieldProps {
  readonly field: FormField;
  readonly path: Path;
  readonly composer: Composer;
}

/** The fields of a form, for the part of the definition at a path. */
export function Fields({
  fields,
  path,
  composer,
}: {
  readonly fields: readonly FormField[];
  readonly path: Path;
  readonly composer: Composer;
}) {
  return (
    <>
      {fields.map((field) => (
        <Field key={field.key} field={field} path={[...path, field.key]} composer={composer} />
      ))}
    </>
  );
}

function Field(props: FieldProps) {
  const { field } = props;
  if (field.control === 'group') return <Group {...props} />;
  if (field.control === 'map') return <Entries {...props} />;
  return <Value {...props} />;
}

function Group({ field, path, composer }: FieldProps) {
  const value = valueAt(composer.graph.value?.definition ?? null, path);
  return (
    <details class="group" open={value !== undefined && value !== null}>
      <summary>{field.key}</summary>
      {field.description !== null && <p class="help">{visible(field.description)}</p>}
      <div class="inner">
        <Fields fields={field.fields} path={path} composer={composer} />
      </div>
    </details>
  );
}

/** Entries by names that the author chooses. */
function Entries({ field, path, composer }: FieldProps) {
  const value = valueAt(composer.graph.value?.definition ?? null, path);
  const names =
    typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.keys(value) : [];
  const name = useSignal('');
  const id = idOf(path);
  const add = () => {
    const key = name.value.trim();
    if (key === '' || names.includes(key)) return;
    name.value = '';
    void composer.act({ do: 'set', path: [...path, key], value: initialOf(field.fields) });
  };
  const [only] = field.fields;
  const isPlain = field.fields.length === 1 && only?.key === '';
  return (
    <details class="group" open={names.length > 0}>
      <summary>{field.key}</summary>
      {field.description !== null && <p class="help">{visible(field.description)}</p>}
      <div class="inner">
        {names.map((each) => (
          <fieldset key={each} class="entry">
            <legend>
              {oneLine(each, 60)}{' '}
              <button
                type="button"
                class="quiet"
                aria-label={`Remove ${oneLine(each, 60)} from ${field.key}`}
                onClick={() => void composer.act({ do: 'unset', path: [...path, each] })}
              >
                Remove
              </button>
            </legend>
            {isPlain ? (
              <Field field={{ ...only, key: each }} path={[...path, each]} composer={composer} />
            ) : (
              <Fields fields={field.fields} path={[...path, each]} composer={composer} />
            )}
          </fieldset>
        ))}
        <div class="row">
          <label for={id} class="unseen">{`New name in ${field.key}`}</label>
          <input
            id={id}
            class="grow"
            placeholder="New name"
            value={name.value}
            onInput={(event) => (name.value = event.currentTarget.value)}
            onKeyDown={(event) => event.key === 'Enter' && add()}
          />
          <button type="button" onClick={add} aria-label={`Add to ${field.key}`}>
            Add
          </button>
        </div>
      </div>
    </details>
  );
}

function idOf(path: Path): string {
  return `field-${path.join('-')}`;
}

/** Milliseconds after the last key until the engine is asked what it thinks. */
const rest = 250;

/** What is typed in a field: `type` checks it by the engine, `commit` changes the text. */
function useTyping({ field, path, composer }: FieldProps) {
  const written = valueAt(composer.graph.value?.definition ?? null, path);
  const text = useSignal(shownValue(field, written));
  const wrong = useSignal<string | null>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const shown = shownValue(field, written);
  useEffect(() => {
    text.value = shown;
    wrong.value = null;
  }, [shown]);
  const actOf = (typed: string) => {
    const read = typedValue(field, typed);
    if (!read.ok) return read.problem;
    if (read.value === null) return written === undefined ? null : ({ do: 'unset', path } as const);
    return JSON.stringify(read.value) === JSON.stringify(written)
      ? null
      : ({ do: 'set', path, value: read.value } as const);
  };
  const type = (typed: string) => {
    text.value = typed;
    clearTimeout(timer.current);
    timer.current = setTimeout(() => {
      const act = actOf(typed);
      if (act === null || typeof act === 'string') wrong.value = act;
      else void composer.tryOut(act, path).then((problem) => (wrong.value = problem));
    }, rest);
  };
  const commit = (typed: string) => {
    clearTimeout(timer.current);
    text.value = typed;
    const act = actOf(typed);
    if (typeof act === 'string') wrong.value = act;
    else if (act !== null) void composer.act(act);
  };
  return { text: text.value, wrong: wrong.value, type, commit };
}

/** One value. It is checked while it is typed, and changes the text when the field is left. */
function Value(props: FieldProps) {
  const { field, path, composer } = props;
  const { text, wrong, type, commit } = useTyping(props);
  const problem = wrong ?? composer.problemAt(path);
  const overridden = composer.overriddenAt(path);
  const id = idOf(path);
  return (
    <div class="field">
      <label for={id}>
        {field.key}
        {field.required && <span class="required"> required</span>}
      </label>
      <Input
        id={id}
        field={field}
        text={text}
        type={type}
        commit={commit}
        composer={composer}
        isWrong={problem !== null}
      />
      <p class="help" id={`${id}-help`}>
        {field.description !== null && visible(field.description)}
        {overridden !== null && <strong>{` Overridden by ${overridden}.`}</strong>}
      </p>
      {problem !== null && (
        <p class="fault" role="status">
          {visible(problem)}
        </p>
      )}
    </div>
  );
}

interface InputProps {
  readonly id: string;
  readonly field: FormField;
  readonly text: string;
  readonly isWrong: boolean;
  readonly composer: Composer;
  readonly type: (typed: string) => void;
  readonly commit: (typed: string) => void;
}

function Input({ id, field, text, type, commit, composer, isWrong }: InputProps) {
  const { control, usual, choices, required } = field;
  const given = { id, 'aria-describedby': `${id}-help`, 'aria-invalid': isWrong };
  if (control === 'choice' || control === 'switch')
    return (
      <select {...given} value={text} onChange={(event) => commit(event.currentTarget.value)}>
        {(!required || text === '') && (
          <option value="">{usual === null ? 'Not set' : `Default: ${usual}`}</option>
        )}
        {(control === 'switch' ? ['true', 'false'] : choices).map((each) => (
          <option key={each} value={each}>
            {each}
          </option>
        ))}
      </select>
    );
  const acts = {
    value: text,
    placeholder: usual === null ? '' : `Default: ${usual}`,
    onInput: (event: { currentTarget: { value: string } }) => type(event.currentTarget.value),
    onChange: (event: { currentTarget: { value: string } }) => commit(event.currentTarget.value),
  };
  if (control === 'lines' || control === 'list' || control === 'json')
    return (
      <textarea
        {...given}
        {...acts}
        rows={control === 'lines' ? 5 : 3}
        class={control === 'lines' ? undefined : 'mono'}
      />
    );
  const names = composer.namesFor(field);
  return (
    <>
      <input
        {...given}
        {...acts}
        type="text"
        autocomplete="off"
        inputMode={control === 'number' ? 'decimal' : 'text'}
        {...(names.length > 0 && { list: `${id}-names` })}
      />
      {names.length > 0 && (
        <datalist id={`${id}-names`}>
          {names.map((each) => (
            <option key={each} value={each} />
          ))}
        </datalist>
      )}
    </>
  );
}
