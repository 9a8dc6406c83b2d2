import { MailroomError } from '../../kernel/errors.ts';
import type { RunStart } from './event.ts';
import type { Json } from '../../kernel/json.ts';
import { setOwn } from '../../kernel/own.ts';
import { bodyOf, innerOf, stepsIn } from '../bodies.ts';
import { Evaluation } from './evaluation.ts';
import { machineLanguage } from './language.ts';
import type { Body, Step, Workflow } from '../model.ts';
import { attempt } from './resolve.ts';

/**
 * The values of `context` at the start of a run: the caller's, else the definition's. Each may read
 * parameters, variables, the caller's values, and those above it. Throws `E_VAR_MISSING` or
 * `E_EXPRESSION` for one without a value.
 */
export function startContext(
  { context }: Workflow,
  given: Pick<RunStart, 'context' | 'parameters' | 'env'>,
): Record<string, Json> {
  const { parameters, env } = given;
  const known: Record<string, Json> = { ...given.context };
  const values = attempt(() => {
    for (const [name, value] of Object.entries(context)) {
      if (Object.hasOwn(known, name)) continue;
      const sources = { env: { ...env }, parameters: { ...parameters }, context: { ...known } };
      setOwn(known, name, new Evaluation(sources, machineLanguage, true).render(value));
    }
  });
  if (values.ok) return known;
  const { why } = values;
  if (why.is === 'failed')
    throw new MailroomError(why.reason.code, why.reason.text, 'give it by `--context`');
  throw new MailroomError('E_USAGE', 'a value of `context` cannot be known at the start');
}

/** Every secret that a run needs, for the workflow and its steps, including sub-workflows. */
export function secretsOf(workflow: Workflow): string[] {
  const children = stepsIn(workflow.body).flatMap(({ work }) =>
    work.kind === 'workflow' ? work.workflow.secrets : [],
  );
  const own = stepsIn(workflow.body).flatMap(({ secrets }) => secrets ?? []);
  return [...new Set([...workflow.secrets, ...children, ...own])];
}

/** Those without which no run starts here: the values for steps on other hosts are theirs. */
export function secretsHere(workflow: Workflow): string[] {
  const [here, away] = [new Set(workflow.hooks.length > 0 ? workflow.secrets : []), new Set<string>()];
  const look = ({ body, secrets }: Workflow) => {
    for (const { on, work, check, secrets: own } of stepsOf(body)) {
      if (work.kind === 'workflow') look(work.workflow);
      if (innerOf(work) !== null) continue;
      // Its check runs here.
      const to = on === undefined || check !== null ? here : away;
      for (const name of own ?? [...secrets, ...workflow.secrets]) to.add(name);
    }
  };
  look(workflow);
  return secretsOf(workflow).filter((name) => here.has(name) || !away.has(name));
}

/** The steps of a workflow without those of its sub-workflows. */
function stepsOf(body: Body): Step[] {
  return body.steps.flatMap((step) => {
    const inner = bodyOf(step.work);
    return inner === null ? [step] : [step, ...stepsOf(inner)];
  });
}

/** A definition whose sequences may visit a step this often. */
export function withVisits(workflow: Workflow, maxVisits: number): Workflow {
  const body = (each: Body): Body => {
    const steps = each.steps.map((step) => {
      const { work } = step;
      return work.kind === 'for-each' || work.kind === 'while' || work.kind === 'finally'
        ? { ...step, work: { ...work, body: body(work.body) } }
        : step;
    });
    return each.kind === 'sequence' ? { ...each, steps, maxVisits } : { ...each, steps };
  };
  return { ...workflow, maxVisits, body: body(workflow.body) };
}

/** A definition that passes these variables of the host on, too, also in its sub-workflows. */
export function withInherited(workflow: Workflow, names: readonly string[]): Workflow {
  const body = (each: Body): Body => ({ ...each, steps: each.steps.map(step) });
  const step = (each: Step): Step => {
    const { work } = each;
    if (work.kind === 'workflow')
      return { ...each, work: { ...work, workflow: withInherited(work.workflow, names) } };
    return work.kind === 'for-each' || work.kind === 'while' || work.kind === 'finally'
      ? { ...each, work: { ...work, body: body(work.body) } }
      : each;
  };
  const inherit = [...new Set([...workflow.inherit, ...names])];
  return { ...workflow, inherit, inherited: names, body: body(workflow.body) };
}
