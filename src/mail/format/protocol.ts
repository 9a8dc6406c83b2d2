import type { Json } from '../../kernel/json.ts';
import type { RoleName, TypeName } from '../../kernel/ids.ts';
import type { Capability } from '../../kernel/capabilities.ts';
import type { Budget } from '../../kernel/cost.ts';
import type { MessageCheck } from '../../kernel/message-check.ts';

/** When a role may be invoked: by one message of any of the types, or by one of each within a thread. */
export interface Clause {
  readonly kind: 'any' | 'all';
  readonly types: readonly TypeName[];
}

export interface Role {
  readonly name: RoleName;
  /** A provider's name; `human` means a person, who has no turns. */
  readonly provider: string;
  /** Providers that stand in, in this order, while those before them are at their limit. */
  readonly fallback: readonly string[];
  /** Of `provider`; those that stand in take their own. */
  readonly model: string | null;
  readonly capabilities: readonly Capability[];
  /** Milliseconds that one turn may take, its gates and corrections included. */
  readonly timeout: number | null;
  /** Milliseconds without any output after which a turn is ended. */
  readonly idleTimeout: number | null;
  readonly concurrency: number;
  readonly session: 'thread' | 'fresh';
  /** Further attempts after a failed one. */
  readonly retries: number;
  /** What one launch reserves. */
  readonly budget: Budget | null;
  readonly expects: readonly Clause[];
  /** False: its processes have no network, where a sandbox or a namespace holds them. */
  readonly network: boolean;
  /** Variables added to the agent's environment. */
  readonly env: Readonly<Record<string, string>>;
  /** MCP servers of the person's own settings of its CLI that it may use; missing: none. */
  readonly mcp?: readonly string[];
  /** It may write what configures agents in its workspace; missing: it must not. */
  readonly mayConfigure?: true;
  /** Kinds of tasks that it does for steps that name a kind instead of a role; missing: none. */
  readonly kinds?: readonly number[];
}

export type Blocking = 'role' | 'thread' | 'none';
export type TimeoutPolicy = 'escalate' | 'proceed' | 'fail';

export interface FieldType {
  readonly type: 'string' | 'number' | 'integer' | 'boolean' | 'list' | 'object';
  readonly enum: readonly Json[] | null;
  readonly required: boolean;
  readonly default: Json;
  readonly description: string | null;
}

export interface MessageType {
  readonly name: TypeName;
  readonly from: readonly RoleName[];
  readonly to: readonly RoleName[];
  /** The types that answer it; none: it is not a request. */
  readonly reply: readonly TypeName[];
  readonly blocking: Blocking;
  readonly timeout: number | null;
  readonly onTimeout: TimeoutPolicy;
  readonly escalateTo: RoleName;
  readonly gates: readonly MessageCheck[];
  readonly fields: Readonly<Record<string, FieldType>>;
  readonly closes: boolean;
}

export interface Limits {
  readonly turnsPerThread: number;
  readonly corrections: number;
  readonly nesting: number;
  readonly threadBudget: Budget;
  readonly dayBudget: Budget;
}

export const defaultLimits: Limits = {
  turnsPerThread: 40,
  corrections: 2,
  nesting: 3,
  threadBudget: { usd: null, tokens: null },
  dayBudget: { usd: null, tokens: null },
};

/** All files in protocols/ together, checked: every name in it is defined in it. */
export interface Protocol {
  readonly name: string;
  readonly version: string;
  /** A folder inside the project that all turns share, or one git worktree per thread. */
  readonly workspace: { readonly kind: 'folder'; readonly path: string } | { readonly kind: 'worktree' };
  /** Every role, `user` included. */
  readonly roles: ReadonlyMap<RoleName, Role>;
  /** Every type of the protocol; the built-in ones are not here. */
  readonly types: ReadonlyMap<TypeName, MessageType>;
  readonly limits: Limits;
  /** What a plain file in an inbox is. */
  readonly start: { readonly type: TypeName; readonly to: RoleName } | null;
  /** Processes of one host at once. */
  readonly concurrency: number;
}

/** The role in whose name runs of workflows send. */
export const workflowRole: RoleName = 'workflow';

/** The answer to a step, which whoever owes one may send whatever the protocol says. */
export const stepResult: MessageType = {
  name: 'step-result',
  from: [],
  to: [workflowRole],
  reply: [],
  blocking: 'none',
  timeout: null,
  onTimeout: 'fail',
  escalateTo: 'user',
  gates: [],
  fields: {},
  closes: false,
};

/** True for a role that has no turns: a person, or the runs of workflows, who are answered like one. */
export function isHuman(protocol: Protocol, role: RoleName): boolean {
  return role === workflowRole || protocol.roles.get(role)?.provider === 'human';
}

/** The types that this role may send to that one. */
export function typesBetween(protocol: Protocol, from: RoleName, to: RoleName): MessageType[] {
  return [...protocol.types.values()].filter((type) => type.from.includes(from) && type.to.includes(to));
}

/** The types that this role may send to anybody. */
export function typesFrom(protocol: Protocol, from: RoleName): MessageType[] {
  return [...protocol.types.values()].filter((type) => type.from.includes(from));
}

export type Providers = Pick<Role, 'provider' | 'fallback'>;

/** Who may run a role's turns, in the order in which they are asked. */
export function providersOf({ provider, fallback }: Providers): readonly string[] {
  return [provider, ...fallback];
}
