import { valueAt, type Json, type JsonObject } from '../../../kernel/json.ts';
import type { CopiedStep } from '../graph/documents.ts';
import { notify } from '../../../web/state/toasts.ts';
import type { Composer } from './model.ts';
import type { Draft } from '../documents.ts';

/* Steps in the clipboard of the system: data for another composer, and lines for text fields. */

const type = 'application/x-mailroom-steps';

interface Clip {
  readonly language: string;
  readonly steps: readonly CopiedStep[];
}

/** Copies, cuts and pastes the chosen steps by the usual keys. Returns how to end that. */
export function listenToClipboard(composer: Composer): () => void {
  const copy = (event: ClipboardEvent) => {
    const draft = composer.graph.peek();
    const names = composer.selected.peek();
    if (draft === null || names.length === 0 || isOfText(event)) return;
    const clip = clipOf(draft, names);
    event.clipboardData?.setData(type, JSON.stringify(clip));
    event.clipboardData?.setData('text/plain', linesOf(composer.text.peek(), draft, names));
    event.preventDefault();
    if (event.type === 'cut' && draft.editable) void composer.act({ do: 'remove', steps: names });
    else notify(`Copied ${names.length === 1 ? 'a step' : `${String(names.length)} steps`}.`);
  };
  const paste = (event: ClipboardEvent) => {
    const clip = event.clipboardData?.getData(type) ?? '';
    if (clip === '' || composer.graph.peek() === null || isOfText(event)) return;
    event.preventDefault();
    void composer.act({ do: 'paste', ...(JSON.parse(clip) as Clip) });
  };
  const handlers = { copy, cut: copy, paste } as const;
  for (const [name, handler] of Object.entries(handlers))
    document.addEventListener(name as keyof typeof handlers, handler);
  return () => {
    for (const [name, handler] of Object.entries(handlers))
      document.removeEventListener(name as keyof typeof handlers, handler);
  };
}

/** Whether a person copies text, or pastes into an input field. */
function isOfText({ target, type: does }: ClipboardEvent): boolean {
  const isField = target instanceof Element && target.closest('.source, input, textarea, select') !== null;
  return isField || (does !== 'paste' && getSelection()?.isCollapsed === false);
}

function clipOf({ language, definition, steps }: Draft, names: readonly string[]): Clip {
  const chosen = steps.filter(({ id, path }) => path !== null && names.includes(id));
  return {
    language,
    steps: chosen.map(({ id, path }) => ({ id, value: objectAt(definition, path ?? []) })),
  };
}

function objectAt(definition: Json, path: NonNullable<Draft['steps'][number]['path']>): JsonObject {
  const value = valueAt(definition, path);
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};
}

/** The lines of the steps, with what else is in them. */
function linesOf(text: string, { steps }: Draft, names: readonly string[]): string {
  const lines = text.split('\n');
  return steps
    .flatMap(({ id, lines: own }) =>
      own === null || !names.includes(id) ? [] : lines.slice(own[0] - 1, own[1]),
    )
    .map((line) => `${line}\n`)
    .join('');
}
