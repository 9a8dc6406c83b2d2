import type { Command } from 'commander';
import { MailroomError } from '../../core/errors.ts';
import type { Context } from '../context.ts';
import { startRun, withStartOptions, type StartOptions } from '../run-start.ts';

/** `run-step`: one step of a workflow alone. */
export function addRunStep(program: Command, context: Context): void {
  const command = program
    .command('run-step')
    .description('run one step of a workflow alone, in a run of its own')
    .argument('<workflow>', 'the workflow; or only the step, if a single workflow in workflows/ has it')
    .argument('[step]', 'the step');
  withStartOptions(command)
    .addHelpText('after', '\nExample:\n  $ mailroom run-step workflows/ship.yaml build')
    .action(
      context.act(async (first: string, second: string | undefined, options: StartOptions) => {
        if (second !== undefined) return startRun(context, first, options, second);
        return startRun(context, await workflowWith(context, first), options, first);
      }),
    );
}

/** The one workflow of the project that has a step of this name. Throws `E_TARGET`. */
async function workflowWith(context: Context, step: string): Promise<string> {
  const { workflows, root } = context.place();
  const found: string[] = [];
  for (const file of workflows.list()) {
    const { checked } = await workflows.read(file, root);
    if (checked.ok && checked.value.body.steps.some(({ id }) => id === step)) found.push(file);
  }
  const [only, other] = found;
  if (only === undefined)
    throw new MailroomError(
      'E_TARGET',
      `no workflow in workflows/ has a step \`${step}\``,
      'name the workflow first: mailroom run-step FILE STEP',
    );
  if (other !== undefined)
    throw new MailroomError(
      'E_TARGET',
      `${found.join(', ')} have a step \`${step}\``,
      'name the workflow first',
    );
  return only;
}
