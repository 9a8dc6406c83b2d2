import type { Json, JsonObject } from '../../kernel/json.ts';
import type { Session } from '../../kernel/cost.ts';
import { maskJson, strongMask, unmasked, type Mask } from '../../kernel/mask.ts';
import type { Fact, RunStart, Happening, StepPath, UsedByPath } from './event.ts';
import type { Verdict, WorkResult } from './work-result.ts';
import type { Step, ValueType } from '../model.ts';
import type { Reason } from '../../kernel/errors.ts';
import { ownValue } from '../../kernel/own.ts';

type Types = Readonly<Record<string, ValueType>>;

/** The types of what comes to a step from outside: its declared values, or the fields of a gate. */
export function typesIn(step: Step | null): Types {
  return step?.work.kind === 'gate' ? step.work.fields : (step?.values ?? {});
}

/**
 * An event for the journal: secrets are masked in the fields that come from outside. Facts of the
 * machine derive from recorded events, and are not changed.
 */
export function maskEvent<E extends Fact | Happening>(
  event: E,
  mask: Mask,
  typesOf: (path: StepPath) => Types,
): E {
  return mask === unmasked ? event : (masked(event, mask, typesOf) as E);
}

function masked(event: Fact | Happening, mask: Mask, typesOf: (path: StepPath) => Types): Fact | Happening {
  switch (event.type) {
    case 'began':
      return { ...event, given: givenOf(event.given, mask) };
    case 'ended':
      return { ...event, result: resultOf(event.result, mask, typesOf(event.key.path)) };
    case 'checked': {
      const { result, verdict } = event;
      return { ...event, result: resultOf(result, mask, {}), verdict: verdictOf(verdict, mask) };
    }
    case 'judged':
      return {
        ...event,
        comment: event.comment && mask.text(event.comment),
        fields: valuesIn(event.fields, mask, typesOf(event.path)),
      };
    case 'retried':
      return { ...event, instructions: event.instructions && mask.text(event.instructions) };
    case 'hooked':
    case 'rolled-back':
      return { ...event, problem: event.problem && mask.text(event.problem) };
    case 'put-back':
    case 'resumed':
    case 'swept':
    case 'reopened':
      return event.used === undefined ? event : { ...event, used: usedIn(event.used, mask) };
    case 'looked':
      return { ...event, problem: event.problem && reasonOf(event.problem, mask) };
    default:
      return event;
  }
}

/** Start parameters may be common words, so weak secrets are not masked in them. */
function givenOf(given: RunStart, mask: Mask): RunStart {
  const values = (of: Readonly<Record<string, Json>>) => valuesIn(of, strongMask(mask), {});
  const { parameters, context, trigger, env } = given;
  return {
    ...given,
    parameters: values(parameters),
    context: values(context),
    trigger: maskJson(trigger, strongMask(mask)),
    env: values(env) as Record<string, string>,
  };
}

/** A value of an enumeration is one of the definition's own words. */
function valuesIn(values: Readonly<Record<string, Json>>, mask: Mask, types: Types): JsonObject {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => {
      const isListed = Object.hasOwn(types, name) && ownValue(types, name)?.enum != null;
      return [name, isListed ? value : maskJson(value, mask)];
    }),
  );
}

function resultOf(result: WorkResult, mask: Mask, types: Types): WorkResult {
  const { outcome, output, values, session, model, warnings, changed } = result;
  return {
    ...result,
    outcome: outcomeOf(outcome, mask),
    output: mask.text(output),
    values: valuesIn(values, mask, types),
    session: sessionOf(session, mask),
    model: model && mask.name(model),
    warnings: warnings.map(mask.text),
    changed: changed && { ...changed, paths: changed.paths.map(mask.name) },
  };
}

function usedIn(used: UsedByPath, mask: Mask): UsedByPath {
  return used.map(({ session, ...each }) => ({ ...each, session: sessionOf(session, mask) }));
}

function sessionOf(session: Session | null, mask: Mask): Session | null {
  return session && { ...session, id: mask.name(session.id) };
}

function outcomeOf(outcome: WorkResult['outcome'], mask: Mask): WorkResult['outcome'] {
  if (outcome.is === 'done') return outcome;
  const { reason, reported } = outcome;
  return { ...outcome, reason: reasonOf(reason, mask), reported: reported && mask.name(reported) };
}

function verdictOf(verdict: Verdict, { text, name }: Mask): Verdict {
  switch (verdict.is) {
    case 'complete':
      return verdict;
    case 'incomplete': {
      const { reasons, fingerprints } = verdict;
      return { ...verdict, reasons: reasons.map(text), fingerprints: fingerprints.map(text) };
    }
    case 'summarised': {
      const { text: said, problem } = verdict;
      return { ...verdict, text: said && text(said), problem: problem && text(problem) };
    }
    case 'none':
      return { ...verdict, reason: reasonOf(verdict.reason, { text, name }) };
  }
}

function reasonOf({ code, text }: Reason, mask: Mask): Reason {
  return { code, text: mask.text(text) };
}
