import { isHuman, type Protocol, providersOf, type Role } from '../format/protocol.ts';
import type { MailState } from '../machine/state.ts';
import type { DiskGuard } from '../../disk/disk-guard.ts';
import { orElse } from '../../kernel/contained.ts';
import type { RoleName } from '../../kernel/ids.ts';

/**
 * The roles' texts. Holds the mail of roles whose `role.md` cannot be read: no turn starts without
 * its role's text.
 */
export class RoleTexts {
  readonly #read: (role: RoleName) => string;
  readonly #held = new Set<RoleName>();

  constructor(read: (role: RoleName) => string) {
    this.#read = read;
  }

  /** Null: it cannot be read, and the role is held. */
  of(role: RoleName): string | null {
    const text = orElse(() => this.#read(role), null);
    if (text === null) this.#held.add(role);
    return text;
  }

  /** Reads the files of all roles with work again. An unreadable file is a disk error. */
  look(state: MailState, protocol: Protocol, disk: DiskGuard): void {
    this.#held.clear();
    for (const role of rolesWithWork(state))
      if (protocol.roles.has(role) && !isHuman(protocol, role) && !disk.succeeds(() => void this.#read(role)))
        this.#held.add(role);
  }

  get held(): ReadonlySet<RoleName> {
    return this.#held;
  }

  /** The protocol with zero slots for held roles. */
  without(protocol: Protocol): Protocol {
    if (this.#held.size === 0) return protocol;
    const roles = [...protocol.roles].map(
      ([name, role]) => [name, this.#held.has(name) ? { ...role, concurrency: 0 } : role] as const,
    );
    return { ...protocol, roles: new Map(roles) };
  }
}

/** The roles with open turns, or mail that could start one. */
export function rolesWithWork({ roles, turns }: MailState): Set<RoleName> {
  const found = new Set([...turns.values()].map(({ role }) => role));
  for (const [name, { queue, requests, answered }] of roles)
    if (queue.size + requests.size + answered.size > 0) found.add(name);
  return found;
}

/**
 * The roles whose providers' programs are missing: their mail waits, as at a usage limit, until one
 * of the programs exists. A role with another provider uses that one meanwhile.
 */
export class MissingPrograms {
  readonly #find: () => ReadonlySet<string>;
  #missing: ReadonlySet<string> = new Set();
  #held: ReadonlySet<RoleName> = new Set();

  /** `find`: the providers whose programs are missing now. */
  constructor(find: () => ReadonlySet<string>) {
    this.#find = find;
  }

  /** Looks for the programs again. */
  look(protocol: Protocol): void {
    this.#missing = this.#find();
    const roles = [...protocol.roles.values()].filter(
      (role) => !isHuman(protocol, role.name) && this.#present(role).length === 0,
    );
    this.#held = new Set(roles.map(({ name }) => name));
  }

  get held(): ReadonlySet<RoleName> {
    return this.#held;
  }

  /** The protocol with zero slots for held roles, and with the existing providers of the others. */
  without(protocol: Protocol): Protocol {
    if (this.#missing.size === 0) return protocol;
    const roles = [...protocol.roles].map(([name, role]) => [name, this.#playable(role)] as const);
    return { ...protocol, roles: new Map(roles) };
  }

  #playable(role: Role): Role {
    if (this.#held.has(role.name)) return { ...role, concurrency: 0 };
    const [provider = role.provider, ...fallback] = this.#present(role);
    return { ...role, provider, fallback };
  }

  #present(role: Role): readonly string[] {
    // The programs of the worker hosts count.
    if (role.on !== undefined) return providersOf(role);
    return providersOf(role).filter((provider) => !this.#missing.has(provider));
  }
}
