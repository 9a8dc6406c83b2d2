import type { Json } from '../../../kernel/json.ts';
import type { FieldType, MessageType } from '../../format/protocol.ts';
import type { ProblemPath, CheckReport } from './report.ts';

/** Checks that the values of `enum` and `default` have the field's own type. */
export function checkFields(report: CheckReport, type: MessageType): void {
  for (const [name, field] of Object.entries(type.fields)) {
    const path = ['messages', type.name, 'fields', name];
    for (const [index, value] of (field.enum ?? []).entries()) {
      if (!fits(field, value))
        misfit(report, [...path, 'enum', index], value, `is not of the type ${field.type}`);
    }
    if (field.default === null) continue;
    const allowed = field.enum?.map((value) => JSON.stringify(value)) ?? null;
    if (!fits(field, field.default)) {
      misfit(report, [...path, 'default'], field.default, `is not of the type ${field.type}`);
    } else if (allowed !== null && !allowed.includes(JSON.stringify(field.default))) {
      misfit(report, [...path, 'default'], field.default, 'is not one of the values of `enum`');
    }
  }
}

function misfit(report: CheckReport, path: ProblemPath, value: Json, why: string): void {
  const message = `\`${JSON.stringify(value)}\` ${why}`;
  report.problems.push({ code: 'E_VALUE', severity: 'error', path, message, hint: null });
}

function fits(field: FieldType, value: Json): boolean {
  switch (field.type) {
    case 'string':
    case 'number':
    case 'boolean':
      return typeof value === field.type;
    case 'integer':
      return Number.isInteger(value);
    case 'list':
      return Array.isArray(value);
    case 'object':
      return typeof value === 'object' && value !== null && !Array.isArray(value);
  }
}
