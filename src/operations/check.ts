import type { Diagnostic } from '../kernel/diagnostic.ts';
import { type Exploration, type StuckState, explore } from '../mail/machine/explore/explore.ts';
import type { Protocol } from '../mail/format/protocol.ts';
import { diagnosticDocument, renderDiagnostics, type DiagnosticDocument } from '../yaml/diagnostics.ts';
import type { Misplaced } from '../mail/mailboxes/misplaced.ts';
import { profilesOf, stepsIn } from '../workflow/bodies.ts';
import type { Definition, ProjectServices } from './services.ts';
import { validate, type ReadWorkflow } from './validate.ts';

/** The problems of a project's protocol and settings, and a count of its valid parts. */
export interface CheckDocument {
  readonly schema: 1;
  /** False: there are errors, so that nothing can start. */
  readonly ok: boolean;
  readonly roles: number;
  readonly types: number;
  readonly workflows: number;
  readonly errors: readonly DiagnosticDocument[];
  readonly warnings: readonly DiagnosticDocument[];
  /** Null: it was not explored. */
  readonly exploration: {
    /** False: it reached its limits, so there may be more. */
    readonly complete: boolean;
    readonly states: number;
    readonly stuck: readonly StuckState[];
  } | null;
}

interface ProjectCheck {
  readonly document: CheckDocument;
  /** The same for people: file, line, column, the marked line, the hint. Empty: no problems. */
  readonly text: string;
}

/**
 * `also`: explore besides the checks; `only`: without warnings of reading; `no`: do not explore.
 */
type Exploring = 'also' | 'only' | 'no';

/** The workflows of a project, which can be read only if its protocol and settings are valid. */
interface Workflows {
  list(): readonly string[];
  read(path: string): Promise<ReadWorkflow>;
}

/** Reads all definitions of a project, and starts nothing. Always reports errors of reading. */
export async function check(
  project: Pick<ProjectServices, 'definition' | 'misplaced'>,
  workflows: Workflows,
  exploring: Exploring,
  clock: () => number,
): Promise<ProjectCheck> {
  const definition = await project.definition();
  if (!definition.ok) return checkup(null, 0, definition.problems, null);
  const { protocol, config } = definition.value;
  const exploration = exploring === 'no' ? null : exploreWithin(protocol, clock);
  const stuck = (exploration?.stuck ?? []).map(stuckWarning);
  if (exploring === 'only') return checkup(protocol, 0, stuck, exploration);
  const paths = workflows.list();
  const read = await Promise.all(paths.map((path) => workflows.read(path)));
  const misplaced = project.misplaced(protocol, config).map(misplacedWarning);
  const unused = unusedAgents(definition.value, read);
  const found = [...definition.warnings, ...unused, ...misplaced, ...stuck, ...validate(read).found];
  return checkup(protocol, paths.length, found, exploration);
}

/** Warns of agents that no role and no step names; not while a workflow cannot be read. */
function unusedAgents({ protocol, config }: Definition, workflows: readonly ReadWorkflow[]): Diagnostic[] {
  const used = new Set([...protocol.roles.values()].map(({ agent }) => agent));
  for (const { checked } of workflows) {
    if (!checked.ok) return [];
    for (const { name } of stepsIn(checked.value.body).flatMap(profilesOf)) used.add(name);
  }
  return [...config.profiles.values()].flatMap((profile): Diagnostic[] => {
    if (used.has(profile.name)) return [];
    const message = `no role and no step uses the agent \`${profile.name}\``;
    const hint = `say \`agent: ${profile.name}\` in one, or remove it`;
    return [{ code: 'E_PROTOCOL', severity: 'warning', message, place: profile.place(), hint }];
  });
}

function checkup(
  protocol: Protocol | null,
  workflows: number,
  found: readonly Diagnostic[],
  exploration: Exploration | null,
): ProjectCheck {
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

/** Milliseconds after which the exploration ends early, and reports that. */
const longest = 4_000;

/**
 * Two threads show how they interact. The depth exceeds what a complete exploration of a protocol
 * with some roles needs.
 */
const bounds = { threads: 2, depth: 60, states: 50_000 };

/** Explores a protocol within the time that a person waits for it. `clock`: milliseconds. */
function exploreWithin(protocol: Protocol, clock: () => number): Exploration {
  const end = clock() + longest;
  return explore(protocol, { ...bounds, enough: () => clock() > end });
}

function misplacedWarning({ message, hint }: Misplaced): Diagnostic {
  return { code: 'E_MISPLACED', severity: 'warning', message, place: null, hint };
}

/** A warning of a stuck state, with the shortest path to it. */
function stuckWarning({ path, why }: StuckState): Diagnostic {
  return {
    code: 'E_STUCK',
    severity: 'warning',
    message: `a role waits forever: ${why}`,
    place: null,
    hint: `this leads there: ${path.join('; ')}`,
  };
}
