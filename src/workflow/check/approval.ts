import type { Approval, Step } from '../model.ts';
import { rejecting } from '../reserved.ts';
import { field, type CheckReport } from './report.ts';

/** Checks that a gate can be answered, and that its timeout gives an answer that it has. */
export function checkApproval({ id }: Step, gate: Approval, report: CheckReport): void {
  const { choices, onTimeout } = gate;
  const at = field(gate, 'choices');
  for (const [index, choice] of choices.entries())
    if (choices.indexOf(choice) < index)
      report.add(
        'E_DUPLICATE',
        'error',
        field(choices, index),
        `\`${choice}\` is a choice already`,
        'remove it',
      );
  if (choices.every((choice) => choice === rejecting))
    report.error(at, `nothing can open \`${id}\`: its only choice rejects it`, 'add `approve`');
  if (onTimeout !== 'abort' && !choices.includes(onTimeout))
    report.error(
      field(gate, 'on_timeout'),
      `\`on_timeout: ${onTimeout}\` is not among the choices of \`${id}\``,
      `add \`${onTimeout}\` to \`choices\``,
    );
  else if (!choices.includes(rejecting))
    report.add(
      'E_WORKFLOW',
      'warning',
      at,
      `\`${id}\` cannot be rejected: the run continues with any choice, or has to be cancelled`,
      'add `reject`',
    );
  if (onTimeout === 'approve') checkDefaults(id, gate, report);
}

/** An approval by timeout has only defaults. */
function checkDefaults(id: string, { fields }: Approval, report: CheckReport): void {
  for (const [name, { required, default: value }] of Object.entries(fields))
    if (required && value === undefined)
      report.error(
        field(fields, name),
        `\`${name}\` is required, and absent when \`${id}\` is approved by its timeout`,
        'give it a `default`, or do not require it',
      );
}
