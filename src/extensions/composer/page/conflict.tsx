import { useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { ChangedLines } from '../../../web/parts/difference.tsx';
import { go, link } from '../../../web/state/route.ts';
import { notify } from '../../../web/state/toasts.ts';
import { hunksBetween } from './comparison.ts';
import type { Composer } from './model.ts';
import { NameForm } from './name-form.tsx';
import { formOf, shown } from './source-text.ts';

/** Somebody else has changed the file: nothing is overwritten before a person has decided. */
export function Conflict({ composer }: { readonly composer: Composer }) {
  const isOpen = useSignal(false);
  const { value: theirs } = composer.theirs;
  if (theirs === null) return null;
  return (
    <section class="trouble conflict" role="alert">
      <p>
        <strong>The file has changed since you opened it.</strong> Your changes are not saved, and nothing of
        the file is overwritten.
      </p>
      <div class="row">
        <button type="button" onClick={() => (isOpen.value = !isOpen.value)} aria-expanded={isOpen.value}>
          Show the difference
        </button>
        <button type="button" onClick={() => composer.reload()}>
          Reload the file
        </button>
        <button type="button" onClick={() => composer.keepOurs()}>
          Keep my text
        </button>
      </div>
      <SaveAs composer={composer} />
      <p class="dim">
        After a reload, Undo brings your text back. With your text kept, Save replaces the file.
      </p>
      {isOpen.value && <Difference ours={composer.text.value} theirs={theirs.text} />}
    </section>
  );
}

/** Saves the text under another name. */
function SaveAs({ composer }: { readonly composer: Composer }) {
  const save = async (name: string) => {
    const file = await composer.saveAs(name);
    composer.reload();
    notify(`Saved as ${file}.`);
    go(link('workflows', file, 'edit'));
  };
  return (
    <NameForm
      id="save-as"
      label="Save as"
      placeholder="another name"
      button="Save as a new workflow"
      act={save}
    />
  );
}

function Difference({ ours, theirs }: { readonly ours: string; readonly theirs: string }) {
  const [before, after] = [theirs, ours].map((text) => shown(text, formOf(text)).replaceAll('\r\n', '\n'));
  const hunks = useMemo(() => hunksBetween(before!, after!), [before, after]);
  if (hunks.length === 0) return <p class="dim">The lines are the same.</p>;
  return <ChangedLines hunks={hunks} label="What your text changes in the file" />;
}
