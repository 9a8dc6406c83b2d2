import { join } from 'node:path';
import { MailroomError } from '../../kernel/errors.ts';
import type { RoleName } from '../../kernel/ids.ts';
import { orElse } from '../../kernel/contained.ts';
import type { Disk } from '../../disk/disk.ts';
import {
  differingFiles,
  fingerprintOf,
  unconfirmed,
  type Confirmable,
  type Unconfirmed,
} from './confirmed.ts';
import { readRoleFile } from './project-files.ts';

/** The description of a role as its file is now. */
interface RoleText extends Confirmable {
  readonly role: RoleName;
  /** Null: the file does not exist. */
  readonly text: string | null;
}

/** The file of a role's description, relative to the project. */
export function roleFileOf(role: RoleName): string {
  return `agents/${role}/role.md`;
}

/**
 * Where the description begins in its file: after front matter, which is there for the program
 * whose agent the file is, too.
 */
export function bodyStart(text: string): number {
  const front = /^\uFEFF?---\r?\n(?=[\w-]+ *:)[^]*?\n---[^\S\n]*(?:\n|$)/.exec(text);
  return front?.[0].length ?? 0;
}

/** Throws `E_FILE` as `readRoleFile`. */
export function readRoleText(disk: Disk, role: RoleName): RoleText {
  const path = roleFileOf(role);
  const text = readRoleFile(disk, role)?.text ?? null;
  const fingerprint = () => fingerprintOf(new Map(text === null ? [] : [[path, text]]));
  return { role, file: join(disk.root, path), path, text, fingerprint };
}

function body({ text }: RoleText): string {
  return text === null ? '' : text.slice(bodyStart(text));
}

/** The readable descriptions of these roles. */
export function readRoleTexts(disk: Disk, roles: Iterable<RoleName>): RoleText[] {
  return [...roles].flatMap((role) => orElse(() => readRoleText(disk, role), null) ?? []);
}

/**
 * The descriptions of roles as a person confirmed them: by starting `up`, or by `mailroom reload`.
 * One that has changed since is not used; a role whose description could not be read at the start
 * waits for a confirmed one.
 */
export class ConfirmedRoleTexts {
  readonly #disk: Disk;
  readonly #roles: readonly RoleName[];
  /** What roles use; without those whose file could not be read. */
  readonly #used: Map<RoleName, RoleText>;

  constructor(disk: Disk, roles: Iterable<RoleName>) {
    this.#disk = disk;
    this.#roles = [...roles];
    this.#used = new Map(readRoleTexts(disk, this.#roles).map((text) => [text.role, text]));
  }

  /** What a start confirms. */
  get used(): readonly Confirmable[] {
    return [...this.#used.values()];
  }

  /**
   * The text that a role uses now, without front matter; empty: it has none. Throws `E_FILE` while
   * it waits for one.
   */
  of(role: RoleName): string {
    const used = this.#used.get(role);
    // A file that became unreadable changes nothing until it is confirmed.
    const now = used === undefined ? readRoleText(this.#disk, role) : this.#now(role);
    if (now !== null && now.text !== used?.text && unconfirmed(this.#disk, [now]).length === 0) {
      this.#used.set(role, now);
      return body(now);
    }
    if (used !== undefined) return body(used);
    const path = roleFileOf(role);
    throw new MailroomError(
      'E_FILE',
      `${path} could not be read at the start, and is not confirmed since: look at it, then run \`mailroom reload ${path}\``,
    );
  }

  /** Those that differ on disk, and are not confirmed. */
  unused(): Unconfirmed[] {
    return this.#roles.flatMap((role) => {
      const [used, now] = [this.#used.get(role), this.#now(role)];
      if (now === null || now.text === used?.text) return [];
      const before = used?.fingerprint() ?? '';
      return unconfirmed(this.#disk, [now]).map((each) => ({
        ...each,
        files: differingFiles(before, each.fingerprint),
      }));
    });
  }

  #now(role: RoleName): RoleText | null {
    return orElse(() => readRoleText(this.#disk, role), null);
  }
}
