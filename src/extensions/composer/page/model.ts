import { batch, computed, effect, signal } from '@preact/signals';
import type { Act, FormField, Forms } from '../graph/documents.ts';
import type { Artifact } from '../artifacts.ts';
import { valueAt, type Path } from '../../../kernel/json.ts';
import { ask, at, Problem, read, send } from '../../../web/api/client.ts';
import { draft as kept } from '../../../web/state/drafts.ts';
import { complain, notify } from '../../../web/state/toasts.ts';
import { editorPatches, formOf, patched, shown, type SourceForm } from './source-text.ts';
import { afterAct } from './after.ts';
import type { TextEditor } from './text-editor.ts';
import type { Draft } from '../documents.ts';
import type { WorkflowFile } from '../../../documents/workflows.ts';

type Overridden = WorkflowFile['overridden'][number];

/** Milliseconds after the last key until the text is read. */
const rest = 150;
/** How often an act is computed again because the text changed meanwhile. */
const mostTries = 4;

/**
 * An open workflow. Its text is the one truth: acts on the graph become changes of it, so undo and
 * redo are those of the text editor.
 */
export class Composer {
  readonly id: string;
  readonly text = signal('');
  /** What the server has; null: not read yet. */
  readonly saved = signal<{ readonly text: string; readonly revision: string } | null>(null);
  /** What somebody else has saved meanwhile; null: nothing. */
  readonly theirs = signal<{ readonly text: string; readonly revision: string } | null>(null);
  readonly draft = signal<Draft | null>(null);
  /** The last draft whose YAML could be read: what the canvas shows. */
  readonly graph = signal<Draft | null>(null);
  readonly selected = signal<readonly string[]>([]);
  /** A person has opened a step, so its form is shown until none is chosen. */
  readonly isStepOpen = signal(false);
  readonly #closing = effect(() => {
    if (this.selected.value.length === 0) this.isStepOpen.value = false;
  });
  /** The step that the canvas shows and gives the focus as soon as it has drawn it; null: none. */
  readonly wanted = signal<string | null>(null);
  /** Why the last act was refused, or what a person should know of it; null: nothing. */
  readonly said = signal<string | null>(null);
  /** The forms of the language; null: it has none, or they have not arrived. */
  readonly forms = signal<Forms | null>(null);
  /** What stages can name, and what is named and missing. */
  readonly artifacts = signal<readonly Artifact[]>([]);
  readonly #overridden = signal<readonly Overridden[]>([]);
  readonly busy = signal(false);
  readonly history = signal({ undo: 0, redo: 0 });
  readonly isDirty = computed(() => this.saved.value !== null && this.text.value !== this.saved.value.text);
  /** A syntax error in the text: the canvas shows the last valid graph. */
  readonly isFrozen = computed(() => this.draft.value !== null && this.draft.value.definition === null);
  #address: string;
  editor: TextEditor | null = null;
  readonly form = signal<SourceForm>({ mark: '', eol: '\n' });
  #reading: AbortController | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #acts: Promise<boolean> = Promise.resolve(true);
  /** The first name that each renamed step had here. */
  readonly #renamed = new Map<string, string>();

  constructor(id: string) {
    this.id = id;
    this.#address = id;
  }

  /** Reads the file, or what was typed here and not saved. */
  async open(opening: Promise<Draft>): Promise<void> {
    const draft = await opening;
    if (draft.stored === null) return;
    const { text, revision, overridden } = draft.stored;
    this.#address = draft.file;
    const [typed, base] = [this.#typed.value, this.#base.value];
    const isOurs = typed !== '' && typed !== text;
    batch(() => {
      this.saved.value = { text, revision };
      this.#overridden.value = overridden;
      this.text.value = isOurs ? typed : text;
      if (isOurs && base !== revision) this.theirs.value = { text, revision };
    });
    this.form.value = formOf(this.text.value);
    if (isOurs) await this.#draw();
    else this.#show(draft);
    await this.#loadForms();
  }

  /** What the forms need besides the definition. */
  async #loadForms(): Promise<void> {
    const draft = this.draft.peek();
    if (draft?.editable !== true) return;
    this.forms.value = (await read<Forms>(at('forms', draft.language))).document;
    this.artifacts.value = (await read<readonly Artifact[]>('/artifacts')).document ?? [];
  }

  async #stored(): Promise<WorkflowFile> {
    const { document } = await read<WorkflowFile>(this.path);
    return document!;
  }

  /** The path of the workflow in the API. A new name or id does not change it. */
  get path(): string {
    return at('workflows', this.#address);
  }

  get #typed() {
    return kept(`composer/${this.id}/text`);
  }

  get #base() {
    return kept(`composer/${this.id}/base`);
  }

  /** The text as the editor shows it. */
  get shown(): string {
    return shown(this.text.peek(), this.form.peek());
  }

  /** The editor has changed. */
  typed(lines: string): void {
    this.text.value = this.form.peek().mark + lines;
    this.#keep();
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#draw().catch(complain), rest);
  }

  #keep(): void {
    const { isDirty, saved } = this;
    this.#typed.value = isDirty.peek() ? this.text.peek() : '';
    this.#base.value = isDirty.peek() ? (saved.peek()?.revision ?? '') : '';
  }

  /** Reads the text again, and forgets an older reading. */
  async #draw(): Promise<void> {
    this.#reading?.abort();
    const own = new AbortController();
    this.#reading = own;
    try {
      this.#show(await this.#ask({ text: this.text.peek() }, own.signal));
    } catch (error) {
      if (!own.signal.aborted) throw error;
    }
  }

  async #ask(content: { readonly text: string; readonly act?: Act }, ending?: AbortSignal): Promise<Draft> {
    return ask('POST', `${this.path}/compose`, content, ending === undefined ? {} : { signal: ending });
  }

  #show(draft: Draft): void {
    batch(() => {
      this.draft.value = draft;
      if (draft.definition !== null) {
        this.graph.value = draft;
        const names = new Set(draft.steps.map(({ id }) => id));
        this.selected.value = this.selected.value.filter((name) => names.has(name));
      }
    });
  }

  /** The engine's objection to an act, at a path; null: none. Changes nothing. */
  async tryOut(act: Act, path: Path): Promise<string | null> {
    const draft = await this.#ask({ text: this.text.peek(), act });
    return draft.refused ?? problemIn(draft, path);
  }

  /** What is wrong at a path or inside; null: nothing. */
  problemAt(path: Path): string | null {
    const { value } = this.draft;
    return value === null ? null : problemIn(value, path);
  }

  /** The file that gives the value at a path; null: none but this one. */
  overriddenAt(path: Path): string | null {
    const found = this.#overridden.value.find((each) => isSame(each.path, path));
    return found === undefined ? null : `${found.file}:${String(found.line)}`;
  }

  /** What a field can name. */
  namesFor({ key, names }: FormField): readonly string[] {
    if (names === 'step') return this.graph.value?.steps.slice(0, 300).map(({ id }) => id) ?? [];
    if (key !== 'artifact') return [];
    return this.artifacts.value.filter(({ kind }) => kind === 'agent').map(({ ref }) => ref);
  }

  /** Does something to the graph, after what was asked before it. False: it was refused. */
  async act(act: Act): Promise<boolean> {
    const turn = this.#after(this.#acts, act);
    this.#acts = turn;
    return turn;
  }

  async #after(before: Promise<boolean>, act: Act): Promise<boolean> {
    await before;
    this.busy.value = true;
    this.said.value = null;
    try {
      return await this.#do(act);
    } catch (error) {
      complain(error);
      return false;
    } finally {
      this.busy.value = false;
    }
  }

  async #do(act: Act): Promise<boolean> {
    for (let tries = 0; tries < mostTries; tries += 1) {
      const text = this.text.peek();
      const draft = await this.#ask({ text, act });
      if (text !== this.text.peek()) continue;
      if (draft.refused !== null) {
        this.said.value = `Not done: ${draft.refused}.`;
        return false;
      }
      this.editor?.apply(editorPatches(text, draft.patches, this.form.peek()));
      clearTimeout(this.#timer);
      this.#reading?.abort();
      this.#showAfter(act, draft);
      if (draft.notes.length > 0) this.said.value = `${draft.notes.join('; ')}.`;
      return true;
    }
    throw new Problem('E_REFUSED', 409, 'the text changed meanwhile', 'try it again');
  }

  /** Shows what an act has made, and chooses it. */
  #showAfter(act: Act, draft: Draft): void {
    const { chosen, focused, revealed } = afterAct(act, this.graph.peek(), draft, this.selected.peek());
    batch(() => {
      this.selected.value = chosen;
      this.#show(draft);
      this.wanted.value = focused;
    });
    if (act.do === 'rename') this.#renamed.set(act.name, this.subject(act.step));
    this.#revealStep(revealed);
  }

  /** Writes the text to its file, unless that has changed. Returns whether the file has it now. */
  async save(): Promise<boolean> {
    const { saved, text } = this;
    const base = saved.peek();
    if (base === null) return false;
    if (base.text === text.peek()) return true;
    const sent = text.peek();
    try {
      const { revision } = await ask<{ readonly revision: string }>(
        'PUT',
        this.path,
        { text: sent },
        { tag: base.revision },
      );
      saved.value = { text: sent, revision };
      if (this.theirs.peek()?.revision === revision) this.theirs.value = null;
      this.#keep();
      notify('Saved.');
      return true;
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      const { problems } = this.draft.peek() ?? { problems: [] };
      if (error.status === 422 && problems.some(({ severity }) => severity === 'error'))
        this.said.value = 'Not saved: correct the errors below first.';
      else if (error.status === 412) await this.look();
      else throw error;
      return false;
    }
  }

  /** Reads again what others may have changed: the file, and what stages can name. */
  async refresh(): Promise<void> {
    await this.look();
    await this.#draw();
    await this.#loadForms();
  }

  /** Reads whether the file has changed since it was opened. */
  async look(): Promise<void> {
    const base = this.saved.peek();
    const { text, revision } = await this.#stored();
    // What was saved meanwhile is newer than this answer.
    if (base === null || this.saved.peek() !== base) return;
    if (revision === base.revision) this.theirs.value = null;
    else if (text === this.text.peek()) this.#take({ text, revision });
    else if (this.isDirty.peek()) this.theirs.value = { text, revision };
    else this.#take({ text, revision });
  }

  /** Shows what is stored now. What was changed here is in the history of the editor. */
  reload(): void {
    const stored = this.theirs.peek();
    if (stored !== null) this.#take(stored);
  }

  /** The text counts as made from the stored version, so that saving replaces that. */
  keepOurs(): void {
    const stored = this.theirs.peek();
    if (stored === null) return;
    this.saved.value = stored;
    this.theirs.value = null;
    this.#keep();
  }

  /** Writes what is here to a new file, as a workflow of another name. Returns the file. */
  async saveAs(name: string): Promise<string> {
    const text = this.text.peek();
    const file = this.draft.peek()?.definition ?? null;
    const path = valueAt(file, ['workflow', 'id']) === undefined ? ['name'] : ['workflow', 'id'];
    const { refused, patches } = await this.#ask({ text, act: { do: 'set', path, value: name } });
    if (refused !== null) throw new Problem('E_REFUSED', 409, `${refused}.`);
    const copy = patched(text, patches);
    const { file: made } = await send<{ readonly file: string }>('/workflows', { text: copy });
    return made;
  }

  #take(stored: { readonly text: string; readonly revision: string }): void {
    batch(() => {
      this.saved.value = stored;
      this.theirs.value = null;
    });
    if (stored.text === this.text.peek()) return;
    const [before, after] = [this.form.peek(), formOf(stored.text)];
    if (before.eol === after.eol && before.mark === after.mark)
      this.editor?.replace(shown(stored.text, after));
    else {
      // An editor has one kind of line ends: a new one opens.
      this.text.value = stored.text;
      this.form.value = after;
      void this.#draw().catch(complain);
    }
  }

  /** Chooses a step and opens it; `more`: only adds it to the choice, or takes it out. */
  choose(name: string, more = false): void {
    const { value } = this.selected;
    if (!more) this.isStepOpen.value = true;
    if (!more) this.selected.value = value.includes(name) && value.length > 1 ? value : [name];
    else
      this.selected.value = value.includes(name) ? value.filter((each) => each !== name) : [...value, name];
  }

  /** Opens a step alone, and shows its text. */
  edit(name: string): void {
    this.isStepOpen.value = true;
    this.selected.value = [name];
    this.#revealStep(name);
  }

  #revealStep(name: string | null): void {
    const lines = this.draft.peek()?.steps.find(({ id }) => id === name)?.lines ?? null;
    if (lines !== null) this.editor?.reveal(lines[0]);
  }

  /** Shows a line of the text, and the step to which it belongs. */
  reveal(line: number, step: string | null): void {
    if (step !== null) this.selected.value = [step];
    this.editor?.reveal(line);
  }

  /** Chooses the step on a line of the text. */
  selectLine(line: number): void {
    const found = this.draft
      .peek()
      ?.steps.find(({ lines }) => lines !== null && lines[0] <= line && line <= lines[1]);
    if (found !== undefined && !this.selected.peek().includes(found.id)) this.selected.value = [found.id];
  }

  /** A name for the form of a step, which a new name of the step does not change. */
  subject(step: string): string {
    return this.#renamed.get(step) ?? step;
  }

  /** Cancels requests in progress. */
  close(): void {
    clearTimeout(this.#timer);
    this.#reading?.abort();
    this.#closing();
  }
}

function problemIn({ problems }: Draft, path: Path): string | null {
  const found = problems.find(
    (each) => path.length <= each.path.length && isSame(path, each.path.slice(0, path.length)),
  );
  return found === undefined
    ? null
    : [found.message, ...(found.hint === null ? [] : [found.hint])].join('; ');
}

function isSame(one: Path, other: Path): boolean {
  return one.length === other.length && one.every((key, index) => key === other[index]);
}
