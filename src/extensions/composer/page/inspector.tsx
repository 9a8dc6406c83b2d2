import { useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { oneLine } from '../../../kernel/one-line.ts';
import type { Forms } from '../graph/documents.ts';
import { Panel } from '../../../web/parts/panel.tsx';
import { SomeFields } from './some-fields.tsx';
import type { Composer } from './model.ts';
import type { Draft } from '../documents.ts';

type Step = Draft['steps'][number];

/** The form of the chosen step; for several what can be done to all, for none the workflow's. */
export function Inspector({ composer }: { readonly composer: Composer }) {
  const draft = composer.graph.value;
  const forms = composer.forms.value;
  if (draft === null || !draft.editable || forms === null) return null;
  const chosen = draft.steps.filter(({ id }) => composer.selected.value.includes(id));
  const [step] = chosen;
  if (step === undefined)
    return (
      <Panel title="Workflow">
        <SomeFields fields={forms.file} often={forms.often} path={[]} composer={composer} />
      </Panel>
    );
  if (chosen.length > 1) return <Several steps={chosen} composer={composer} />;
  return <One key={composer.subject(step.id)} step={step} draft={draft} forms={forms} composer={composer} />;
}

function Several({ steps, composer }: { readonly steps: readonly Step[]; readonly composer: Composer }) {
  const names = steps.map(({ id }) => id);
  return (
    <Panel title={`${String(steps.length)} steps`}>
      <p>{oneLine(names.join(', '), 300)}</p>
      <div class="row">
        <button type="button" onClick={() => void composer.act({ do: 'duplicate', steps: names })}>
          Duplicate them
        </button>
        <DeleteButtons names={names} composer={composer} />
      </div>
    </Panel>
  );
}

function DeleteButtons({
  names,
  composer,
}: {
  readonly names: readonly string[];
  readonly composer: Composer;
}) {
  const draft = composer.graph.value;
  const waiting = draft?.edges.some(({ from, to }) => names.includes(from) && !names.includes(to)) ?? false;
  return (
    <>
      <button type="button" class="danger" onClick={() => void composer.act({ do: 'remove', steps: names })}>
        Delete
      </button>
      {waiting && (
        <button
          type="button"
          class="danger"
          onClick={() => void composer.act({ do: 'remove', steps: names, rewire: true })}
        >
          Delete and reconnect
        </button>
      )}
    </>
  );
}

interface OneProps {
  readonly step: Step;
  readonly draft: Draft;
  readonly forms: Forms;
  readonly composer: Composer;
}

function One({ step, draft, forms, composer }: OneProps) {
  const kind = forms.kinds.find(({ name }) => name === step.kind);
  const fields = useMemo(
    () => forms.step.filter(({ key }) => kind?.keys.includes(key) === true),
    [forms, kind],
  );
  return (
    <Panel title={`Step ${oneLine(step.id, 60)}`}>
      <Name step={step} composer={composer} />
      <Needs step={step} draft={draft} composer={composer} />
      <SomeFields fields={fields} often={kind?.often ?? []} path={step.path ?? []} composer={composer} />
      <Look step={step} composer={composer} />
      <Order step={step} draft={draft} composer={composer} />
      <div class="row">
        <button type="button" onClick={() => void composer.act({ do: 'duplicate', steps: [step.id] })}>
          Duplicate
        </button>
        <DeleteButtons names={[step.id]} composer={composer} />
      </div>
    </Panel>
  );
}

function Name({ step, composer }: { readonly step: Step; readonly composer: Composer }) {
  const name = useSignal(step.id);
  useEffect(() => {
    name.value = step.id;
  }, [step.id]);
  const rename = async () => {
    const wanted = name.value.trim();
    if (wanted === step.id || wanted === '') return;
    if (!(await composer.act({ do: 'rename', step: step.id, name: wanted }))) name.value = step.id;
  };
  return (
    <div class="field">
      <label for="step-name">id</label>
      <input
        id="step-name"
        value={name.value}
        autocomplete="off"
        onInput={(event) => (name.value = event.currentTarget.value)}
        onChange={() => void rename()}
      />
      <p class="help">A new name changes every reference to the step in this file.</p>
    </div>
  );
}

/** Above this, a name is typed: a list of so many is slow, and of no use. */
const mostChoices = 300;

/** What the step waits for; the same as drawing and removing edges. */
function Needs({
  step,
  draft,
  composer,
}: {
  readonly step: Step;
  readonly draft: Draft;
  readonly composer: Composer;
}) {
  const needs = draft.edges.filter(({ to }) => to === step.id);
  const needed = new Set(needs.map(({ from }) => from));
  const others = draft.steps.filter(({ id }) => id !== step.id && !needed.has(id));
  return (
    <div class="field">
      <span class="label">waits for</span>
      <ul class="needs">
        {needs.map(({ from, implied, when }) => (
          <li key={from} class="row">
            <code>{oneLine(from, 60)}</code>{' '}
            {when !== null && <span class="dim">if {oneLine(when, 60)}</span>}
            {implied ? (
              <span class="dim">by the order of the steps</span>
            ) : (
              <button
                type="button"
                class="quiet"
                aria-label={`Remove: do not wait for ${oneLine(from, 60)}`}
                onClick={() => void composer.act({ do: 'disconnect', from, to: step.id })}
              >
                Remove
              </button>
            )}
          </li>
        ))}
      </ul>
      <OneMore others={others} need={(from) => void composer.act({ do: 'connect', from, to: step.id })} />
    </div>
  );
}

/** Adds one of the other steps to those it waits for. */
function OneMore({
  others,
  need,
}: {
  readonly others: readonly Step[];
  readonly need: (from: string) => void;
}) {
  if (others.length === 0) return null;
  if (others.length > mostChoices)
    return (
      <input
        aria-label="Wait for another step"
        placeholder="Wait for another step: type its name"
        autocomplete="off"
        onChange={(event) => {
          const from = event.currentTarget.value.trim();
          event.currentTarget.value = '';
          if (from !== '') need(from);
        }}
      />
    );
  return (
    <select
      aria-label="Wait for another step"
      value=""
      onChange={(event) => {
        const from = event.currentTarget.value;
        event.currentTarget.value = '';
        if (from !== '') need(from);
      }}
    >
      <option value="">Wait for another step …</option>
      {others.map(({ id }) => (
        <option key={id} value={id}>
          {oneLine(id, 60)}
        </option>
      ))}
    </select>
  );
}

const icons = ['agent', 'command', 'gate', 'fan_out', 'while', 'workflow'];
const colors = [
  'crimson',
  'darkorange',
  'goldenrod',
  'seagreen',
  'teal',
  'royalblue',
  'rebeccapurple',
  'gray',
];

/** What only the canvas shows; the engine does not read it. */
function Look({ step, composer }: { readonly step: Step; readonly composer: Composer }) {
  const choose = (key: 'color' | 'icon', value: string) => {
    const path = [...(step.path ?? []), 'ui', key];
    void composer.act(value === '' ? { do: 'unset', path } : { do: 'set', path, value });
  };
  const choice = (key: 'color' | 'icon', known: readonly string[], own: string | null) => (
    <div class="field">
      <label for={`step-${key}`}>{key === 'color' ? 'colour' : 'icon'}</label>
      <select
        id={`step-${key}`}
        value={own ?? ''}
        onChange={(event) => choose(key, event.currentTarget.value)}
      >
        <option value="">As its kind</option>
        {[...known, ...(own === null || known.includes(own) ? [] : [own])].map((each) => (
          <option key={each} value={each}>
            {oneLine(each, 40)}
          </option>
        ))}
      </select>
    </div>
  );
  return (
    <details class="group">
      <summary>on the canvas</summary>
      <div class="inner">
        {choice('color', colors, step.color)}
        {choice('icon', icons, step.icon)}
      </div>
    </details>
  );
}

/** Where the step stands in the file. */
function Order({
  step,
  draft,
  composer,
}: {
  readonly step: Step;
  readonly draft: Draft;
  readonly composer: Composer;
}) {
  const at = draft.steps.findIndex(({ id }) => id === step.id);
  const above = draft.steps[at - 1];
  const below = draft.steps[at + 1];
  const behind = draft.steps[at + 2];
  return (
    <div class="row">
      {above !== undefined && (
        <button
          type="button"
          onClick={() => void composer.act({ do: 'reorder', step: step.id, before: above.id })}
        >
          Move up in the file
        </button>
      )}
      {below !== undefined && (
        <button
          type="button"
          onClick={() => void composer.act({ do: 'reorder', step: step.id, before: behind?.id ?? null })}
        >
          Move down in the file
        </button>
      )}
    </div>
  );
}
