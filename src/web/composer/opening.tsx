import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { Problem, send } from '../api/client.ts';
import { useAction } from '../parts/form.tsx';
import { Trouble, View } from '../parts/panel.tsx';
import { go, link } from '../state/route.ts';
import { onSubmit } from '../views/item.tsx';
import type { ComposerView } from './composer.tsx';

/** The composer, whose code is loaded when somebody opens it. */
export function EditWorkflow({ id }: { readonly id: string }) {
  const view = useSignal<typeof ComposerView | null>(null);
  const problem = useSignal<Problem | null>(null);
  useEffect(() => {
    import('./composer.tsx').then(
      (loaded) => (view.value = loaded.ComposerView),
      () =>
        (problem.value = new Problem('E_OFFLINE', 0, 'the editor could not be loaded', 'reload the page')),
    );
  }, []);
  const { value: Loaded } = view;
  if (Loaded !== null) return <Loaded id={id} />;
  return (
    <View title="Edit">
      {problem.value === null ? <p class="empty loading">Loading …</p> : <Trouble problem={problem.value} />}
    </View>
  );
}

/** Creates a workflow with a first step, and opens it. */
export function NewWorkflow() {
  const name = useSignal('');
  const { busy, run } = useAction();
  const create = () =>
    void run(async () => {
      const id = name.value.trim();
      if (id === '') return;
      const { file } = await send<{ readonly file: string }>('/workflows', { id });
      go(link('workflows', file, 'edit'));
    });
  return (
    <form class="row" {...onSubmit(create)}>
      <label for="new-workflow">New workflow</label>
      <input
        id="new-workflow"
        class="short"
        placeholder="its id, such as ship-it"
        autocomplete="off"
        value={name.value}
        onInput={(event) => (name.value = event.currentTarget.value)}
      />
      <button type="submit" class="primary" aria-busy={busy.value}>
        Create
      </button>
    </form>
  );
}
