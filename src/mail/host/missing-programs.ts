import { isHuman, providersOf, type Protocol, type Role } from '../format/protocol.ts';
import type { RoleName } from '../../kernel/ids.ts';

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
