import { toolsName } from '../../kernel/mcp.ts';
import type { Config } from '../../config/config.ts';
import type { Problem } from './check.ts';
import { defaultTimeout } from '../../kernel/duration.ts';
import type { Asks, Clause, MessageType, Role } from '../format/protocol.ts';
import { didYouMean } from '../../kernel/nearest.ts';
import { withProfile, type Profile } from '../../config/profiles.ts';
import { unknownAgentHint } from '../../config/config.ts';
import { mergeBudgets } from './limits.ts';
import type { Merged } from './merge.ts';
import type { ClauseInput, RoleInput } from './schema.ts';
import type { RoleName, TypeName } from '../../kernel/ids.ts';

/** The built-in role of a person. */
const person: Role = {
  name: 'user',
  provider: 'human',
  fallback: [],
  model: null,
  capabilities: [],
  timeout: null,
  idleTimeout: null,
  concurrency: 1,
  session: 'fresh',
  retries: 0,
  budget: null,
  expects: [],
  network: true,
  agent: null,
  instructions: null,
  env: {},
};

/** Every role with its defaults filled in, the person first. Errors of a role go to `problems`. */
export function lowerRoles(
  merged: Merged,
  config: Config,
  types: ReadonlyMap<TypeName, MessageType>,
  problems: Problem[],
): Map<RoleName, Role> {
  const roles = new Map<RoleName, Role>([['user', { ...person, expects: anythingFor('user', types) }]]);
  for (const [name, input] of merged.roles) {
    const profile = profileOf(name, input, config, problems);
    const role = lowerRole(name, profile === null ? input : withProfile(input, profile), config);
    if (role.provider === '' && (input.agent === undefined || profile !== null))
      problems.push(noProvider(name));
    const clauses = clausesOf(name, input, merged, problems);
    roles.set(name, { ...role, expects: clauses ?? anythingFor(name, types) });
  }
  for (const name of merged.expects.keys()) {
    if (roles.has(name) || merged.broken.roles.has(name) || merged.incomplete) continue;
    problems.push(strangeExpects(name, [...roles.keys()]));
  }
  return roles;
}

/** The agent that a role names; null: none, or, reported, an unknown one. */
function profileOf(
  name: RoleName,
  { agent }: RoleInput,
  { profiles }: Config,
  problems: Problem[],
): Profile | null {
  const profile = agent === undefined ? null : (profiles.get(agent) ?? null);
  if (agent !== undefined && profile === null)
    problems.push({
      code: 'E_UNKNOWN_NAME',
      severity: 'error',
      path: ['roles', name, 'agent'],
      message: `no agent is called \`${agent}\``,
      hint: unknownAgentHint(agent, profiles),
    });
  for (const key of ofSteps)
    if (profile?.settings[key] !== undefined)
      problems.push({
        code: 'E_PROTOCOL',
        severity: 'warning',
        path: ['roles', name, 'agent'],
        message: `\`${key}\` of the agent \`${profile.name}\` does nothing for a role`,
        hint: 'only steps with this agent use it',
      });
  return profile;
}

/** Settings of an agent that only steps have. */
const ofSteps = ['variant', 'max_steps', 'max_command_time'] as const;

function lowerRole(name: RoleName, input: RoleInput, { defaults, profiles, mcp: hasTools }: Config): Role {
  const provider = input.provider ?? defaults.provider ?? '';
  // A default model belongs to the default provider: another one would not know it.
  const sameProvider = defaults.provider === null || provider === defaults.provider;
  return {
    name,
    provider,
    fallback:
      provider === 'human'
        ? []
        : (input.fallback ?? defaults.fallback ?? []).filter((each) => each !== provider),
    model: input.model ?? (sameProvider ? defaults.model : null),
    capabilities: input.capabilities ?? defaults.capabilities ?? ['READ'],
    timeout: input.timeout ?? defaults.timeout ?? (provider === 'human' ? null : defaultTimeout),
    idleTimeout: input.idle_timeout ?? defaults.idleTimeout,
    concurrency: input.concurrency ?? defaults.concurrency ?? 1,
    session: input.session ?? defaults.session ?? 'fresh',
    retries: input.retries ?? defaults.retries ?? 2,
    budget: mergeBudgets(input.budget ?? null, defaults.budget),
    expects: [],
    network: input.network ?? true,
    agent: input.agent ?? null,
    instructions: profiles.get(input.agent ?? '')?.settings.instructions ?? null,
    env: input.env ?? {},
    ...serversOf(input.mcp, hasTools),
    ...(input.on !== undefined && { on: { labels: input.on === 'workers' ? [] : input.on.labels } }),
    ...(input.ask !== undefined && { asks: asksOf(input.ask) }),
    ...(input.may_configure === true && { mayConfigure: true as const }),
    ...(input.kinds === undefined ? {} : { kinds: input.kinds }),
  };
}

/** The servers of its person that a role may use, and whether it has Mailroom's own. */
function serversOf(servers: RoleInput['mcp'], always: boolean): Pick<Role, 'mcp' | 'tools'> {
  const own = servers?.filter((name) => name !== toolsName);
  const hasTools = always || servers?.includes(toolsName) === true;
  return { ...(own && { mcp: own }), ...(hasTools && { tools: true as const }) };
}

function asksOf(ask: NonNullable<RoleInput['ask']>): Asks {
  if (typeof ask === 'string') return { person: ask, timeout: null };
  return { person: ask.person, timeout: ask.timeout ?? null };
}

function noProvider(role: RoleName): Problem {
  return {
    code: 'E_MISSING_KEY',
    severity: 'error',
    path: ['roles', role],
    message: `the role \`${role}\` has no provider`,
    hint: 'say who does the work, e.g. `provider: claude`, or give `defaults` in mailroom.yaml one',
  };
}

/** What a role expects according to the files; null where they do not say. */
function clausesOf(name: RoleName, role: RoleInput, merged: Merged, problems: Problem[]): Clause[] | null {
  const apart = merged.expects.get(name);
  if (apart !== undefined && role.expects !== undefined) {
    const inRole = merged.place(['roles', name, 'expects']);
    problems.push({
      code: 'E_DUPLICATE',
      severity: 'error',
      path: ['expects', name],
      message: `what \`${name}\` expects is given twice`,
      hint:
        inRole === null
          ? null
          : `the first one is in the role, at ${inRole.file}:${inRole.line}:${inRole.column}`,
    });
  }
  return (apart ?? role.expects)?.map(lowerClause) ?? null;
}

function lowerClause(clause: ClauseInput): Clause {
  return 'any' in clause ? { kind: 'any', types: clause.any } : { kind: 'all', types: clause.all };
}

function anythingFor(role: RoleName, types: ReadonlyMap<TypeName, MessageType>): Clause[] {
  const accepted = [...types.values()].filter((type) => type.to.includes(role)).map((type) => type.name);
  return accepted.length === 0 ? [] : [{ kind: 'any', types: accepted }];
}

function strangeExpects(name: string, roles: readonly string[]): Problem {
  const message = `no role is called \`${name}\``;
  const hint = didYouMean(name, roles);
  return { code: 'E_UNKNOWN_NAME', severity: 'error', path: ['expects', name], message, hint };
}
