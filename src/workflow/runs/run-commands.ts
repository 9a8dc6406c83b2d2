import { endOfId } from '../../kernel/ids.ts';
import { shellWord } from '../../kernel/quoting.ts';
import type { RunAct } from '../machine/explain/explain.ts';
import { fieldOptions } from '../../mail/machine/answering.ts';
import type { Approval, ValueType } from '../model.ts';
import { usualChoices } from '../reserved.ts';

/** The command that continues a run without a process. */
export function resumeCommand({
  run,
  startedBy,
}: {
  readonly run: string;
  readonly startedBy: 'person' | 'up';
}): string {
  return startedBy === 'up' ? 'mailroom up' : `mailroom resume ${endOfId(run)}`;
}

/**
 * The command that answers a gate, with everything required. It names the approver where only one
 * person may approve; several approvers, choices and values of a field are listed to choose from.
 */
export function approveCommand(
  run: string,
  gate: string,
  { approvers, choices, fields }: Pick<Approval, 'approvers' | 'choices'> & { fields: AnswerFields },
): string {
  return [
    `mailroom approve ${endOfId(run)} ${shellWord(gate)}`,
    ...(approvers.length === 0 ? [] : [`--as ${shellWord(approvers.join('|'))}`]),
    ...(isUsual(choices) ? [] : [`--choice ${shellWord(choices.join('|'))}`]),
    ...fieldOptions(fields),
  ].join(' ');
}

/** Whether a gate asks for yes or no. */
export function isUsual(choices: readonly string[]): boolean {
  return choices.join() === usualChoices.join();
}

/** What an answer to a gate carries besides, by name. */
export type AnswerFields = Readonly<Record<string, Pick<ValueType, 'type' | 'enum' | 'required'>>>;

/** The command for what a person can do about a run. */
export function runCommand(run: string, act: RunAct): string {
  switch (act.do) {
    case 'approve':
      return approveCommand(run, act.path, act.gate);
    case 'retry-step':
      return `mailroom retry ${endOfId(run)} ${act.path}`;
    case 'resume':
      return `mailroom resume ${endOfId(run)}${act.raises === null ? '' : ' --update'}`;
    case 'unpause':
      return `mailroom unpause ${endOfId(run)}`;
    default:
      return act satisfies never;
  }
}
