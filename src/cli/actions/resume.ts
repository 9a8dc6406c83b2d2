import { resolve } from 'node:path';
import { MailroomError } from '../../kernel/errors.ts';
import { withInherited, withVisits } from '../../workflow/machine/run-start.ts';
import type { Workflow } from '../../workflow/model.ts';
import { fillParameters, parameterWord } from '../../workflow/machine/parameters.ts';
import type { Context } from '../context.ts';
import { idOf } from '../ids.ts';
import { line, table } from '../format.ts';
import { json } from '../output.ts';
import { follow, type FollowOptions } from '../run-follow.ts';
import type { FoundWorkflow, StoredRun } from '../../operations/runs/services.ts';
import { expectDefinition, reportWarnings } from '../run-start.ts';

export interface ResumeCommandOptions extends FollowOptions {
  readonly explain?: boolean;
  readonly update?: boolean;
}

export async function resume(
  context: Context,
  reference: string,
  options: ResumeCommandOptions,
): Promise<number> {
  context.outsideTurn('resume');
  const { workflows } = context.place();
  const run = workflows.run(await idOf(context, reference, ['run']));
  const edited = await editedDefinition(context, run);
  const definition = options.update === true ? expectEdited(run, edited) : null;
  if (definition !== null) refuseOpenParameters(run, definition);
  const differs = edited !== null && JSON.stringify(definitionIn(edited)) !== JSON.stringify(run.definition);
  if (definition === null && differs)
    context.terminal.complain(
      `${edited.path} or a file that it uses was edited since: the run continues as it began; --update applies the edit\n`,
    );
  if (options.explain === true) return explain(context, run, definition, options.json === true);
  context.announce();
  if (definition !== null && edited !== null) await reportWarnings(context, edited);
  return follow(context, options, (watch, waits) =>
    workflows.resume(run, { watch, waits, command: null, definition }),
  );
}

/**
 * The present file of a run, with the overrides that the user named; null: the file no longer
 * exists.
 */
async function editedDefinition(
  context: Context,
  { card, definition }: StoredRun,
): Promise<FoundWorkflow | null> {
  const { workflows, root } = context.place();
  const { source } = card;
  const applied = definition.display?.overrides ?? [];
  const overrides = applied.filter(({ isNamed }) => isNamed).map(({ file }) => file);
  const isGone = (file: string) => context.services.readText(resolve(root, file)) === null;
  if (source === null || [source, ...overrides].some(isGone)) return null;
  return startedAs(definition, await workflows.read(source, root, { overrides }));
}

/**
 * A run keeps the `--max-visits` and `--inherit` of its start, and the context folder that it got
 * instead.
 */
function startedAs({ maxVisits, inherited, contextAt }: Workflow, edited: FoundWorkflow): FoundWorkflow {
  const { checked } = edited;
  if (!checked.ok) return edited;
  const visited = maxVisits === undefined ? checked.value : withVisits(checked.value, maxVisits);
  const value = inherited === undefined ? visited : withInherited(visited, inherited);
  return { ...edited, checked: { ...checked, value: { ...value, ...(contextAt && { contextAt }) } } };
}

function expectEdited({ run }: StoredRun, edited: FoundWorkflow | null): Workflow {
  if (edited !== null) return expectDefinition(edited);
  throw new MailroomError('E_TARGET', `a file that ${run} was started from is gone`);
}

function definitionIn({ checked }: FoundWorkflow): Workflow | null {
  return checked.ok ? checked.value : null;
}

/** A run keeps the parameters of its start. */
function refuseOpenParameters(run: StoredRun, definition: Workflow): void {
  const { parameters } = definition;
  const word = parameterWord(definition);
  const given = Object.entries(run.state().given?.parameters ?? {}).filter(([name]) => name in parameters);
  const { problems } = fillParameters(parameters, Object.fromEntries(given), word);
  if (problems.length > 0)
    throw new MailroomError('E_USAGE', problems.join('; '), `a run keeps the ${word}s of its start`);
}

async function explain(
  { terminal }: Context,
  run: StoredRun,
  definition: Workflow | null,
  asJson: boolean,
): Promise<number> {
  const { compile } = await import('../../workflow/machine/rules.ts');
  const { changesOf, resumptionOf } = await import('../../workflow/machine/resumption.ts');
  const state = run.state();
  const before = compile(run.definition);
  const after = definition === null ? before : compile(definition);
  const changes = definition === null ? null : changesOf(state, before, after);
  const steps = resumptionOf(state, after, changes);
  if (asJson) terminal.write(json({ schema: 1, run: run.run, steps }));
  else {
    const rows = steps.map(({ path, does, why }) => [path, does, line(why)]);
    terminal.print(`${table(['STEP', 'DOES', 'WHY'], rows).join('\n')}\n`);
  }
  return 0;
}
