import { autocompletion, completionKeymap, type CompletionSource } from '@codemirror/autocomplete';
import {
  defaultKeymap,
  history,
  historyKeymap,
  isolateHistory,
  redo,
  redoDepth,
  undo,
  undoDepth,
} from '@codemirror/commands';
import { yaml } from '@codemirror/lang-yaml';
import { bracketMatching, HighlightStyle, indentOnInput, syntaxHighlighting } from '@codemirror/language';
import { lintGutter, lintKeymap, setDiagnostics, type Diagnostic } from '@codemirror/lint';
import { highlightSelectionMatches, searchKeymap } from '@codemirror/search';
import { EditorState, type Extension } from '@codemirror/state';
import {
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  highlightSpecialChars,
  keymap,
  type KeyBinding,
  lineNumbers,
} from '@codemirror/view';
import { tags } from '@lezer/highlight';
import type { Draft, DraftProblem } from '../documents.ts';

/*
 * The text of a workflow in CodeMirror. It lives in a shadow root: its styles are style sheets that
 * are adopted there, which the policy of the page allows.
 */

const colors = syntaxHighlighting(
  HighlightStyle.define([
    { tag: [tags.definition(tags.propertyName), tags.propertyName], color: 'var(--accent)' },
    { tag: [tags.string, tags.content], color: 'var(--ink)' },
    { tag: tags.comment, color: 'var(--dim)', fontStyle: 'italic' },
    { tag: [tags.number, tags.bool, tags.null, tags.keyword], color: 'var(--good)' },
    { tag: [tags.punctuation, tags.separator, tags.squareBracket, tags.brace], color: 'var(--dim)' },
  ]),
);

const look = EditorView.theme({
  '&': { height: '100%', backgroundColor: 'var(--surface)', color: 'var(--ink)', fontSize: '13px' },
  '&.cm-focused': { outline: '2px solid var(--accent)', outlineOffset: '-2px' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.5' },
  '.cm-gutters': {
    backgroundColor: 'var(--surface)',
    color: 'var(--dim)',
    borderRight: '1px solid var(--line)',
  },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'var(--raised)' },
  '.cm-content': { caretColor: 'var(--ink)' },
  '.cm-tooltip, .cm-panels': {
    backgroundColor: 'var(--surface)',
    color: 'var(--ink)',
    border: '1px solid var(--line)',
  },
  '.cm-tooltip-autocomplete > ul > li[aria-selected]': {
    backgroundColor: 'var(--accent-soft)',
    color: 'var(--ink)',
  },
  '.cm-diagnostic-error': { borderLeftColor: 'var(--bad)' },
  '.cm-diagnostic-warning': { borderLeftColor: 'var(--wait)' },
});

const usual: Extension = [
  lineNumbers(),
  highlightActiveLineGutter(),
  highlightSpecialChars(),
  indentOnInput(),
  bracketMatching(),
  highlightActiveLine(),
  highlightSelectionMatches(),
  EditorView.lineWrapping,
  yaml(),
  colors,
  look,
  EditorState.tabSize.of(2),
];

/** A change that undo takes back as a whole, and alone. */
const whole = { userEvent: 'graph', annotations: isolateHistory.of('full') };

interface EditorOptions {
  readonly host: HTMLElement;
  readonly text: string;
  readonly eol: string;
  readonly label: string;
  readonly complete: CompletionSource;
  readonly changed: (text: string) => void;
  /** Line, from 1. */
  readonly moved: (line: number) => void;
  readonly saved: () => void;
  readonly history: (depths: { readonly undo: number; readonly redo: number }) => void;
}

export type TextEditor = ReturnType<typeof openEditor>;

function rootOf(host: HTMLElement): ShadowRoot {
  return host.shadowRoot ?? host.attachShadow({ mode: 'open' });
}

function keysWith(saved: () => void): KeyBinding[] {
  const save = () => {
    saved();
    return true;
  };
  return [
    { key: 'Mod-s', run: save },
    ...completionKeymap,
    ...lintKeymap,
    ...searchKeymap,
    ...historyKeymap,
    ...defaultKeymap,
  ];
}

/** An editor of a source text. Its shortcuts reach nothing else of the page. */
export function openEditor(options: EditorOptions) {
  const { host, text, eol, label, complete, changed, moved } = options;
  const view = new EditorView({
    root: rootOf(host),
    parent: rootOf(host),
    state: EditorState.create({
      doc: text,
      extensions: [
        usual,
        EditorState.lineSeparator.of(eol),
        EditorView.clipboardInputFilter.of((pasted) => pasted.replaceAll(/\r\n|\r|\n/g, eol)),
        EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' }),
        history(),
        lintGutter(),
        autocompletion({ override: [complete] }),
        keymap.of(keysWith(options.saved)),
        EditorView.updateListener.of(({ state, docChanged, selectionSet, transactions }) => {
          if (docChanged) changed(state.sliceDoc());
          if (docChanged) options.history({ undo: undoDepth(state), redo: redoDepth(state) });
          const isOwn = transactions.some((each) => each.isUserEvent('select') || each.isUserEvent('input'));
          if (selectionSet && isOwn) moved(state.doc.lineAt(state.selection.main.head).number);
        }),
      ],
    }),
  });
  // The editor's own way would scroll the page, too.
  const scrollTo = (offset: number) => (view.scrollDOM.scrollTop = view.lineBlockAt(offset).top - 60);
  return {
    /** One step of its history, which is scrolled to. */
    apply(patches: Draft['patches']) {
      const changes = view.state.changes([...patches]);
      const from = Math.min(patches[0]?.from ?? 0, changes.newLength);
      view.dispatch({ changes, ...whole });
      if (patches.length > 0) scrollTo(from);
    },
    replace: (insert: string) =>
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert }, ...whole }),
    undo: () => void undo(view),
    redo: () => void redo(view),
    mark: (problems: readonly DraftProblem[]) =>
      view.dispatch(
        setDiagnostics(
          view.state,
          problems.map((each) => markOf(view.state, each)),
        ),
      ),
    /** Scrolls to a line, and puts the cursor there. */
    reveal(line: number) {
      const { from } = view.state.doc.line(Math.max(1, Math.min(view.state.doc.lines, line)));
      view.dispatch({ selection: { anchor: from } });
      scrollTo(from);
    },
    close: () => view.destroy(),
  };
}

function markOf(
  { doc }: EditorState,
  { line, column, endColumn, severity, message, code, hint }: DraftProblem,
): Diagnostic {
  const { from, to } = doc.line(Math.max(1, Math.min(doc.lines, line ?? 1)));
  const place = (at: number) => Math.max(from, Math.min(to, from + at - 1));
  return {
    from: place(column ?? 1),
    to: place(endColumn ?? column ?? 1),
    severity,
    source: code,
    message: hint === null ? message : `${message}\n${hint}`,
  };
}
