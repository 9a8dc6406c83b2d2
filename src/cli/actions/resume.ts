import { MailroomError } from '../../kernel/errors.ts';
import { endOfId } from '../../kernel/ids.ts';
import { firstFailed } from '../../workflow/machine/scope.ts';
import type { Workflow } from '../../workflow/model.ts';
import { fillParameters, parameterWord } from '../../workflow/machine/parameters.ts';
import type { Context } from '../context.ts';
import { idOf } from '../ids.ts';
import { line, table } from '../format.ts';
import { answer, type AsJson } from '../output.ts';
import { follow, type FollowOptions } from '../run-follow.ts';
import type { FoundWorkflow, StoredRun } from '../../project/definition/contracts.ts';
import { isEdited, presentDefinition } from '../../workflow/runs/run-definition.ts';
import { expectDefinition, reportWarnings } from '../run-start.ts';

interface ResumeCommandOptions extends FollowOptions {
  readonly explain?: boolean;
  readonly update?: boolean;
}

export async function resume(
  context: Context,
  reference: string,
  options: ResumeCommandOptions,
): Promise<number> {
  context.outsideTurn('resume');
  const { workflows, root } = context.place();
  const run = workflows.run(await idOf(context, reference, ['run']));
  const present = await presentDefinition(workflows, root, run);
  const definition = options.update === true ? expectPresent(run, present) : null;
  if (definition !== null) {
    refuseOpenParameters(run, definition);
    refuseGoneStep(run, definition);
  }
  if (definition === null && present !== null && isEdited(run, present))
    context.terminal.complain(
      `${present.path} or a file that it uses was edited since: the run continues as it began; --update applies the edit\n`,
    );
  if (options.explain === true) return explain(context, run, definition, options);
  if (definition === null) sayIfOver(context, run);
  context.announce();
  const edited = definition && present && { workflow: definition, text: present.text };
  if (edited !== null && present !== null) await reportWarnings(context, present);
  return follow(context, options, (watch, waits) =>
    workflows.resume(run, { watch, waits, command: null, edited }),
  );
}

function sayIfOver({ commandLine, terminal }: Context, stored: StoredRun): void {
  const state = stored.state();
  const { status, steps } = state;
  if (status !== 'SUCCEEDED') return;
  const failed = [...steps.values()].find(({ phase }) => phase.is === 'settled' && phase.status === 'FAILED');
  const path = failed && firstFailed(state, failed.path);
  const retry =
    path === undefined
      ? ''
      : `; to repeat what failed in it: ${commandLine(`retry ${endOfId(stored.run)} ${path}`)}`;
  terminal.complain(`the run has succeeded: there is nothing to continue${retry}\n`);
}

function expectPresent({ run }: StoredRun, present: FoundWorkflow | null): Workflow {
  if (present !== null) return expectDefinition(present);
  throw new MailroomError('E_TARGET', `a file that ${run} was started from is gone`);
}

/** A run keeps the parameters of its start. */
function refuseOpenParameters(run: StoredRun, definition: Workflow): void {
  const { parameters } = definition;
  const word = parameterWord(definition);
  const given = Object.entries(run.state().given?.parameters ?? {}).filter(([name]) =>
    Object.hasOwn(parameters, name),
  );
  const { problems } = fillParameters(parameters, Object.fromEntries(given), word);
  if (problems.length > 0)
    throw new MailroomError('E_USAGE', problems.join('; '), `a run keeps the ${word}s of its start`);
}

/** A run of a single step has nothing to do without it. */
function refuseGoneStep(run: StoredRun, { name, body }: Workflow): void {
  const only = run.state().given?.only ?? null;
  if (only === null || body.steps.some(({ id }) => id === only)) return;
  const hint = `run another step of it: \`mailroom run-step ${name} <step>\``;
  throw new MailroomError(
    'E_TARGET',
    `this run is of the step \`${only}\` alone, and ${name} has it no more`,
    hint,
  );
}

async function explain(
  { terminal }: Context,
  run: StoredRun,
  definition: Workflow | null,
  options: AsJson,
): Promise<number> {
  const { compile } = await import('../../workflow/machine/rules.ts');
  const { editOf, resumptionOf } = await import('../../workflow/machine/resumption.ts');
  const state = run.state();
  const before = compile(run.definition);
  const after = definition === null ? before : compile(definition);
  const edit = definition === null ? null : editOf(state, before, after);
  const steps = resumptionOf(state, after, edit);
  const rows = steps.map(({ path, does, why }) => [path, does, line(why)]);
  return answer(terminal, options, { schema: 1, run: run.run, steps }, () =>
    table(['STEP', 'DOES', 'WHY'], rows),
  );
}
