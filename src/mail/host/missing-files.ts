import type { Protocol } from '../format/protocol.ts';
import type { MessageId, RoleName } from '../../kernel/ids.ts';

/**
 * A missing file counts as withdrawn once neither the set of missing files nor what else lies there
 * has changed for this long, in milliseconds.
 */
const unchangedMs = 1_000;

/**
 * The inboxes with missing files, until the set is final. git and rm empty a folder file by file
 * and remove it last: the files missing in between must not count as withdrawn.
 */
export class MissingFiles {
  readonly #now: () => number;
  readonly #seen = new Map<RoleName, { readonly missing: string; readonly since: number }>();

  /** `now` is a monotonic clock, in milliseconds. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /**
   * Whether exactly these messages of a role have been missing for long enough, beside these other
   * files in its inbox.
   */
  last(role: RoleName, messages: readonly MessageId[], strays: readonly string[] = []): boolean {
    const now = this.#now();
    const missing = messages.length === 0 ? '' : [...messages, ...strays].join();
    const seen = this.#seen.get(role);
    const since = seen?.missing === missing ? seen.since : now;
    const lasting = missing !== '' && now - since >= unchangedMs;
    if (missing === '' || lasting) this.#seen.delete(role);
    else this.#seen.set(role, { missing, since });
    return lasting;
  }

  /**
   * The protocol with zero slots for these roles: the mail that would start them may be withdrawn.
   */
  without(protocol: Protocol): Protocol {
    if (this.#seen.size === 0) return protocol;
    const roles = [...protocol.roles].map(
      ([name, role]) => [name, this.#seen.has(name) ? { ...role, concurrency: 0 } : role] as const,
    );
    return { ...protocol, roles: new Map(roles) };
  }

  /** In how many milliseconds to look again; null: nothing is missing. */
  get recheckMs(): number | null {
    const times = [...this.#seen.values()].map(({ since }) => since + unchangedMs);
    return times.length > 0 ? Math.max(0, Math.min(...times) - this.#now()) : null;
  }
}
