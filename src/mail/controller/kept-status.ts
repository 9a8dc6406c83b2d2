import metadata from '../../../package.json' with { type: 'json' };
import { readSummary, writeSummary } from '../../disk/journal-summary.ts';
import type { Disk } from '../../disk/disk.ts';
import { MailroomError } from '../../kernel/errors.ts';
import type { RoleName } from '../../kernel/ids.ts';
import { expectedNow } from '../host/project.ts';
import type { MailState } from '../machine/state.ts';
import { summaryOf, type MailSummary } from './mail-summary.ts';

/** All that the status needs of the state. Plain JSON. */
export interface StatusSource {
  /**
   * The version of Mailroom that made it: another one may take something else from the same state.
   */
  readonly version: string;
  readonly mail: MailSummary;
  /**
   * The files in each inbox that are already mail; others were dropped there and wait to be
   * accepted.
   */
  readonly inboxes: readonly (readonly [role: RoleName, names: readonly string[]])[];
}

const { version } = metadata;

export function statusSource(state: MailState): StatusSource {
  const inboxes = [...expectedNow(state)].map(([role, names]) => [role, [...names.keys()]] as const);
  return { version, mail: summaryOf(state), inboxes };
}

/**
 * What a controller of this version kept of its last state; null: the journal has grown since, and
 * must be folded.
 */
export function readKeptStatus(disk: Disk): StatusSource | null {
  const kept = readSummary(disk) as StatusSource | null;
  return kept?.version === version ? kept : null;
}

/** With fewer events, `status` folds the journal as fast as it reads a file. */
const fewEvents = 1_000;

/**
 * How long the mail must have been at rest, in milliseconds, so that a busy controller does not
 * spend time on this.
 */
const rest = 1_000;

/**
 * Keeps the status source beside the journal, for readers while the mail is at rest. Nothing
 * depends on it: a disk error here stops nothing.
 */
export class StatusKeeper {
  readonly #disk: Disk;
  readonly #now: () => number;
  #kept = 0;
  #seen = 0;
  #since = 0;

  /** `now`: milliseconds of a monotonic clock. */
  constructor(disk: Disk, now: () => number) {
    this.#disk = disk;
    this.#now = now;
  }

  /** Keeps a state that has not changed for a second. Call it after each look. */
  look(state: MailState): void {
    const now = this.#now();
    if (state.events !== this.#seen) {
      this.#seen = state.events;
      this.#since = now;
    } else if (now - this.#since >= rest) this.keep(state);
  }

  /** Keeps a final state. */
  keep(state: MailState): void {
    const { events } = state;
    if (events < fewEvents || events === this.#kept) return;
    this.#kept = events;
    try {
      writeSummary(this.#disk, events, statusSource(state));
    } catch (error) {
      if (!(error instanceof MailroomError) || error.code !== 'E_DISK') throw error;
    }
  }
}
