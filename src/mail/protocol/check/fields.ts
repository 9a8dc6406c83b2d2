import type { Json } from '../../../kernel/json.ts';
import { isAmong, isOfKind } from '../../../kernel/value-kind.ts';
import type { MessageType } from '../../format/protocol.ts';
import type { ProblemPath, CheckReport } from './report.ts';

/** Checks that the values of `enum` and `default` have the field's own type. */
export function checkFields(report: CheckReport, type: MessageType): void {
  for (const [name, field] of Object.entries(type.fields)) {
    const path = ['messages', type.name, 'fields', name];
    for (const [index, value] of (field.enum ?? []).entries()) {
      if (!isOfKind(value, field.type))
        misfit(report, [...path, 'enum', index], value, `is not of the type ${field.type}`);
    }
    if (field.default === null) continue;
    if (!isOfKind(field.default, field.type)) {
      misfit(report, [...path, 'default'], field.default, `is not of the type ${field.type}`);
    } else if (!isAmong(field.default, field.enum)) {
      misfit(report, [...path, 'default'], field.default, 'is not one of the values of `enum`');
    }
  }
}

function misfit(report: CheckReport, path: ProblemPath, value: Json, why: string): void {
  const message = `\`${JSON.stringify(value)}\` ${why}`;
  report.problems.push({ code: 'E_VALUE', severity: 'error', path, message, hint: null });
}
