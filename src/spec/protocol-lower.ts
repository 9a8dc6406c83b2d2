import type { Config, GivenLimits } from '../core/config.ts';
import { maySettle } from '../core/mail/check.ts';
import type { Problem } from '../core/mail/check.ts';
import type { RoleName, TypeName } from '../core/mail/message.ts';
import { defaultLimits } from '../core/mail/protocol.ts';
import type {
  Blocking,
  Budget,
  Clause,
  FieldType,
  Gate,
  Limits,
  MessageType,
  Protocol,
  Role,
} from '../core/mail/protocol.ts';
import { didYouMean } from '../core/nearest.ts';
import { isInside, tidyPath } from './paths.ts';
import type { Merged } from './protocol-merge.ts';
import type { ClauseInput, LimitsInput, MessageTypeInput, RoleInput } from './protocol-schema.ts';

/** A protocol with every default filled in, its names not yet checked, and what cannot be said in it. */
export interface Lowered {
  readonly protocol: Protocol;
  readonly problems: readonly Problem[];
}

const gateTimeout = 5 * 60_000;

/** Fills in the defaults: those of mailroom.yaml, then our own. `cores` bounds the processes where nothing else does. */
export function lower(merged: Merged, config: Config, cores: number): Lowered {
  const problems: Problem[] = [];
  const types = lowerTypes(merged);
  const roles = new Map<RoleName, Role>([['user', person]]);
  for (const [name, input] of merged.roles) {
    const role = lowerRole(name, input, config);
    if (role.provider === '') problems.push(noProvider(name));
    const clauses = clausesOf(name, input, merged, problems);
    roles.set(name, { ...role, expects: clauses ?? anythingFor(name, types) });
  }
  roles.set('user', { ...person, expects: anythingFor('user', types) });
  for (const name of merged.expects.keys()) {
    if (!roles.has(name) && !merged.broken.roles.has(name))
      problems.push(strangeExpects(name, [...roles.keys()]));
  }
  const protocol: Protocol = {
    name: merged.name ?? 'mailroom',
    version: merged.version ?? '1',
    workspace: lowerWorkspace(merged.workspace ?? '.', problems),
    roles,
    types,
    limits: lowerLimits(givenLimits(merged.limits), config.limits),
    start: merged.start,
    concurrency: config.concurrency ?? cores,
  };
  return { protocol, problems };
}

const person: Role = {
  name: 'user',
  provider: 'human',
  model: null,
  capabilities: [],
  timeout: null,
  idleTimeout: null,
  concurrency: 1,
  session: 'fresh',
  retries: 0,
  budget: null,
  expects: [],
  env: {},
};

/* ---------------------------------------------------------------- roles */

function lowerRole(name: RoleName, input: RoleInput, { defaults }: Config): Role {
  const provider = input.provider ?? defaults.provider ?? '';
  // A default model is a model of the default provider: another one would not know it.
  const sameProvider = defaults.provider === null || provider === defaults.provider;
  return {
    name,
    provider,
    model: input.model ?? (sameProvider ? defaults.model : null),
    capabilities: input.capabilities ?? defaults.capabilities ?? ['READ'],
    timeout: input.timeout ?? defaults.timeout,
    idleTimeout: input.idle_timeout ?? defaults.idleTimeout,
    concurrency: input.concurrency ?? defaults.concurrency ?? 1,
    session: input.session ?? defaults.session ?? 'fresh',
    retries: input.retries ?? defaults.retries ?? 2,
    budget: mergeBudgets(input.budget ?? null, defaults.budget),
    expects: [],
    env: input.env ?? {},
  };
}

/** The first budget, unit by unit completed by the second. */
function mergeBudgets(own: Budget | null, other: Budget | null): Budget | null {
  if (own === null || other === null) return own ?? other;
  return { usd: own.usd ?? other.usd, tokens: own.tokens ?? other.tokens };
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

/* ---------------------------------------------------------------- what a role expects */

/** What the files say that a role expects; null where they say nothing. */
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

/* ---------------------------------------------------------------- message types */

function lowerTypes(merged: Merged): Map<TypeName, MessageType> {
  const types = new Map([...merged.messages].map(([name, input]) => [name, lowerType(name, input)]));
  for (const [name, type] of types) {
    if (merged.messages.get(name)?.on_timeout !== undefined) continue;
    const replies = type.reply.flatMap((reply) => types.get(reply) ?? []);
    if (maySettle(type, replies)) types.set(name, { ...type, onTimeout: 'escalate' });
  }
  return types;
}

function lowerType(name: TypeName, input: MessageTypeInput): MessageType {
  const reply = input.reply ?? [];
  return {
    name,
    from: input.from,
    to: input.to,
    reply,
    blocking: lowerBlocking(input.blocking ?? reply.length > 0),
    timeout: input.timeout ?? null,
    onTimeout: input.on_timeout ?? 'fail',
    escalateTo: input.escalate_to ?? 'user',
    gates: (input.gates ?? []).map(lowerGate),
    fields: Object.fromEntries(
      Object.entries(input.fields ?? {}).map(([key, field]) => [key, lowerField(field)]),
    ),
    closes: input.closes ?? false,
  };
}

function lowerBlocking(blocking: boolean | 'role' | 'thread'): Blocking {
  if (blocking === false) return 'none';
  return blocking === true ? 'role' : blocking;
}

type GateInput = NonNullable<MessageTypeInput['gates']>[number];
type FieldInput = NonNullable<MessageTypeInput['fields']>[string];

function lowerGate(gate: GateInput): Gate {
  if ('changed' in gate) return { kind: 'changed', globs: gate.changed };
  return { kind: 'run', argv: gate.run, timeout: gate.timeout ?? gateTimeout };
}

function lowerField(field: FieldInput): FieldType {
  return {
    type: field.type,
    enum: field.enum ?? null,
    required: field.required ?? false,
    default: field.default ?? null,
    description: field.description ?? null,
  };
}

/* ---------------------------------------------------------------- limits and workspace */

const unlimited: Budget = { usd: null, tokens: null };

/** The limits of one file, in our own words. */
export function givenLimits(limits: LimitsInput | null | undefined): GivenLimits {
  return {
    turnsPerThread: limits?.turns_per_thread ?? null,
    corrections: limits?.corrections ?? null,
    nesting: limits?.nesting ?? null,
    threadBudget: limits?.budget?.thread ?? unlimited,
    dayBudget: limits?.budget?.day ?? unlimited,
  };
}

/** Key by key: what the protocol says, else what mailroom.yaml says, else the default. */
function lowerLimits(own: GivenLimits, project: GivenLimits): Limits {
  return {
    turnsPerThread: own.turnsPerThread ?? project.turnsPerThread ?? defaultLimits.turnsPerThread,
    corrections: own.corrections ?? project.corrections ?? defaultLimits.corrections,
    nesting: own.nesting ?? project.nesting ?? defaultLimits.nesting,
    threadBudget: mergeBudgets(own.threadBudget, project.threadBudget) ?? unlimited,
    dayBudget: mergeBudgets(own.dayBudget, project.dayBudget) ?? unlimited,
  };
}

function lowerWorkspace(workspace: string, problems: Problem[]): Protocol['workspace'] {
  if (workspace === 'worktree') return { kind: 'worktree' };
  if (!isInside(workspace)) {
    const message = `the workspace \`${workspace}\` would leave the project`;
    const hint = 'give `.`, `worktree`, or a folder relative to the project, without `..`';
    problems.push({ code: 'E_PATH', severity: 'error', path: ['workspace'], message, hint });
  }
  return { kind: 'folder', path: tidyPath(workspace) };
}
