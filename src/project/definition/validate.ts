import { defaultTimeout } from '../../kernel/duration.ts';
import { counted } from '../../kernel/enumerate.ts';
import type { Checked, Diagnostic } from '../../kernel/diagnostic.ts';
import { withoutAccepted } from '../../yaml/accepted.ts';
import { innerOf, stepsIn, variantsOf } from '../../workflow/bodies.ts';
import type { Body, Workflow } from '../../workflow/model.ts';
import { renderDiagnostics } from '../../yaml/diagnostics.ts';
import { diagnosticDocument } from './problems.ts';
import type { ValidateDocument } from '../../documents/workflows.ts';

/** A workflow file with the result of reading it. */
export interface ReadWorkflow {
  /** The path from the project, or as given. */
  readonly path: string;
  readonly checked: Checked<Workflow>;
  /** Its text, whose comments accept warnings; absent: nothing is accepted. */
  readonly text?: string;
}

interface Validation {
  readonly document: ValidateDocument;
  /** The problems for people; empty: none. */
  readonly text: string;
  /** 0; 2 with errors; 3 when one of them is a path that leads outside. */
  readonly code: 0 | 2 | 3;
}

/** The problems of workflows. A problem of a file that several of them use is reported once. */
export function foundIn(workflows: readonly ReadWorkflow[]): Diagnostic[] {
  return unique(workflows.flatMap(({ checked }) => problemsOf(checked)));
}

/** The same without warnings that comments in the workflows accept, as a document. */
export function validate(workflows: readonly ReadWorkflow[]): Validation {
  const texts = workflows.flatMap(({ path: file, text }) => (text === undefined ? [] : [{ file, text }]));
  const { left: found } = withoutAccepted(foundIn(workflows), texts, () => true);
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
      title: checked.ok ? (checked.value.display?.title ?? null) : null,
      language: checked.ok ? checked.value.language : null,
      steps: checked.ok ? stepsIn(checked.value.body).length : null,
      default_timeout: checked.ok ? untimed(checked.value.timeout, checked.value.body) : [],
    })),
    error: documents[0] ?? null,
    errors: documents,
    warnings: warnings.map(diagnosticDocument),
  };
  const outside = errors.some(({ code }) => code === 'E_PATH');
  return { document, text: renderDiagnostics(found), code: outside ? 3 : errors.length > 0 ? 2 : 0 };
}

/** A note with the number of warnings of a usable definition; null: none. `command`: shows them. */
export function warningsNote(read: ReadWorkflow, command: string): string | null {
  const { length } = validate([read]).document.warnings;
  if (!read.checked.ok || length === 0) return null;
  return `${read.path}: ${counted(length, 'warning')}. To show: ${command}`;
}

/** The errors and warnings of a workflow. */
export function problemsOf(checked: Checked<Workflow>): readonly Diagnostic[] {
  return checked.ok ? checked.warnings : checked.problems;
}

function unique(diagnostics: readonly Diagnostic[]): Diagnostic[] {
  return [...new Map(diagnostics.map((each) => [JSON.stringify(each), each])).values()];
}

function untimed(timeout: number | null, { steps }: Body, before = ''): string[] {
  if (timeout !== null && timeout <= defaultTimeout) return [];
  return steps.flatMap((step) => {
    const { id, work } = step;
    const path = before + id;
    const isUntimed = (each: (typeof variants)[number]) =>
      each.work.kind === 'agent' && each.timeout === defaultTimeout;
    const variants = variantsOf(step);
    if (variants.some(isUntimed)) return [path];
    const inner = innerOf(work);
    if (inner === null) return [];
    const own = work.kind === 'workflow' ? work.workflow.timeout : null;
    return untimed(Math.min(step.timeout ?? Infinity, own ?? Infinity), inner, `${path}/`);
  });
}
