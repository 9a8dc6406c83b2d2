import type { Control, LeftFile } from '../../host/control.ts';
import { refusal } from '../machine/commands.ts';
import type { Happening } from '../machine/event.ts';
import type { Rules } from '../machine/rules.ts';
import { readRunControl, type Read, type RunControlFile } from '../../letters/letters.ts';
import { problemWith } from '../../kernel/contained.ts';
import type { RunLedger } from './ledger.ts';

export type { RunControlFile };

/**
 * Takes the command files; each becomes an event with its verdict. Returns their names, with the problem of those that cannot
 * be followed: they may go once that is durable.
 */
export function takeRunCommands(
  ledger: RunLedger,
  rules: Rules,
  control: Control,
): ReadonlyMap<string, string | null> {
  return new Map(
    control.list().map((left) => {
      const file = read(left);
      const problem = file.ok ? problemWith(() => take(ledger, rules, file.value)) : file.problem;
      return [left.name, problem];
    }),
  );
}

function read(left: LeftFile): Read<RunControlFile> {
  return left.text === null ? { ok: false, problem: left.problem } : readRunControl(left.text);
}

/** Before a run that is over goes on: refuses what came too late for it, which is not what is wanted of it now. */
export function refuseLateCommands(ledger: RunLedger, rules: Rules, control: Control): void {
  for (const left of control.list()) {
    const file = read(left);
    if (file.ok && refusal(ledger.state, rules, file.value) !== null) take(ledger, rules, file.value);
  }
}

function take(ledger: RunLedger, rules: Rules, file: RunControlFile): void {
  const { id, by, verb } = file;
  // The last host may have died between the verdict and the removal of the file.
  if (ledger.state.commands.has(id)) return;
  const reason = refusal(ledger.state, rules, file);
  ledger.record([
    reason === null ? happeningOf(file) : { type: 'controlled', id, by, verb, refusal: reason },
  ]);
}

/** What a command that is followed becomes in the journal. */
export function happeningOf(file: RunControlFile): Happening {
  const { id: command, verb, path, at, by, comment, instructions } = file;
  switch (verb) {
    case 'approve':
    case 'reject':
      return { type: 'judged', path, verdict: verb, by, comment, said: at, command };
    case 'cancel':
      return { type: 'cancelled', by, command };
    case 'retry':
      return { type: 'retried', path, instructions, by, command };
  }
}
