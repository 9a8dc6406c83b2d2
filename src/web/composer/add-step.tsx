import { useSignal } from '@preact/signals';
import { oneLine } from '../../kernel/one-line.ts';
import { onSubmit } from '../views/item.tsx';
import type { Composer } from './model.ts';

/** A new step of a kind, alone or behind the chosen one. */
export function AddStep({ composer }: { readonly composer: Composer }) {
  const kinds = composer.forms.value?.kinds.filter(({ canAdd }) => canAdd) ?? [];
  const kind = useSignal('');
  const name = useSignal('');
  if (composer.graph.value?.editable !== true || kinds.length === 0) return null;
  const [chosen, ...more] = composer.selected.value;
  const first = kinds.find((each) => each.name === 'agent') ?? kinds[0]!;
  const add = async (needs: readonly string[]) => {
    const id = name.value.trim();
    const act = { do: 'add', kind: kind.value === '' ? first.name : kind.value, needs } as const;
    if (await composer.act(id === '' ? act : { ...act, id })) name.value = '';
  };
  return (
    <form class="panel row" aria-label="Add a step" {...onSubmit(() => void add([]))}>
      <label for="add-kind">New step</label>
      <select
        id="add-kind"
        class="short"
        value={kind.value === '' ? first.name : kind.value}
        onChange={(event) => (kind.value = event.currentTarget.value)}
      >
        {kinds.map((each) => (
          <option key={each.name} value={each.name}>
            {each.name.replaceAll('_', ' ')}
          </option>
        ))}
      </select>
      <label for="add-name">called</label>
      <input
        id="add-name"
        class="short"
        placeholder="a name is proposed"
        autocomplete="off"
        value={name.value}
        onInput={(event) => (name.value = event.currentTarget.value)}
      />
      <button type="submit" class="primary">
        Add the step
      </button>
      {chosen !== undefined && more.length === 0 && (
        <button type="button" onClick={() => void add([chosen])}>
          Add it after {oneLine(chosen, 30)}
        </button>
      )}
    </form>
  );
}
