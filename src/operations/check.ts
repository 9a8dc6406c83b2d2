import type { Diagnostic } from '../kernel/diagnostic.ts';
import { type Exploration, type StuckState, explore } from '../mail/machine/explore/explore.ts';
import type { Protocol } from '../mail/format/protocol.ts';
import { diagnosticDocument, renderDiagnostics, type DiagnosticDocument } from '../yaml/diagnostics.ts';
import type { Project } from './project/project.ts';
import { validate, type ReadWorkflow } from './validate.ts';

/** What is wrong with a project's protocol and settings, and how much there is of what is right. */
export interface CheckDocument {
  readonly schema: 1;
  /** False: there are errors, with which nothing starts. */
  readonly ok: boolean;
  readonly roles: number;
  readonly types: number;
  readonly workflows: number;
  readonly errors: readonly DiagnosticDocument[];
  readonly warnings: readonly DiagnosticDocument[];
  /** Null: it was not explored. */
  readonly exploration: {
    /** False: it ended at its bounds, and there may be more. */
    readonly complete: boolean;
    readonly states: number;
    readonly stuck: readonly StuckState[];
  } | null;
}

export interface Checkup {
  readonly document: CheckDocument;
  /** The same for people: file, line, column, the line with its mark, the hint. Empty: there is nothing to say. */
  readonly text: string;
}

/** `also`: with everything else; `only`: without the warnings of reading; `no`: it is not explored. */
export type Exploring = 'also' | 'only' | 'no';

/** The workflows of a project; only those of a project whose protocol and settings are right can be read. */
export interface Workflows {
  list(): readonly string[];
  read(path: string): Promise<ReadWorkflow>;
}

/** Reads everything that says how a project works, and starts nothing. Errors of reading are always told. */
export async function check(
  project: Pick<Project, 'definition'>,
  workflows: Workflows,
  exploring: Exploring,
  clock: () => number,
): Promise<Checkup> {
  const definition = await project.definition();
  if (!definition.ok) return checkup(null, 0, definition.problems, null);
  const { protocol } = definition.value;
  const exploration = exploring === 'no' ? null : exploreWithin(protocol, clock);
  const stuck = (exploration?.stuck ?? []).map(stuckWarning);
  if (exploring === 'only') return checkup(protocol, 0, stuck, exploration);
  const paths = workflows.list();
  const read = await Promise.all(paths.map((path) => workflows.read(path)));
  const found = [...definition.warnings, ...stuck, ...validate(read).found];
  return checkup(protocol, paths.length, found, exploration);
}

function checkup(
  protocol: Protocol | null,
  workflows: number,
  found: readonly Diagnostic[],
  exploration: Exploration | null,
): Checkup {
  const of = (severity: Diagnostic['severity']) =>
    found.filter((one) => one.severity === severity).map(diagnosticDocument);
  const errors = of('error');
  const document: CheckDocument = {
    schema: 1,
    ok: protocol !== null && errors.length === 0,
    roles: protocol?.roles.size ?? 0,
    types: protocol?.types.size ?? 0,
    workflows,
    errors,
    warnings: of('warning'),
    exploration,
  };
  return { document, text: renderDiagnostics(found) };
}

/** Milliseconds after which the exploration ends early, and says so. */
const longest = 4_000;

/** Two threads show what they can do to each other. The depth is beyond what a protocol of some roles needs to be seen whole. */
const bounds = { threads: 2, depth: 60, states: 50_000 };

/** Explores a protocol as far as a person waits for it. `clock`: milliseconds. */
export function exploreWithin(protocol: Protocol, clock: () => number): Exploration {
  const end = clock() + longest;
  return explore(protocol, { ...bounds, enough: () => clock() > end });
}

/** A stuck state as a warning, with the shortest way to it. */
export function stuckWarning({ path, why }: StuckState): Diagnostic {
  return {
    code: 'E_STUCK',
    severity: 'warning',
    message: `a role waits forever: ${why}`,
    place: null,
    hint: `this leads there: ${path.join('; ')}`,
  };
}
