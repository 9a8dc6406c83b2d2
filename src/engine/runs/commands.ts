import { isJsonObject, parseJson, type Json } from '../../core/json.ts';
import type { Control } from '../../core/ports.ts';
import { refusal } from '../../core/workflow/commands.ts';
import type { Happening, Path } from '../../core/workflow/event.ts';
import type { Rules } from '../../core/workflow/rules.ts';
import type { RunLedger } from './ledger.ts';

/** One file in the control folder of a run: what another process asks of its host. */
export interface RunControlFile {
  readonly id: string;
  readonly at: number;
  readonly by: string;
  readonly verb: RunVerb;
  /** The gate or the step; empty for `cancel`, which is about the run. */
  readonly path: Path;
  readonly comment: string | null;
  /** Of `retry`: instead of the definition's; null: those. */
  readonly instructions: string | null;
}

export const runVerbs = ['approve', 'reject', 'cancel', 'retry'] as const;
export type RunVerb = (typeof runVerbs)[number];

/** Takes the command files; each becomes an event with its verdict. Returns their names: they may go once that is durable. */
export function takeRunCommands(ledger: RunLedger, rules: Rules, control: Control): string[] {
  return control.list().map(({ name, text }) => {
    const file = text === null ? null : parse(text);
    if (file !== null) take(ledger, rules, file);
    return name;
  });
}

/** Before a run that is over goes on: refuses what came too late for it, which is not what is wanted of it now. */
export function refuseLateCommands(ledger: RunLedger, rules: Rules, control: Control): void {
  for (const { text } of control.list()) {
    const file = text === null ? null : parse(text);
    if (file !== null && refusal(ledger.state, rules, file) !== null) take(ledger, rules, file);
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

/** Null: it is no command of ours. */
function parse(text: string): RunControlFile | null {
  const value = parseJson(text);
  if (!isJsonObject(value)) return null;
  const { id, at, by, verb, path, comment = null, instructions = null } = value;
  const known = runVerbs.find((one) => one === verb);
  if (known === undefined || typeof at !== 'number') return null;
  if (typeof id !== 'string' || typeof by !== 'string' || typeof path !== 'string') return null;
  const words = { comment: textOrNull(comment), instructions: textOrNull(instructions) };
  return { id, at, by, verb: known, path, ...words };
}

function textOrNull(value: Json): string | null {
  return typeof value === 'string' ? value : null;
}
