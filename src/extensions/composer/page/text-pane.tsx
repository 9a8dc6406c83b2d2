import type { CompletionSource } from '@codemirror/autocomplete';
import { useEffect, useRef } from 'preact/hooks';
import { ask } from '../../../web/api/client.ts';
import { complain } from '../../../web/state/toasts.ts';
import type { CompletionsDocument } from '../documents.ts';
import type { Composer } from './model.ts';
import { sourceOffset } from './source-text.ts';
import { openEditor, type TextEditor } from './text-editor.ts';

/** The text of the workflow, with the engine's problems at their places. */
export function TextPane({ composer }: { readonly composer: Composer }) {
  const host = useRef<HTMLDivElement>(null);
  const editor = useRef<TextEditor | null>(null);
  const form = composer.form.value;
  useEffect(() => {
    if (host.current === null) return undefined;
    const opened = openEditor({
      host: host.current,
      text: composer.shown,
      eol: form.eol,
      label: 'Text of the workflow',
      complete: completing(composer),
      changed: (text) => composer.typed(text),
      moved: (line) => composer.selectLine(line),
      saved: () => void composer.save().catch(complain),
      history: (depths) => (composer.history.value = depths),
    });
    editor.current = opened;
    composer.editor = opened;
    return () => {
      composer.editor = null;
      opened.close();
    };
  }, [composer, form]);
  const problems = composer.draft.value?.problems;
  useEffect(() => editor.current?.mark(problems ?? []), [problems, form]);
  return <div class="source" ref={host} onKeyDown={keepKeys} />;
}

/** What is typed in the text must not act as a shortcut of the page. */
function keepKeys(event: KeyboardEvent): void {
  event.stopPropagation();
}

/** What the engine proposes at the cursor. */
function completing(composer: Composer): CompletionSource {
  return async (context) => {
    const { pos, explicit } = context;
    if (!explicit && context.matchBefore(/[\w.:/{-]$/) === null) return null;
    const text = composer.text.peek();
    const offset = sourceOffset(text, pos, composer.form.peek());
    const { completions } = await ask<CompletionsDocument>('POST', `${composer.path}/complete`, {
      text,
      offset,
    });
    const [first] = completions;
    if (first === undefined) return null;
    return {
      from: pos - first.typed.length,
      options: completions.map(({ label, insert, description }) => ({
        label,
        apply: insert,
        ...(description !== null && { info: description }),
      })),
    };
  };
}
