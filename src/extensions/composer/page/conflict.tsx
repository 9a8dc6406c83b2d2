import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { go, link } from '../../../web/state/route.ts';
import { notify } from '../../../web/state/toasts.ts';
import type { Composer } from './model.ts';
import { NameForm } from './name-form.tsx';
import { formOf, shown } from './source-text.ts';
import { openComparison } from './text-editor.ts';

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
  const host = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (host.current === null) return undefined;
    const form = formOf(ours);
    const original = shown(theirs, formOf(theirs)).replaceAll('\r\n', '\n').replaceAll('\n', form.eol);
    return openComparison({
      host: host.current,
      text: shown(ours, form),
      original,
      eol: form.eol,
      label: 'What your text changes in the file',
    });
  }, [ours, theirs]);
  return <div class="source" ref={host} />;
}
