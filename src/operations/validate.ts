import type { Checked, Diagnostic } from '../kernel/diagnostic.ts';
import { innerOf } from '../workflow/bodies.ts';
import type { Body, Workflow } from '../workflow/model.ts';
import { diagnosticDocument, renderDiagnostics, type DiagnosticDocument } from '../yaml/diagnostics.ts';

/** A workflow file as it was read. */
export interface ReadWorkflow {
  /** As people know it: from the project, or as it was given. */
  readonly path: string;
  readonly checked: Checked<Workflow>;
}

/** What is wrong with some workflows, and what is in those that are right. */
export interface ValidateDocument {
  readonly schema: 1;
  /** False: one of them cannot be run. */
  readonly ok: boolean;
  readonly workflows: readonly {
    readonly file: string;
    readonly ok: boolean;
    /** Null where there are errors. */
    readonly name: string | null;
    readonly language: string | null;
    /** Steps, those of loops and of sub-workflows included; null where there are errors. */
    readonly steps: number | null;
  }[];
  /** The first error; null: there is none. */
  readonly error: DiagnosticDocument | null;
  readonly errors: readonly DiagnosticDocument[];
  readonly warnings: readonly DiagnosticDocument[];
}

export interface Validation {
  readonly document: ValidateDocument;
  readonly found: readonly Diagnostic[];
  /** The problems for people; empty: there are none. */
  readonly text: string;
  /** 0; 2 with errors; 3 when one of them is a path that leads outside. */
  readonly code: 0 | 2 | 3;
}

/** Says what is wrong with workflows that were read. What is wrong with a file that several of them use is said once. */
export function validate(workflows: readonly ReadWorkflow[]): Validation {
  const found = unique(workflows.flatMap(({ checked }) => diagnosticsOf(checked)));
  const errors = found.filter(({ severity }) => severity === 'error');
  const warnings = found.filter(({ severity }) => severity === 'warning');
  const documents = errors.map(diagnosticDocument);
  const document: ValidateDocument = {
    schema: 1,
    ok: errors.length === 0,
    workflows: workflows.map(({ path, checked }) => ({
      file: path,
      ok: checked.ok,
      name: checked.ok ? checked.value.name : null,
      language: checked.ok ? checked.value.language : null,
      steps: checked.ok ? countSteps(checked.value.body) : null,
    })),
    error: documents[0] ?? null,
    errors: documents,
    warnings: warnings.map(diagnosticDocument),
  };
  const outside = errors.some(({ code }) => code === 'E_PATH');
  return { document, found, text: renderDiagnostics(found), code: outside ? 3 : errors.length > 0 ? 2 : 0 };
}

/** How many warnings there are about a definition that is used all the same; null: none. `command`: what shows them. */
export function warningsNote(read: ReadWorkflow, command: string): string | null {
  const { length } = validate([read]).document.warnings;
  if (!read.checked.ok || length === 0) return null;
  return `${read.path}: ${String(length)} warning${length === 1 ? '' : 's'}. To show: ${command}`;
}

function diagnosticsOf(checked: Checked<Workflow>): readonly Diagnostic[] {
  return checked.ok ? checked.warnings : checked.problems;
}

function unique(diagnostics: readonly Diagnostic[]): Diagnostic[] {
  return [...new Map(diagnostics.map((each) => [JSON.stringify(each), each])).values()];
}

function countSteps({ steps }: Body): number {
  return steps.reduce((sum, { work }) => {
    const inner = innerOf(work);
    return sum + 1 + (inner === null ? 0 : countSteps(inner));
  }, 0);
}
