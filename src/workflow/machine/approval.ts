import { answererOf } from '../../kernel/answerer.ts';
import type { Json, JsonObject } from '../../kernel/json.ts';
import { placeholderOf } from '../../kernel/placeholder.ts';
import { oneOf } from '../../kernel/value-kind.ts';
import { ownValue } from '../../kernel/own.ts';
import type { Approval, Step } from '../model.ts';
import { rejecting } from '../reserved.ts';
import { fillParameters } from './parameters.ts';
import type { StepRun } from './state.ts';

/** A person's answer to a gate. */
interface Answer {
  readonly choice: string;
  readonly by: string;
  readonly comment: string | null;
  readonly fields: Readonly<Record<string, Json>>;
}

/** Why somebody must not answer a gate; null: it is among its approvers, or the gate has none. */
export function strangerProblem(
  { approvers }: Pick<Approval, 'approvers'>,
  { verb, path, by }: { readonly verb: string; readonly path: string; readonly by: string },
): string | null {
  if (answererOf(by, approvers) !== null) return null;
  return `${by} must not ${verb} the gate ${path}: its approvers are ${approvers.join(', ')}`;
}

/** Why an answer does not fit what a gate asks, with every problem; null: it fits. */
export function answerProblem(
  { choices, fields }: Pick<Approval, 'choices' | 'fields'>,
  { choice, fields: given }: Pick<Answer, 'choice' | 'fields'>,
): string | null {
  const wrong = choices.includes(choice) ? [] : [`the choice \`${choice}\` must be ${oneOf(choices)}`];
  // A rejection need not say what only the work behind the gate needs.
  const required = (name: string) => choice !== rejecting && fields[name]!.required;
  const types = Object.entries(fields).map(([name, type]) => [name, { ...type, required: required(name) }]);
  const filled = fillParameters(Object.fromEntries(types) as Approval['fields'], given, 'field');
  const blank = Object.entries(fields).filter(
    ([name, { type }]) => ownValue(given, name) === placeholderOf(type),
  );
  const unfilled = blank.map(
    ([name, { type }]) => `the field \`${name}\` still has the placeholder ${placeholderOf(type)}`,
  );
  const problems = [...wrong, ...(unfilled.length > 0 ? unfilled : filled.problems)];
  return problems.length === 0 ? null : problems.join('; ');
}

/** The answer that a gate has got, as steps and records see it; null: not a gate, or no answer. */
export function approvalOf({ work }: Step, { values }: Pick<StepRun, 'values'>): JsonObject | null {
  if (work.kind !== 'gate' || Object.keys(values).length === 0) return null;
  return { ...(values as JsonObject) };
}

/** The values of an answered gate; a field that was not given has its default, else null. */
export function approvalValues({ work }: Step, { choice, by, comment, fields }: Answer): JsonObject {
  const types = work.kind === 'gate' ? work.fields : {};
  const values = Object.entries(types).map(([name, type]) => [
    name,
    Object.hasOwn(fields, name) ? fields[name] : (type.default ?? null),
  ]);
  return { by, comment, choice, fields: Object.fromEntries(values) as JsonObject };
}
