import { isHuman, type Protocol } from '../format/protocol.ts';
import type { MailState } from '../machine/state.ts';
import type { DiskGuard } from '../../disk/disk-guard.ts';
import { orElse } from '../../kernel/contained.ts';
import type { RoleName } from '../../kernel/ids.ts';

/** Says who each role is, and holds the mail of those whose `role.md` cannot be read: nobody starts without knowing who it is. */
export class RoleTexts {
  readonly #read: (role: RoleName) => string;
  readonly #held = new Set<RoleName>();

  constructor(read: (role: RoleName) => string) {
    this.#read = read;
  }

  /** Null: it cannot be read, and the role is held from now on. */
  of(role: RoleName): string | null {
    const text = orElse(() => this.#read(role), null);
    if (text === null) this.#held.add(role);
    return text;
  }

  /** Looks again at the files of all roles that have work. What cannot be read is a problem of the disk. */
  look(state: MailState, protocol: Protocol, disk: DiskGuard): void {
    this.#held.clear();
    for (const role of rolesWithWork(state))
      if (protocol.roles.has(role) && !isHuman(protocol, role) && !disk.succeeds(() => void this.#read(role)))
        this.#held.add(role);
  }

  get held(): ReadonlySet<RoleName> {
    return this.#held;
  }

  /** The protocol without room for the roles that are held. */
  without(protocol: Protocol): Protocol {
    if (this.#held.size === 0) return protocol;
    const roles = [...protocol.roles].map(
      ([name, role]) => [name, this.#held.has(name) ? { ...role, concurrency: 0 } : role] as const,
    );
    return { ...protocol, roles: new Map(roles) };
  }
}

function rolesWithWork({ roles, turns }: MailState): Set<RoleName> {
  const found = new Set([...turns.values()].map(({ role }) => role));
  for (const [name, { queue, requests, answered }] of roles)
    if (queue.size + requests.size + answered.size > 0) found.add(name);
  return found;
}
