import { useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { ask, at, Problem, send } from '../../../web/api/client.ts';
import { Trouble, View } from '../../../web/parts/panel.tsx';
import { edition } from '../../../web/state/live.ts';
import { go, link } from '../../../web/state/route.ts';
import type { PageExtension } from '../../../web/extension.ts';
import type { ComposerView } from './composer.tsx';
import { NameForm } from './name-form.tsx';
import type { Draft } from '../documents.ts';

/** The composer: it edits one workflow, and creates others. */
export const composer: PageExtension = {
  workflowView: { part: 'edit', name: 'Edit', View: EditWorkflow },
  AboveWorkflows: NewWorkflow,
};

/** The composer, whose code is loaded when somebody opens it. */
function EditWorkflow({ id }: { readonly id: string }) {
  const view = useSignal<typeof ComposerView | null>(null);
  const problem = useSignal<Problem | null>(null);
  // The server reads the workflow while the code is loaded.
  const opening = useMemo(() => readStored(id), [id]);
  useEffect(() => {
    import('./composer.tsx').then(
      (loaded) => (view.value = loaded.ComposerView),
      () =>
        (problem.value = new Problem('E_OFFLINE', 0, 'the editor could not be loaded', 'reload the page')),
    );
  }, []);
  const { value: Loaded } = view;
  if (Loaded !== null) return <Loaded id={id} {...opening} />;
  return (
    <View title="Edit">
      {problem.value === null ? <p class="empty loading">Loading …</p> : <Trouble problem={problem.value} />}
    </View>
  );
}

/** The workflow as it is stored, as a graph; `asked`: the edition of the project at that time. */
function readStored(id: string): { readonly opening: Promise<Draft>; readonly asked: number } {
  const asked = edition.peek();
  const opening = ask<Draft>('POST', at('workflows', id, 'compose'), {});
  // The view shows its problem; until the code is loaded, there is none.
  opening.catch(() => undefined);
  return { opening, asked };
}

/** Creates a workflow with a first step, and opens it. */
function NewWorkflow() {
  const create = async (id: string) => {
    const { file } = await send<{ readonly file: string }>('/workflows', { id });
    go(link('workflows', file, 'edit'));
  };
  return (
    <NameForm
      id="new-workflow"
      label="New workflow"
      placeholder="such as ship-it"
      button="Create"
      act={create}
    />
  );
}
