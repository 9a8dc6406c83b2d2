import { isAbsolute } from 'node:path';
import type { Config } from '../../config/config.ts';
import type { Disk } from '../../disk/disk.ts';
import { providersOf, type Protocol, type Role } from '../format/protocol.ts';
import { misplacedMail, misplacedText } from '../mailboxes/misplaced.ts';
import { refsIn } from '../../git/broken-refs.ts';
import { findProgram } from '../../process/proc.ts';
import { howToGet, programFor } from '../../project/definition/programs.ts';

/** How long a finding is valid, in milliseconds. */
const fresh = 1_000;
/** The same of one that costs a process. */
const seldom = 60_000;

interface Watched {
  readonly protocol: Protocol;
  readonly config: Config;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/**
 * What keeps mail waiting without a failure: programs that are missing, and mail in wrong places.
 */
export class Lookout {
  readonly #disk: Disk;
  readonly #watched: Watched;
  readonly #missing: () => ReadonlyMap<string, string>;
  /** Mail that no role reads, and branches that git cannot use, in words. */
  readonly notices: () => readonly string[];

  /** `clock`: milliseconds. It looks at most once a second. */
  constructor(disk: Disk, watched: Watched, clock: () => number) {
    this.#disk = disk;
    this.#watched = watched;
    this.#missing = once(clock, () => this.#findMissing());
    let broken: readonly string[] = [];
    const look = once(clock, () => refsIn(disk.root).then((refs) => (broken = refs.broken)), seldom);
    this.notices = once(clock, () => {
      void look();
      return [...misplacedMail(disk, watched.protocol, watched.config).map(misplacedText), ...broken];
    });
  }

  /** The providers of roles whose programs cannot be found. */
  missing = (): ReadonlySet<string> => new Set(this.#missing().keys());

  /**
   * For each missing program that a role would use: which mail waits for it, or what runs instead.
   */
  problems(): string[] {
    const missing = this.#missing();
    return [...missing].flatMap(([provider, program]) => {
      const roles = this.#ownRoles().filter((role) => role.provider === provider);
      if (roles.length === 0) return [];
      const instead = (role: Role) => providersOf(role).find((one) => !missing.has(one)) ?? null;
      const waiting = roles.filter((role) => instead(role) === null).map(({ name }) => name);
      const effects = [
        ...(waiting.length === 0 ? [] : [`the mail of ${waiting.join(', ')} waits until it is installed`]),
        ...roles.flatMap((role) => {
          const other = instead(role);
          return other === null ? [] : [`${role.name} uses ${other}`];
        }),
      ];
      const get = howToGet(this.#watched.config, provider, program);
      return [`the program \`${program}\` was not found${get}: ${effects.join(', ')}`];
    });
  }

  /** The roles whose programs run on this host. */
  #ownRoles(): Role[] {
    return [...this.#watched.protocol.roles.values()].filter(({ on }) => on === undefined);
  }

  /** Missing programs by provider. */
  #findMissing(): Map<string, string> {
    const { config, environment } = this.#watched;
    const providers = new Set(this.#ownRoles().flatMap(providersOf));
    return new Map(
      [...providers].flatMap((provider) => {
        const program = programFor(config, provider, environment);
        return program === null || this.#isFound(program) ? [] : [[provider, program] as const];
      }),
    );
  }

  /** A path from a worktree is not known before the worktree exists. */
  #isFound(program: string): boolean {
    const { protocol, environment } = this.#watched;
    const { workspace } = protocol;
    if (workspace.kind === 'worktree' && program.includes('/') && !isAbsolute(program)) return true;
    const cwd = workspace.kind === 'worktree' ? this.#disk.root : `${this.#disk.root}/${workspace.path}`;
    return findProgram(program, environment['PATH'], cwd) === 'found';
  }
}

/** The same answer for a second, or as long as that. */
function once<T>(clock: () => number, find: () => T, valid = fresh): () => T {
  let last: { readonly at: number; readonly found: T } | null = null;
  return () => {
    const at = clock();
    if (last === null || at - last.at >= valid) last = { at, found: find() };
    return last.found;
  };
}
