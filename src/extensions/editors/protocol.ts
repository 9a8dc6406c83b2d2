import type { TextDocument } from 'vscode-languageserver-textdocument';
import {
  CodeActionKind,
  CompletionItemKind,
  DiagnosticSeverity,
  type CodeAction,
  type CompletionItem,
  type Diagnostic as EditorDiagnostic,
  type Range,
  type TextEdit,
} from 'vscode-languageserver/node';
import type { Completion } from '../../editing/cursor.ts';
import { fixesOf } from '../../editing/fixes.ts';
import type { Diagnostic } from '../../kernel/diagnostic.ts';
import type { Patch } from '../../yaml/edit/patches.ts';

/* What Mailroom finds, in the terms of the Language Server Protocol: lines and columns from 0. */

/** A diagnostic of the protocol; without a place, at the beginning of the text. */
export function diagnosticOf({ code, severity, message, place, hint }: Diagnostic): EditorDiagnostic {
  const line = (place?.line ?? 1) - 1;
  const character = (place?.column ?? 1) - 1;
  return {
    range: { start: { line, character }, end: { line, character: character + (place?.length ?? 0) } },
    severity: severity === 'error' ? DiagnosticSeverity.Error : DiagnosticSeverity.Warning,
    code,
    source: 'mailroom',
    message: hint === null ? message : `${message}\n${hint}`,
  };
}

const kinds: Readonly<Record<Completion['kind'], CompletionItemKind>> = {
  key: CompletionItemKind.Property,
  value: CompletionItemKind.EnumMember,
  step: CompletionItemKind.Reference,
  name: CompletionItemKind.Variable,
  function: CompletionItemKind.Function,
  file: CompletionItemKind.File,
};

/** A proposal that replaces what is typed before an offset; `index`: its place in the list. */
export function completionOf(
  { label, kind, description, insert, typed }: Completion,
  index: number,
  document: TextDocument,
  offset: number,
): CompletionItem {
  return {
    label,
    kind: kinds[kind],
    ...(description !== null && { documentation: description }),
    sortText: String(index).padStart(4, '0'),
    filterText: label,
    textEdit: editOf({ from: offset - typed.length, to: offset, insert }, document),
  };
}

export function editOf({ from, to, insert }: Patch, document: TextDocument): TextEdit {
  return { range: { start: document.positionAt(from), end: document.positionAt(to) }, newText: insert };
}

/** Whether a line is in a range. */
export function isWithin(line: number, { start, end }: Range): boolean {
  return start.line <= line && line <= end.line;
}

/** The quick fixes that the hint of a diagnostic names. */
export function actionsOf(diagnostic: Diagnostic, uri: string): CodeAction[] {
  const fixes = fixesOf(diagnostic);
  return fixes.map(({ title, line, column, endColumn, insert }) => {
    const range = {
      start: { line: line - 1, character: column - 1 },
      end: { line: line - 1, character: endColumn - 1 },
    };
    return {
      title,
      kind: CodeActionKind.QuickFix,
      diagnostics: [diagnosticOf(diagnostic)],
      isPreferred: fixes.length === 1,
      edit: { changes: { [uri]: [{ range, newText: insert }] } },
    };
  });
}
