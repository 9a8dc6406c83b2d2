import { enumerate } from '../../../kernel/enumerate.ts';
import type { ErrorCode } from '../../../kernel/errors.ts';
import { didYouMean } from '../../../kernel/nearest.ts';
import { builtInRoles, builtInTypes } from '../../format/message.ts';
import type { MessageType, Protocol } from '../../format/protocol.ts';
import type { RoleName, TypeName } from '../../../kernel/ids.ts';
import type { Capability } from '../../../kernel/capabilities.ts';

/** Keys and indexes that lead to a part of a protocol file, as people write it. */
export type ProblemPath = readonly (string | number)[];

/**
 * An error that keeps a protocol from working. The path leads to it in a protocol file: `roles`,
 * `messages` and `expects` by name, `start`; where several files or keys say the same, the caller
 * knows which.
 */
export interface Problem {
  readonly code: ErrorCode;
  readonly severity: 'error' | 'warning';
  readonly path: ProblemPath;
  readonly message: string;
  readonly hint: string | null;
}

/** The input of the checks besides the protocol. */
export interface CheckContext {
  /**
   * Roles and types whose definitions are too invalid to be in the protocol: the checks conclude
   * nothing from them.
   */
  readonly broken: { readonly roles: ReadonlySet<RoleName>; readonly types: ReadonlySet<TypeName> };
  /** Parts are missing that may define any name: an unknown one is not reported. */
  readonly incomplete: boolean;
  /** Every name that a role can give as its provider. */
  readonly providers: readonly string[];
  /**
   * By provider: the permissions that an agent has beyond those of its role, in words. Missing:
   * none.
   */
  readonly broaderThanRequested: ReadonlyMap<
    string,
    (capabilities: readonly Capability[]) => readonly string[]
  >;
  /** By provider: why its agents cannot use MCP servers, in words. Missing: they can. */
  readonly withoutMcp: ReadonlyMap<string, string>;
  /** By provider: why its agents cannot have the tools of Mailroom, in words. Missing: they can. */
  readonly withoutTools: ReadonlyMap<string, string>;
  /** Whether every role has them, as far as its provider can. */
  readonly hasToolsEverywhere: boolean;
  /**
   * The providers whose agents can ask a person for permission, or why a person may never be asked;
   * null: not known.
   */
  readonly askers: ReadonlyMap<string, true | string> | null;
  /** Whether mailroom.yaml says how roles reach worker hosts. */
  readonly hasWorkers: boolean;
  /** The branch that is checked out in the project; null: none, or not known. */
  readonly checkedOut: string | null;
  /** Whether a permission broader than requested is an error. */
  readonly strict: boolean;
}

export function isBuiltInType(name: TypeName): boolean {
  return (builtInTypes as readonly string[]).includes(name);
}

/** The maximum number of hints with a nearest name, as finding it is slow with many names. */
const helped = 100;

/** The protocol under check, and the problems found so far. */
export class CheckReport {
  readonly problems: Problem[] = [];
  readonly protocol: Protocol;
  readonly context: CheckContext;
  readonly #roles: ReadonlySet<RoleName>;
  readonly #types: ReadonlySet<TypeName>;

  constructor(protocol: Protocol, context: CheckContext) {
    this.protocol = protocol;
    this.context = context;
    this.#roles = new Set([...protocol.roles.keys(), ...context.broken.roles, ...builtInRoles]);
    this.#types = new Set([...protocol.types.keys(), ...context.broken.types]);
  }

  error(path: ProblemPath, message: string, hint: string | null = null): void {
    this.problems.push({ code: 'E_PROTOCOL', severity: 'error', path, message, hint });
  }

  /** Whether this role is known to exist; reports a missing one at the path. */
  roleExists(name: RoleName, path: ProblemPath): boolean {
    if (!this.#roles.has(name)) this.#unknown(path, 'role', name, [...this.#roles]);
    return this.#roles.has(name);
  }

  /** Whether this type is known, built-in or not; reports a missing one at the path. */
  typeExists(name: TypeName, path: ProblemPath): boolean {
    if (this.isType(name)) return true;
    this.#unknown(path, 'message type', name, this.#types.size === 0 ? builtInTypes : [...this.#types]);
    return false;
  }

  isType(name: TypeName): boolean {
    return this.#types.has(name) || isBuiltInType(name);
  }

  #unknown(path: ProblemPath, what: string, name: string, known: readonly string[]): void {
    if (this.context.incomplete) return;
    const message = `no ${what} is called \`${name}\``;
    const hint =
      this.problems.length < helped ? (didYouMean(name, known) ?? `there are ${enumerate(known)}`) : null;
    this.problems.push({ code: 'E_UNKNOWN_NAME', severity: 'error', path, message, hint });
  }

  /**
   * Whether a type refers to a role that does not exist, so that its senders or recipients are
   * uncertain.
   */
  isUncertain(type: MessageType): boolean {
    return [...type.from, ...type.to].some((name) => !this.#roles.has(name));
  }
}
