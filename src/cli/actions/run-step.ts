import { MailroomError } from '../../kernel/errors.ts';
import { didYouMean } from '../../kernel/nearest.ts';
import type { Context } from '../context.ts';
import type { Step } from '../../workflow/model.ts';
import { noStepAlone, startRun, stepAround, stepsAlone, type StartOptions } from '../run-start.ts';

/** `second`: the step, if the workflow is named as well. */
export async function runStep(
  context: Context,
  first: string,
  second: string | null,
  options: StartOptions,
): Promise<number> {
  if (second !== null) return startRun(context, first, options, second);
  return startRun(context, await workflowWith(context, first), options, first);
}

/** The only workflow of the project with a step of this name. Throws `E_TARGET`. */
async function workflowWith(context: Context, step: string): Promise<string> {
  const { workflows, root } = context.place();
  const found: string[] = [];
  const wrong: string[] = [];
  const names = new Set<string>();
  let around: Step | null = null;
  for (const file of workflows.list()) {
    const { checked } = await workflows.read(file, root);
    if (!checked.ok) wrong.push(file);
    else {
      const alone = stepsAlone(checked.value.body);
      for (const id of alone) names.add(id);
      around ??= stepAround(checked.value.body, step);
      if (alone.includes(step)) found.push(file);
    }
  }
  const [only, other] = found;
  if (only === undefined) throw around === null ? noStep(step, [...names], wrong) : noStepAlone(step, around);
  if (other !== undefined)
    throw new MailroomError(
      'E_TARGET',
      `${found.join(', ')} have a step \`${step}\``,
      'name the workflow first',
    );
  return only;
}

function noStep(step: string, names: readonly string[], wrong: readonly string[]): MailroomError {
  const unread = wrong.length === 0 ? '' : `; not looked at, because of problems: ${wrong.join(', ')}`;
  return new MailroomError(
    'E_TARGET',
    `no workflow in workflows/ has a step \`${step}\`${unread}`,
    didYouMean(step, names) ?? 'name the workflow first: mailroom run-step FILE STEP',
  );
}
