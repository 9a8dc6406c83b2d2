import { createHash } from 'node:crypto';
import type { Disk } from '../../disk/disk.ts';
import { Control, ControlReader, requestControl } from '../../host/control.ts';
import { hasVerdict } from '../../kernel/commands.ts';
import { endOfId } from '../../kernel/ids.ts';
import { counted } from '../../kernel/enumerate.ts';
import type { Reason } from '../../kernel/errors.ts';
import { choiceOf, refusal } from '../machine/commands.ts';
import type { CommandId, Happening } from '../machine/event.ts';
import type { Rules } from '../machine/rules.ts';
import { readRunControl, type RunControlFile } from '../../letters/letters.ts';
import { runControlFolder } from '../files/run-folders.ts';
import type { HostedRun } from './hosted-runs.ts';
import type { RunLedger } from './ledger.ts';

export type { RunControlFile };

/**
 * The command files of a run; each becomes one event with its verdict. `report`: receives those
 * that cannot be followed.
 */
export class RunCommands {
  readonly #ledger: RunLedger;
  readonly #rules: Rules;
  readonly files: ControlReader<RunControlFile>;

  constructor(ledger: RunLedger, rules: Rules, control: Control, report: (problem: string) => void) {
    this.#ledger = ledger;
    this.#rules = rules;
    this.files = new ControlReader(control, {
      read: readRunControl,
      follow: (file) => this.#follow(file),
      refused: ({ path, problem, others }) => {
        const more =
          others === 0 ? '' : `, and so ${others === 1 ? 'was' : 'were'} ${counted(others, 'more file')}`;
        report(`${path} was put aside: ${problem}${more}`);
      },
    });
  }

  /**
   * Before an ended run continues: refuses commands that came too late, which do not apply to it
   * any more. `wanted`: those that are followed once it continues.
   */
  refuseLate(wanted: ReadonlySet<CommandId>): void {
    for (const file of this.files.waiting())
      if (!wanted.has(file.id) && this.#refusal(file) !== null) this.#follow(file);
  }

  #refusal(file: RunControlFile): Reason | null {
    return refusal(this.#ledger.state, this.#rules, file);
  }

  #follow(file: RunControlFile): void {
    const { id, by, verb } = file;
    // The last host may have died between the verdict and the removal of the file.
    if (hasVerdict(this.#ledger.state.commands, id)) return;
    const reason = this.#refusal(file);
    this.#ledger.record([
      reason === null ? happeningOf(file) : { type: 'controlled', id, by, verb, refusal: reason },
    ]);
  }
}

/** The commands that a run's host has not read, oldest first. */
export function pendingCommands(disk: Disk, run: string): RunControlFile[] {
  return new Control(disk, runControlFolder(run)).list().flatMap(({ text }) => {
    const read = text === null ? null : readRunControl(text);
    return read?.ok === true ? [read.value] : [];
  });
}

/** The command to cancel a run that waits for its host; null: there is none. */
export function cancelAsked(disk: Disk, run: string): RunControlFile | null {
  return pendingCommands(disk, run).find(({ verb }) => verb === 'cancel') ?? null;
}

/**
 * Cancels a run for a newer one. Whichever asks, and however often: while one process hosts the run
 * it is one command. `now`: milliseconds since 1970.
 */
export function cancelForNewer(
  disk: Disk,
  { card: { run }, since }: { readonly card: Pick<HostedRun['card'], 'run'>; readonly since: number },
  newer: string,
  now: number,
): void {
  const id = createHash('sha256')
    .update(`${run} ${String(since)}`)
    .digest('hex')
    .slice(0, 32);
  const none = { path: '', choice: null, comment: null, fields: {}, instructions: null };
  const by = `the newer run ${endOfId(newer)}`;
  const command: RunControlFile = { id, at: now, by, verb: 'cancel', ...none, newer };
  requestControl(disk, id, command, runControlFolder(run));
}

/** The event of a command that is followed. */
export function happeningOf(file: RunControlFile): Happening {
  const { id: command, verb, path, at, by, comment, fields, instructions, newer } = file;
  switch (verb) {
    case 'approve':
    case 'reject':
      return { type: 'judged', path, choice: choiceOf(file), by, comment, fields, said: at, command };
    case 'cancel':
      return { type: 'cancelled', by, command, ...(newer !== undefined && { newer }) };
    case 'pause':
    case 'unpause':
      return { type: 'paused', on: verb === 'pause', by, command };
    case 'retry':
      return { type: 'retried', path, instructions, by, command };
  }
}
