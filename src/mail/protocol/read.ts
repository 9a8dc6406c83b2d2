import { originOf } from '../../config/profiles.ts';
import { defaultConfig, providerNames, type Config } from '../../config/config.ts';
import type { Checked, Diagnostic } from '../../kernel/diagnostic.ts';
import { checkProtocol, type CheckContext, type Problem } from './check.ts';
import { hasQuestion, isHuman, question, type Clause, type Protocol } from '../format/protocol.ts';
import { isStrict } from '../../config/strict.ts';
import { inOrder } from '../../yaml/diagnostics.ts';
import { mergeFiles, type Merged, type ProtocolFileText } from './merge.ts';
import { lowerLimits } from './limits.ts';
import { isInside, tidyPath } from '../../yaml/paths.ts';
import { lowerRoles } from './roles.ts';
import { lowerTypes } from './types.ts';
import { limitSettings } from '../../config/limits.ts';

/** What a protocol depends on besides its files. */
export interface ProtocolOptions {
  /**
   * Maximum number of processes where mailroom.yaml does not set it; a host passes the number of
   * cores.
   */
  readonly cores?: number;
  /**
   * By provider name: the permissions that an agent has beyond these capabilities, in words.
   * Missing: none.
   */
  readonly broaderThanRequested?: CheckContext['broaderThanRequested'];
  /** Problems of the files that were found before they were combined. Missing: none. */
  readonly problems?: readonly Diagnostic[];
  /** By provider name: why its agents cannot use MCP servers, in words. Missing: they can. */
  readonly withoutMcp?: CheckContext['withoutMcp'];
  /** By provider name: why its agents cannot have the tools of Mailroom. Missing: they can. */
  readonly withoutTools?: CheckContext['withoutMcp'];
  /** The providers whose agents can ask a person for permission. Missing: not known. */
  readonly askers?: CheckContext['askers'];
  /** The branch that is checked out in the project. Missing: not known. */
  readonly checkedOut?: CheckContext['checkedOut'];
}

/**
 * All files of protocols/ as one protocol, with the defaults of mailroom.yaml filled in. Reports
 * all errors of all files at once, in the order of the files; a value comes with warnings only.
 * Without files, the protocol is empty. `config` null: it cannot be read, and nothing is said that
 * depends on it.
 */
export function parseProtocol(
  files: readonly ProtocolFileText[],
  config: Config | null = defaultConfig,
  options: ProtocolOptions = {},
): Checked<Protocol> {
  const settings = config ?? defaultConfig;
  const read = mergeFiles(files);
  const isWhole = (options.problems ?? []).every(({ severity }) => severity !== 'error');
  const merged = isWhole ? read : { ...read, incomplete: true };
  const { protocol, problems } = lower(merged, settings, options.cores ?? 1);
  const checked = checkProtocol(protocol, {
    broken: merged.broken,
    incomplete: merged.incomplete,
    providers: providerNames(settings),
    broaderThanRequested: options.broaderThanRequested ?? new Map(),
    withoutMcp: options.withoutMcp ?? new Map(),
    withoutTools: options.withoutTools ?? new Map(),
    hasToolsEverywhere: settings.mcp,
    askers: options.askers ?? null,
    hasWorkers: settings.workers !== null,
    checkedOut: options.checkedOut ?? null,
    strict: isStrict(settings),
  });
  const found = [...problems, ...checked].filter(({ path }) => config !== null || !dependsOnSettings(path));
  const located = found.map((problem) => locate(problem, merged, settings));
  const names = files.map(({ file }) => file);
  const all = inOrder([...merged.problems, ...located, ...(options.problems ?? [])], names);
  if (all.some((each) => each.severity === 'error')) return { ok: false, problems: all };
  return { ok: true, value: withQuestion(protocol), warnings: all };
}

/** Every role with turns picks up the built-in `question`, whatever else it expects. */
function withQuestion(protocol: Protocol): Protocol {
  if (!hasQuestion(protocol)) return protocol;
  const clause: Clause = { kind: 'any', types: [question.name] };
  const roles = new Map(protocol.roles);
  for (const [name, role] of roles)
    if (!isHuman(protocol, name)) roles.set(name, { ...role, expects: [...role.expects, clause] });
  return { ...protocol, roles };
}

/** Providers, agents and defaults are settings, and all checks of a role use one of them. */
function dependsOnSettings([key]: Problem['path']): boolean {
  return key === 'roles';
}

/** A value that a role takes from its agent is marked where the role names that agent. */
function locate(problem: Problem, merged: Merged, { profiles }: Config): Diagnostic {
  const { code, severity, path, message, hint } = problem;
  const [key, name = '', property = ''] = path.map(String);
  const role = key === 'roles' ? merged.roles.get(name) : undefined;
  const profile = profiles.get(role?.agent ?? '');
  const origin = role && profile ? originOf(profile, property, role) : null;
  if (origin === null) return { code, severity, message, place: merged.place(path), hint };
  const place = merged.place(['roles', name, 'agent']);
  return { code, severity, message, place, hint: hint === null ? origin : `${hint}; ${origin}` };
}

/** A protocol with every default filled in, its names not yet checked, and the problems found. */
interface Lowered {
  readonly protocol: Protocol;
  readonly problems: readonly Problem[];
}

/**
 * Fills in the defaults of mailroom.yaml, then the built-in ones. `cores` limits the processes
 * where no setting does.
 */
function lower(merged: Merged, config: Config, cores: number): Lowered {
  const problems: Problem[] = [];
  const types = lowerTypes(merged, config.protected, problems);
  const protocol: Protocol = {
    name: merged.name ?? 'mailroom',
    version: merged.version ?? '1',
    workspace: lowerWorkspace(merged.workspace ?? '.', problems),
    roles: lowerRoles(merged, config, types, problems),
    types,
    limits: lowerLimits(limitSettings(merged.limits), config.limits),
    start: merged.start,
    concurrency: config.concurrency ?? cores,
  };
  return { protocol, problems };
}

function lowerWorkspace(
  workspace: NonNullable<Merged['workspace']>,
  problems: Problem[],
): Protocol['workspace'] {
  if (typeof workspace !== 'string')
    return {
      kind: 'worktree',
      per: workspace.worktree,
      base: workspace.base ?? null,
      onConflict: workspace.on_conflict ?? 'resolve',
    };
  if (workspace === 'worktree') return { kind: 'worktree', per: 'thread' };
  if (!isInside(workspace)) {
    const message = `the workspace \`${workspace}\` would leave the project`;
    const hint = 'give `.`, `worktree`, or a folder relative to the project, without `..`';
    problems.push({ code: 'E_PATH', severity: 'error', path: ['workspace'], message, hint });
  }
  return { kind: 'folder', path: tidyPath(workspace) };
}
