import type { Diagnostic } from '../../core/diagnostic.ts';
import type { Protocol } from '../../core/mail/protocol.ts';
import { diagnosticDocument, renderDiagnostics, type DiagnosticDocument } from '../../spec/diagnostics.ts';
import type { Project } from './project.ts';

/** What is wrong with a project's protocol and settings, and how much there is of what is right. */
export interface CheckDocument {
  readonly schema: 1;
  /** False: there are errors, with which nothing starts. */
  readonly ok: boolean;
  readonly roles: number;
  readonly types: number;
  readonly errors: readonly DiagnosticDocument[];
  readonly warnings: readonly DiagnosticDocument[];
}

export interface Checkup {
  readonly document: CheckDocument;
  /** The same for people: file, line, column, the line with its mark, the hint. Empty: there is nothing to say. */
  readonly text: string;
}

/** Looks for states of a protocol in which somebody waits for ever. */
export type Explore = (protocol: Protocol) => readonly Diagnostic[];

/**
 * Reads everything that says how a project works, and starts nothing. `only`: what the exploration finds, without the
 * warnings of reading; errors of reading are always told, as nothing can be explored then.
 */
export async function check(
  project: Pick<Project, 'definition'>,
  explore: Explore | null,
  only: boolean,
): Promise<Checkup> {
  const definition = await project.definition();
  if (!definition.ok) return checkup(null, definition.problems);
  const { protocol } = definition.value;
  const stuck = explore ? explore(protocol) : [];
  return checkup(protocol, only ? stuck : [...definition.warnings, ...stuck]);
}

function checkup(protocol: Protocol | null, found: readonly Diagnostic[]): Checkup {
  const of = (severity: Diagnostic['severity']) =>
    found.filter((one) => one.severity === severity).map(diagnosticDocument);
  const errors = of('error');
  const document: CheckDocument = {
    schema: 1,
    ok: protocol !== null && errors.length === 0,
    roles: protocol?.roles.size ?? 0,
    types: protocol?.types.size ?? 0,
    errors,
    warnings: of('warning'),
  };
  return { document, text: renderDiagnostics(found) };
}
