import type { Checked } from '../../kernel/diagnostic.ts';
import type { Json } from '../../kernel/json.ts';
import type { Workflow } from '../model.ts';
import { diagnosticDocument } from '../../project/definition/problems.ts';
import type { DiagnosticDocument } from '../../documents/common.ts';
import { readDocument } from '../../languages/shared/document.ts';

/** A workflow file as its author wrote it, with its problems. */
export interface WorkflowDocument {
  readonly schema: 1;
  readonly kind: 'workflow';
  readonly file: string;
  /** False: it cannot be run. */
  readonly ok: boolean;
  /** Null where there are errors. */
  readonly language: string | null;
  /**
   * The document in the keys of its language, without defaults; null where its YAML cannot be read.
   */
  readonly definition: Json;
  readonly errors: readonly DiagnosticDocument[];
  readonly warnings: readonly DiagnosticDocument[];
}

/** The document of a workflow file. Includes a file with errors, as far as its YAML can be read. */
export function showWorkflow(file: string, text: string, checked: Checked<Workflow>): WorkflowDocument {
  const found = checked.ok ? checked.warnings : checked.problems;
  const read = readDocument(text, file);
  return {
    schema: 1,
    kind: 'workflow',
    file,
    ok: checked.ok,
    language: checked.ok ? checked.value.language : null,
    definition: read.ok ? read.value.value : null,
    errors: found.filter(({ severity }) => severity === 'error').map(diagnosticDocument),
    warnings: found.filter(({ severity }) => severity === 'warning').map(diagnosticDocument),
  };
}
