import { isProtocolFile } from '../disk/find-project.ts';
import { orElse } from '../kernel/contained.ts';
import { defaultTimeout } from '../kernel/duration.ts';
import type { Diagnostic, Place } from '../kernel/diagnostic.ts';
import { enumerate } from '../kernel/enumerate.ts';
import { mergeFiles } from '../mail/protocol/merge.ts';
import { parseYaml } from '../yaml/yaml.ts';
import { withoutAccepted, type Judged } from '../yaml/accepted.ts';
import { type Exploration, type StuckState, explore } from '../mail/machine/explore/explore.ts';
import { hasQuestion, isHuman, question, typesFrom, type Protocol } from '../mail/format/protocol.ts';
import { renderDiagnostics } from '../yaml/diagnostics.ts';
import { diagnosticDocument } from './definition/problems.ts';
import type { DiagnosticDocument } from '../documents/common.ts';
import type { Misplaced } from '../mail/mailboxes/misplaced.ts';
import { profilesOf, stepsIn } from '../workflow/bodies.ts';
import { protocolDeputies, unprotected } from './definition/deputies.ts';
import { missingBranches } from './definition/workspace-problem.ts';
import { channelProblems } from './channel-problems.ts';
import type { Definition } from './definition/definition.ts';
import type { Project } from './project.ts';
import { readRoleFile } from './definition/project-files.ts';
import { bodyStart } from './definition/role-texts.ts';
import { wordsAgainstProtocol } from './role-words.ts';
import { Source } from '../yaml/source.ts';
import { missingFiles, missingPrograms, type Places } from './first-start.ts';
import { foundIn, type ReadWorkflow } from './definition/validate.ts';

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
  /** How many warnings comments `mailroom-ok` accept. */
  readonly accepted: number;
  /** Roles that have the default `timeout`. */
  readonly default_timeout: readonly string[];
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

/**
 * Reads all definitions of a project, and starts nothing. Always reports errors of reading.
 * `report`: called with the number of explored states, after each.
 */
export async function check(
  project: Project,
  exploring: Exploring,
  report?: (states: number) => void,
): Promise<ProjectCheck> {
  const { workflows, root } = project;
  const definition = await project.definition();
  if (!definition.ok) return checkup(null, 0, { left: definition.problems, accepted: 0 }, null);
  const { protocol, config } = definition.value;
  const exploration = exploring === 'no' ? null : explore(protocol, bounds, report);
  const files = definitionFiles(project);
  const places = placesOf(files);
  const stuck = (exploration?.stuck ?? []).map((each) => stuckWarning(each, places.protocol));
  if (exploring === 'only') {
    const judged = withoutAccepted(stuck, files, (code) => code === 'E_STUCK');
    return checkup(protocol, 0, judged, exploration);
  }
  const paths = workflows.list();
  const read = await Promise.all(paths.map((path) => workflows.read(path, root)));
  const isIdle = exploration?.states === 0;
  const isByWorkflow = isIdle && beginsByWorkflow(read);
  const found = [
    ...(await workspaceWarnings(project, definition.value, places)),
    ...definition.warnings,
    ...unableToAsk(protocol, places.protocol),
    ...protocolDeputies(protocol, config, places),
    ...missingPrograms(protocol, config, { root, environment: project.settings.environment }, places),
    ...(await unprotected(protocol, config, places.protocol)),
    ...channelProblems(textOf(files, configPath), config, protocol, project.settings.environment),
    ...roleWords(project, definition.value),
    ...unusedAgents(definition.value, read),
    ...project.misplaced(protocol, config).map(misplacedWarning),
    ...stuck,
    ...(isIdle && !isByWorkflow ? nothingBegins(protocol, places.protocol) : []),
    ...foundIn(read),
  ];
  const described = [...protocol.roles.keys()].map((role) => `agents/${role}/role.md`);
  const texts = textsOf(project, [...described, 'agents.yaml', ...paths]);
  const judged = withoutAccepted(
    found,
    [...files, ...texts],
    (code) => exploration !== null || code !== 'E_STUCK',
  );
  return checkup(protocol, paths.length, judged, isByWorkflow ? null : exploration);
}

const configPath = 'mailroom.yaml';

/** mailroom.yaml and the files of the protocol. */
function definitionFiles({ files }: Pick<Project, 'files'>): { file: string; text: string }[] {
  const protocols = files.list('protocols').filter(isProtocolFile).toSorted();
  return textsOf({ files }, [configPath, ...protocols.map((name) => `protocols/${name}`)]);
}

function textOf(files: readonly { readonly file: string; readonly text: string }[], path: string): string {
  return files.find(({ file }) => file === path)?.text ?? '';
}

function placesOf(files: readonly { readonly file: string; readonly text: string }[]): Places {
  const merged = mergeFiles(files.filter(({ file }) => file !== configPath));
  const yaml = parseYaml(textOf(files, configPath), configPath);
  return {
    protocol: (path) => merged.place(path),
    config: (path) => (yaml.ok ? yaml.value.place(path) : null),
  };
}

/** What is wrong with the folder or the worktrees in which turns work. */
async function workspaceWarnings(
  project: Project,
  { protocol, config }: Definition,
  places: Places,
): Promise<Diagnostic[]> {
  const problem = await project.workspaceProblem(protocol);
  if (problem !== null) return [problem];
  return [
    ...unlandable(protocol, await missingBranches(project.root, protocol), places.protocol),
    ...(await missingFiles(protocol, config, project.root, places)),
  ];
}

/** What cannot be read has no comments: its reader has reported that. */
function textsOf(
  { files }: Pick<Project, 'files'>,
  paths: readonly string[],
): { file: string; text: string }[] {
  return paths.flatMap((file) => {
    const text = orElse(() => files.read(file), null);
    return text === null ? [] : [{ file, text }];
  });
}

/** Warns of messages that land on a branch that does not exist: they would wait for it. */
function unlandable(
  { types }: Protocol,
  missing: ReadonlySet<string>,
  place: (path: readonly (string | number)[]) => Place | null,
): Diagnostic[] {
  return [...types.values()].flatMap(({ name, lands }): Diagnostic[] => {
    if (lands === null || !missing.has(lands.branch)) return [];
    const { branch } = lands;
    const message = `\`${name}\` lands on \`${branch}\`, and the repository has no such branch`;
    const hint = `name another branch, or make it with \`git branch ${branch}\``;
    return [
      { code: 'E_WORKSPACE', severity: 'warning', message, place: place(['messages', name, 'lands']), hint },
    ];
  });
}

/**
 * Warns of roles that send messages, none of them a request, where the protocol has replaced the
 * built-in `question`.
 */
function unableToAsk(
  protocol: Protocol,
  place: (path: readonly (string | number)[]) => Place | null,
): Diagnostic[] {
  if (hasQuestion(protocol)) return [];
  const cannot = [...protocol.roles.keys()].filter((role) => {
    const types = typesFrom(protocol, role);
    return !isHuman(protocol, role) && types.length > 0 && types.every(({ reply }) => reply.length === 0);
  });
  if (cannot.length === 0) return [];
  const roles = enumerate(cannot);
  const own = protocol.types.get(question.name);
  const name = own?.name ?? question.reply.join('');
  const message =
    `${roles} cannot ask: ${cannot.length > 1 ? 'they' : 'it'} may send no request, and a protocol with ` +
    `a type \`${name}\` of its own has no built-in \`${question.name}\``;
  const hint =
    own !== undefined && own.reply.length > 0
      ? `name ${roles} under \`from\` of \`${name}\`, and under \`to\` of ${enumerate(own.reply)}`
      : `let ${roles} send a type with \`reply\`, or give this type another name`;
  return [{ code: 'E_PROTOCOL', severity: 'warning', message, place: place(['messages', name]), hint }];
}

/** Warns where the description of a role and the protocol do not agree. */
function roleWords({ disk }: Project, { protocol, config }: Definition): Diagnostic[] {
  return [...protocol.roles.values()].flatMap(({ name: role, agent, instructions }) => {
    const file = orElse(() => readRoleFile(disk, role), null);
    const source = new Source(file?.path ?? '', file?.text ?? '');
    const start = bodyStart(source.text);
    const profile = config.profiles.get(agent ?? '');
    return [
      ...wordsAgainstProtocol(protocol, {
        role,
        text: source.text.slice(start),
        place: (from, to) => source.place(start + from, start + to),
      }),
      ...wordsAgainstProtocol(protocol, {
        role,
        text: instructions ?? '',
        place: () => profile?.place() ?? null,
      }),
    ];
  });
}

/** Warns where no thread can begin: then nothing was explored, and nothing is known to be right. */
function nothingBegins(protocol: Protocol, place: Places['protocol']): Diagnostic[] {
  const works = (role: string) => !isHuman(protocol, role);
  const first = [...protocol.types.values()].find(({ to }) => to.some(works));
  // Roles without messages work for the steps of workflows.
  if (protocol.types.size === 0 || ![...protocol.roles.keys()].some(works)) return [];
  const message = 'no thread can begin: no person may send a message to a role that works';
  const hint =
    first === undefined
      ? 'let a message go to a role that works'
      : `name a person under \`from\` of \`${first.name}\`, or of another message to a role that works: \`from: [user]\``;
  return [
    {
      code: 'E_PROTOCOL',
      severity: 'warning',
      message,
      place: place(['messages', first?.name ?? [...protocol.types.keys()][0] ?? '']),
      hint,
    },
  ];
}

/** Whether a step of a workflow is the work of a role: its thread is not explored. */
function beginsByWorkflow(workflows: readonly ReadWorkflow[]): boolean {
  return workflows.some(
    ({ checked }) => checked.ok && stepsIn(checked.value.body).some(({ work }) => work.kind === 'role'),
  );
}

/** Warns of agents that no role and no step names; not while a workflow cannot be read. */
function unusedAgents({ protocol, config }: Definition, workflows: readonly ReadWorkflow[]): Diagnostic[] {
  const used = new Set([...protocol.roles.values()].map(({ agent }) => agent));
  for (const { checked } of workflows) {
    if (!checked.ok) return [];
    for (const step of stepsIn(checked.value.body)) {
      const checker = step.check?.work.kind === 'agent' ? step.check.work.profile : undefined;
      for (const { name } of [...profilesOf(step), ...(checker ? [checker] : [])]) used.add(name);
    }
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
  { left: found, accepted }: Judged,
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
    accepted,
    default_timeout: [...(protocol?.roles.values() ?? [])].flatMap(({ name, timeout }) =>
      timeout === defaultTimeout ? [name] : [],
    ),
    exploration,
  };
  return { document, text: renderDiagnostics(found) };
}

/**
 * Two threads show how they interact. The depth exceeds what a complete exploration of a protocol
 * with some roles needs; the numbers of states and moves keep it within some seconds.
 */
const bounds = { threads: 2, depth: 60, states: 10_000, moves: 100_000 };

function misplacedWarning({ message, hint }: Misplaced): Diagnostic {
  return { code: 'E_MISPLACED', severity: 'warning', message, place: null, hint };
}

/**
 * A warning of a stuck state at the type of the message that waits, with the shortest path to it.
 */
function stuckWarning({ path, why, type }: StuckState, place: (path: string[]) => Place | null): Diagnostic {
  return {
    code: 'E_STUCK',
    severity: 'warning',
    message: `a role waits forever: ${why}`,
    place: place(['messages', type]),
    hint: `this leads there: ${path.join('; ')}`,
  };
}
