import type { Diagnostic } from '../../kernel/diagnostic.ts';
import { MailroomError } from '../../kernel/errors.ts';
import { renderDiagnostics } from '../../yaml/diagnostics.ts';
import type { DiagnosticDocument } from '../../documents/common.ts';

/** All problems of a text file; its message is that of the first one. */
export class ProblemsError extends MailroomError {
  readonly problems: readonly Diagnostic[];

  constructor(problems: readonly Diagnostic[]) {
    const first = problems.find(({ severity }) => severity === 'error') ?? problems[0];
    super(first?.code ?? 'E_INTERNAL', first?.message ?? 'something is wrong', first?.hint ?? null);
    this.problems = problems;
  }
}

/** Problems for people, each with its position, line and hint, if any. */
export function problemsText(problems: readonly Diagnostic[]): string {
  return renderDiagnostics(problems);
}

/** A diagnostic for programs. */
export function diagnosticDocument(diagnostic: Diagnostic): DiagnosticDocument {
  const { code, severity, message, place, hint } = diagnostic;
  return {
    code,
    severity,
    message,
    file: place?.file ?? null,
    line: place?.line ?? null,
    column: place?.column ?? null,
    // A mark never leaves its line.
    endLine: place?.line ?? null,
    endColumn: place === null ? null : place.column + place.length,
    hint,
  };
}

/** Problems for programs. */
export function problemDocuments(problems: readonly Diagnostic[]): DiagnosticDocument[] {
  return problems.map(diagnosticDocument);
}

/** A failure for programs: the first problem, and all of them. */
export interface ErrorDocument {
  readonly schema: 1;
  readonly error: DiagnosticDocument;
  readonly errors: readonly DiagnosticDocument[];
}

export function errorDocument(error: MailroomError): ErrorDocument {
  const { code, message, hint } = error;
  const all = problemDocuments(
    error instanceof ProblemsError && error.problems.length > 0
      ? error.problems
      : [{ code, severity: 'error', message, place: null, hint }],
  );
  const first = all.find((one) => one.code === code && one.message === message) ?? all[0];
  return { schema: 1, error: first as DiagnosticDocument, errors: all };
}

/** A failure for people: `error E_CODE: message`, with the position, line and hint, if any. */
export function errorText(error: MailroomError): string {
  if (error instanceof ProblemsError) return problemsText(error.problems);
  const { code, hint } = error;
  const [message = '', ...more] = error.message.split('\n');
  // A list below the message quotes text from outside.
  const list = more.map((text) => text.replaceAll(/\p{Cc}/gu, '\ufffd'));
  const head = renderDiagnostics([{ code, severity: 'error', message, place: null, hint: null }]);
  return [head, ...list, ...(hint === null ? [] : [`hint: ${hint}`])].join('\n');
}
