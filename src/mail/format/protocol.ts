import { unlimited } from '../../kernel/money.ts';
import type { Json } from '../../kernel/json.ts';
import type { RoleName, TypeName } from '../../kernel/ids.ts';
import type { Capability } from '../../kernel/capabilities.ts';
import type { Budget } from '../../kernel/cost.ts';
import type { WorkerNeeds } from '../../kernel/launched.ts';
import type { LandingWay } from '../../kernel/work.ts';
import type { MessageCheck } from '../../kernel/message-check.ts';

/**
 * When a role can be invoked: by one message of any of the types, or by one of each within a
 * thread.
 */
export interface Clause {
  readonly kind: 'any' | 'all';
  readonly types: readonly TypeName[];
}

export interface Role {
  readonly name: RoleName;
  /** A provider's name; `human` means a person, who has no turns. */
  readonly provider: string;
  /** Providers to use, in this order, while those before them are rate limited. */
  readonly fallback: readonly string[];
  /** The model of `provider`; fallbacks use their own. */
  readonly model: string | null;
  readonly capabilities: readonly Capability[];
  /** Maximum duration of one turn in milliseconds, including its gates and corrections. */
  readonly timeout: number | null;
  /** Milliseconds without output after which a turn is stopped. */
  readonly idleTimeout: number | null;
  readonly concurrency: number;
  readonly session: 'thread' | 'fresh';
  /** Further attempts after a failed one. */
  readonly retries: number;
  /** What each launch reserves. */
  readonly budget: Budget | null;
  readonly expects: readonly Clause[];
  /** False: its processes have no network, where a sandbox or a namespace enforces that. */
  readonly network: boolean;
  /** The agent of the configuration that it takes settings from; null: none. */
  readonly agent: string | null;
  /** The instructions of that agent, which precede role.md; null: none. */
  readonly instructions: string | null;
  /** Variables added to the agent's environment. */
  readonly env: Readonly<Record<string, string>>;
  /** MCP servers from the person's own settings of the CLI that it can use; missing: none. */
  readonly mcp?: readonly string[];
  /** Its turns have the tools of Mailroom; missing: they write files, or their final text. */
  readonly tools?: true;
  /** Its turns run on workers with these labels; missing: on the host of the controller. */
  readonly on?: WorkerNeeds;
  /** Who is asked about what its capabilities do not decide; missing: that is refused. */
  readonly asks?: Asks;
  /** It is permitted to write the agents' configuration in its workspace; missing: it is not. */
  readonly mayConfigure?: true;
  /**
   * Kinds of tasks that it performs for steps that name a kind instead of a role; missing: none.
   */
  readonly kinds?: readonly number[];
}

/** A person who may allow an agent what its role's capabilities do not decide, call by call. */
export interface Asks {
  readonly person: RoleName;
  /** In milliseconds; without an answer in time a call is refused. Null: it waits. */
  readonly timeout: number | null;
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
  /** Every message goes to all of `to` but its author; otherwise to one or several of them. */
  readonly toAll: boolean;
  /** The types that answer it; empty: it is not a request. */
  readonly reply: readonly TypeName[];
  readonly blocking: Blocking;
  readonly timeout: number | null;
  readonly onTimeout: TimeoutPolicy;
  readonly escalateTo: RoleName;
  readonly checks: readonly MessageCheck[];
  readonly fields: Readonly<Record<string, FieldType>>;
  readonly closes: boolean;
  /** Where its work lands before it is delivered; null: nowhere. */
  readonly lands: Lands | null;
  /** Every message opens a sub-thread; null: it stays in the thread of its author. */
  readonly opens: SubThreads | null;
}

/** The sub-threads that messages of a type open. */
interface SubThreads {
  /** Maximum number of open ones at once, in one thread. */
  readonly fanOut: number;
  /** What each reserves of the parent's budget; null: it shares that. */
  readonly budget: Budget | null;
}

/** The branch that the work of a message lands on. */
export interface Lands {
  readonly branch: string;
  readonly by: LandingWay;
  /** Whether a person has to approve it first. */
  readonly approval: boolean;
}

export interface Limits {
  readonly turnsPerThread: number;
  /** How many files are accepted per hour from each inbox while agents run. */
  readonly tasksPerHour: number;
  readonly corrections: number;
  readonly nesting: number;
  readonly threadBudget: Budget;
  readonly dayBudget: Budget;
  /** The share of a budget at which `user` is notified; null: never. */
  readonly budgetAlert: number | null;
}

export const defaultLimits: Limits = {
  turnsPerThread: 40,
  tasksPerHour: 200,
  corrections: 2,
  nesting: 3,
  threadBudget: unlimited,
  dayBudget: unlimited,
  budgetAlert: null,
};

/** A git worktree for each role in a thread. */
interface RoleWorkspace {
  readonly kind: 'worktree';
  readonly per: 'role';
  /** Git's name for the commit that the branches of a thread begin at; null: that of HEAD. */
  readonly base: string | null;
  /** Who resolves conflicts: the role that picks the work up, its later author, or a person. */
  readonly onConflict: 'resolve' | 'author' | 'user';
}

/** All files in protocols/ combined and checked: every name that it refers to is defined. */
export interface Protocol {
  readonly name: string;
  readonly version: string;
  /**
   * A folder inside the project that all turns share, or a git worktree for each thread, or for
   * each role in a thread.
   */
  readonly workspace:
    | { readonly kind: 'folder'; readonly path: string }
    | { readonly kind: 'worktree'; readonly per: 'thread' }
    | RoleWorkspace;
  /** Every role, including `user`. */
  readonly roles: ReadonlyMap<RoleName, Role>;
  /** Every type of the protocol, without the built-in ones. */
  readonly types: ReadonlyMap<TypeName, MessageType>;
  readonly limits: Limits;
  /** The type and recipient of a plain file in an inbox. */
  readonly start: { readonly type: TypeName; readonly to: RoleName } | null;
  /** Maximum number of concurrent processes of one host. */
  readonly concurrency: number;
}

/** The sender of messages from workflow runs. */
export const workflowRole: RoleName = 'workflow';

/** The answer to a step, which the step's role may send whatever the protocol says. */
export const stepResult: MessageType = {
  name: 'step-result',
  from: [],
  to: [workflowRole],
  toAll: false,
  reply: [],
  blocking: 'none',
  timeout: null,
  onTimeout: 'fail',
  escalateTo: 'user',
  checks: [],
  fields: {},
  closes: false,
  lands: null,
  opens: null,
};

/** The answer to a built-in `question`. */
const answer: MessageType = { ...stepResult, name: 'answer', to: [] };

/** By which a turn asks the senders of its mail, where the protocol has no types of these names. */
export const question: MessageType = {
  ...answer,
  name: 'question',
  reply: [answer.name],
  blocking: 'thread',
  timeout: 86_400_000,
  onTimeout: 'proceed',
};

/** Whether roles can send the built-in `question`: the protocol defines neither it nor `answer`. */
export function hasQuestion({ types }: Protocol): boolean {
  return !types.has(question.name) && !types.has(answer.name);
}

/**
 * The built-in types that roles and people can write; who may send them to whom follows from what
 * they answer or work on, not from `from` and `to`.
 */
export function builtInTypesOf(protocol: Protocol): readonly MessageType[] {
  return hasQuestion(protocol) ? [stepResult, question, answer] : [stepResult];
}

/** A type of the protocol, or a built-in one that can be written. */
export function typeNamed(protocol: Protocol, name: TypeName): MessageType | undefined {
  return protocol.types.get(name) ?? builtInNamed(protocol, name);
}

export function builtInNamed(protocol: Protocol, name: TypeName): MessageType | undefined {
  return builtInTypesOf(protocol).find((type) => type.name === name);
}

/** True for a role without turns: a person, or workflow runs, which get answers like a person. */
export function isHuman(protocol: Protocol, role: RoleName): boolean {
  return role === workflowRole || protocol.roles.get(role)?.provider === 'human';
}

/** The human roles of the protocol. */
export function peopleOf(protocol: Protocol): RoleName[] {
  return [...protocol.roles.keys()].filter((role) => isHuman(protocol, role));
}

/** The types that this role may send to that one. */
export function typesBetween(protocol: Protocol, from: RoleName, to: RoleName): MessageType[] {
  return [...protocol.types.values()].filter((type) => type.from.includes(from) && type.to.includes(to));
}

/**
 * The types with which this role may answer a request of that one: they go to it, or close the
 * thread, so that nothing waits in it any more.
 */
export function answersBetween(protocol: Protocol, from: RoleName, asker: RoleName): MessageType[] {
  return typesFrom(protocol, from).filter(({ to, closes }) => closes || to.includes(asker));
}

/** Whom an answer to this role goes to where its author names none. */
export function answerGoesTo({ to, toAll, closes }: MessageType, asker: RoleName): readonly RoleName[] {
  return toAll || (closes && !to.includes(asker)) ? to : [asker];
}

/** The place of a recipient of a type in its protocol file. */
export function recipientPath({ name, toAll }: MessageType, index: number): (string | number)[] {
  return ['messages', name, 'to', ...(toAll ? ['all'] : []), index];
}

/** The types that this role may send to any role. */
export function typesFrom(protocol: Protocol, from: RoleName): MessageType[] {
  return [...protocol.types.values()].filter((type) => type.from.includes(from));
}

export type Providers = Pick<Role, 'provider' | 'fallback'>;

/** The providers that can run a role's turns, in order of preference. */
export function providersOf({ provider, fallback }: Providers): readonly string[] {
  return [provider, ...fallback];
}
