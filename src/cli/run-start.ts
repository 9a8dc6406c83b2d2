import { relative, resolve } from 'node:path';
import { MailroomError } from '../kernel/errors.ts';
import { isJsonObject, readExactJson, syntaxProblem, type JsonObject } from '../kernel/json.ts';
import { parameterWord } from '../workflow/machine/parameters.ts';
import { didYouMean } from '../kernel/nearest.ts';
import { innerOf, stepsIn } from '../workflow/bodies.ts';
import type { Body, Step, Workflow } from '../workflow/model.ts';
import { ProblemsError } from '../project/definition/problems.ts';
import type { Context } from './context.ts';
import { caller } from './control.ts';
import { line, printable } from './format.ts';
import { fileText } from './message-options.ts';
import { expectStep as expectFollowed } from './actions/logs.ts';
import { follow, type FollowOptions } from './run-follow.ts';
import type { FoundWorkflow, RunController, RunWatcher } from '../project/definition/contracts.ts';
import type { Workflows } from '../workflow/runs/workflows.ts';
import { folderOfWorkflows, openWorkflow } from './workflow-place.ts';
import type { Budget } from '../kernel/cost.ts';

/** The options of `withStartOptions`. */
export interface StartOptions extends FollowOptions {
  readonly param?: readonly string[];
  readonly input?: readonly string[];
  readonly workspace?: string;
  readonly inherit?: readonly string[];
  readonly context?: readonly string[];
  readonly contextFile?: string;
  readonly budget?: string;
  readonly maxUsd?: string;
  readonly maxVisits?: string;
  readonly record?: string;
  readonly replay?: string;
  readonly overrides?: readonly string[];
}

/** Starts a workflow, or (`only`) one step of it, and follows it until it ends. */
export async function startRun(
  context: Context,
  reference: string,
  options: StartOptions,
  only: string | null = null,
): Promise<number> {
  context.outsideTurn('run');
  const given = givenContext(context, options);
  const found = await openWorkflow(context, reference, {
    starting: { context: given.names, only },
    overrides: options.overrides ?? [],
  });
  return startFound(context, found, options, { only, given, answers: null });
}

/** `answers`: the step whose text is printed at the end, without `--json`; null: none. */
interface Starting {
  readonly only: string | null;
  readonly given: ReturnType<typeof givenContext>;
  readonly answers: string | null;
}

/** Starts a workflow that was read, and follows it until it ends. */
export async function startFound(
  context: Context,
  found: FoundWorkflow,
  options: StartOptions,
  { only, given, answers }: Starting,
): Promise<number> {
  const { call } = context;
  const { workflows } = context.place();
  const definition = await startedDefinition(found, options);
  if (only !== null) expectStep(definition, only);
  if (typeof options.follow === 'string') expectFollowed(definition, options.follow);
  const parameters = await givenParameters(definition, options);
  const values = await given.of(definition);
  const workspace = workspaceOf(context, found, definition, options);
  const budget = await budgetOf(definition, options.budget);
  await refuseAboveCeiling(workflows, definition, { budget, parameters }, options.maxUsd);
  const { mindGitIgnore } = await import('./git-ignore.ts');
  context.announce();
  if (answers === null) await reportWarnings(context, found);
  await reportUnpassed(context, definition);
  await mindGitIgnore(context, definition, workspace, options.json === true);
  const absolute = (folder: string | undefined) => (folder === undefined ? null : resolve(call.cwd, folder));
  const start = (watch: RunWatcher, waits: (reason: string) => void) =>
    workflows
      .begin({
        workflow: found,
        definition,
        parameters,
        context: values,
        workspace,
        budget,
        only,
        person: caller(context),
        record: absolute(options.record),
        replay: absolute(options.replay),
        watch,
        waits,
      })
      .catch(asMistake(options));
  const started: { controller: RunController | null } = { controller: null };
  const code = await follow(
    context,
    options,
    async (watch, waits) => (started.controller = await start(watch, waits)),
  );
  const answer = answers === null ? undefined : started.controller?.state.steps.get(answers)?.result?.output;
  if (answer !== undefined && answer !== '' && options.json !== true)
    context.terminal.write(`\n${printable(answer.trimEnd())}\n`);
  return code;
}

/** A missing workspace that the command line names is an error of the command line. */
function asMistake({ workspace }: StartOptions): (error: unknown) => never {
  return (error) => {
    const isNamed = workspace !== undefined && error instanceof MailroomError && error.code === 'E_WORKSPACE';
    throw isNamed ? new MailroomError('E_USAGE', error.message, 'make it first, or name another') : error;
  };
}

/** The definition, if it can run: everything that it refers to must exist, too. */
export function expectDefinition({ checked }: FoundWorkflow): Workflow {
  if (!checked.ok) throw new ProblemsError(checked.problems);
  const lost = checked.warnings.filter(({ code }) => code === 'E_REFERENCE');
  if (lost.length === 0) return checked.value;
  throw new ProblemsError(lost.map((problem) => ({ ...problem, severity: 'error' })));
}

/** Reports that the definition of a started run has warnings, and how to show them. */
export async function reportWarnings(context: Context, found: FoundWorkflow): Promise<void> {
  const { warningsNote } = await import('../project/definition/validate.ts');
  const fromHere = (file: string) => relative(context.call.cwd, resolve(context.place().root, file));
  const { overrides = [] } = (found.checked.ok && found.checked.value.display) || {};
  const named = overrides.flatMap(({ file, isNamed }) => (isNamed ? `--overrides ${fromHere(file)}` : []));
  const command = context.commandLine(['validate', fromHere(found.file), ...named].join(' '));
  const note = warningsNote(found, command);
  if (note !== null) context.terminal.complain(`${line(note)}\n`);
}

/** Names what the scripts of a run read from the shell of the caller and do not get. */
async function reportUnpassed(context: Context, definition: Workflow): Promise<void> {
  const { unpassedVariables } = await import('../workflow/runs/unpassed.ts');
  const unpassed = [...unpassedVariables(definition, context.call.environment)];
  if (unpassed.length === 0) return;
  const read = unpassed.map(([name, paths]) => `${name} (${paths.join(', ')})`).join(', ');
  const options = unpassed.map(([name]) => `--inherit ${name}`).join(' ');
  context.terminal.complain(
    `variables of your shell that scripts read and do not get: ${line(read)}\nto pass them: ${options}\n`,
  );
}

/**
 * The workspace of a run: the caller's choice, otherwise that of the workflow, otherwise the
 * project.
 */
export function workspaceOf(
  context: Context,
  { file }: FoundWorkflow,
  { ownWorkspace }: Workflow,
  { workspace }: Pick<StartOptions, 'workspace'>,
): string {
  if (workspace !== undefined) return resolve(context.call.cwd, workspace);
  const { root } = context.place();
  return ownWorkspace === null ? root : resolve(folderOfWorkflows(file) ?? root, ownWorkspace.workspace);
}

async function startedDefinition(
  found: FoundWorkflow,
  { maxVisits, inherit = [] }: StartOptions,
): Promise<Workflow> {
  const read = expectDefinition(found);
  if (maxVisits === undefined && inherit.length === 0) return read;
  const { withInherited, withVisits } = await import('../workflow/machine/run-start.ts');
  const wrong = inherit.find((name) => !/^[A-Za-z_]\w*$/.test(name));
  if (wrong !== undefined)
    throw new MailroomError('E_USAGE', `\`--inherit\` must be the name of a variable, not \`${wrong}\``);
  const definition = inherit.length === 0 ? read : withInherited(read, inherit);
  if (maxVisits === undefined) return definition;
  if (!/^[1-9]\d{0,8}$/.test(maxVisits))
    throw new MailroomError(
      'E_USAGE',
      `\`--max-visits\` must be a whole number from 1 on, not \`${maxVisits}\``,
    );
  return withVisits(definition, Number(maxVisits));
}

/** Only a step of the workflow's own body can run alone. */
function expectStep({ name, body }: Workflow, step: string): void {
  const names = stepsAlone(body);
  if (names.includes(step)) return;
  const around = stepAround(body, step);
  if (around !== null) throw noStepAlone(step, around);
  const shown = names.slice(0, 20).map((each) => `\`${each}\``);
  const all = `there is ${shown.join(', ')}${names.length > shown.length ? ', …' : ''}`;
  throw new MailroomError(
    'E_TARGET',
    `\`${name}\` has no step \`${step}\` of its own`,
    didYouMean(step, names) ?? all,
  );
}

/** The steps of a body that can run alone, by their names. */
export function stepsAlone({ steps }: Body): string[] {
  return steps.flatMap(({ id, work }) => (work.kind === 'finally' ? [] : [id]));
}

/** The step of a body that contains a step of this name, or is what runs finally; null: none. */
export function stepAround({ steps }: Body, step: string): Step | null {
  const around = steps.find(({ id, work }) => {
    const inner = innerOf(work);
    const isInside = inner !== null && stepsIn(inner).some((each) => each.id === step);
    return isInside || (work.kind === 'finally' && id === step);
  });
  return around ?? null;
}

export function noStepAlone(step: string, { id, work }: Step): MailroomError {
  const isLast = work.kind === 'finally';
  const where = isLast ? 'at the end of a whole run only' : 'in it only';
  const what = step === id ? `\`${id}\` runs` : `\`${step}\` is a step of \`${id}\`, and runs`;
  const all = isLast ? 'mailroom run WORKFLOW' : `mailroom run-step ${id}`;
  return new MailroomError('E_TARGET', `${what} ${where}`, `to run all of it: ${all}`);
}

/** Parses `name=value`. */
export function pair(text: string): [string, string] {
  const at = text.indexOf('=');
  if (at <= 0) throw new MailroomError('E_USAGE', `\`${text}\` must be name=value`);
  return [text.slice(0, at), text.slice(at + 1)];
}

/** The parameters from the command line. Throws `E_USAGE`. */
export async function givenParameters(
  definition: Workflow,
  { param = [], input = [] }: Pick<StartOptions, 'param' | 'input'>,
): Promise<JsonObject> {
  const { readParameters } = await import('../workflow/runs/parameters.ts');
  return readParameters(definition.parameters, [...param, ...input].map(pair), parameterWord(definition));
}

/**
 * The names of the values of `context` from the command line, and the values, of the types that a
 * definition gives them. Both throw `E_USAGE`.
 */
export function givenContext(
  context: Context,
  { context: pairs = [], contextFile }: Pick<StartOptions, 'context' | 'contextFile'>,
) {
  const [values, texts] = [contextFileOf(context, contextFile), pairs.map(pair)];
  return {
    names: new Set([...Object.keys(values), ...texts.map(([name]) => name)]),
    of: async (definition: Workflow) => {
      const { readContext } = await import('../workflow/runs/parameters.ts');
      return readContext(definition, values, texts);
    },
  };
}

function contextFileOf({ call }: Context, file: string | undefined): JsonObject {
  if (file === undefined) return {};
  const text = contextText(call, file);
  const read = readExactJson(text);
  if (!read.ok) throw new MailroomError('E_USAGE', `${file}: ${syntaxProblem(text) ?? read.problem}`);
  if (!isJsonObject(read.value)) throw new MailroomError('E_USAGE', `${file} must hold one JSON object`);
  return read.value;
}

/** Before a start, an unreadable file is an error of the command line. Throws `E_USAGE`. */
function contextText(call: Context['call'], file: string): string {
  try {
    return fileText(call, file);
  } catch (error) {
    throw error instanceof MailroomError ? new MailroomError('E_USAGE', error.message, error.hint) : error;
  }
}

async function refuseAboveCeiling(
  workflows: Workflows,
  definition: Workflow,
  data: { readonly budget: Budget; readonly parameters: JsonObject },
  text: string | undefined,
): Promise<void> {
  if (text === undefined) return;
  const { dollars } = await import('../workflow/runs/parameters.ts');
  const { refuseAbove } = await import('../workflow/runs/plan.ts');
  const maxUsd = dollars(text);
  if (maxUsd === undefined)
    throw new MailroomError('E_USAGE', `\`--max-usd\` must be a number, not \`${text}\``);
  refuseAbove(maxUsd, definition, { ...(await workflows.planning()), ...data });
}

/** The lower of the definition's and the command line's budget. */
async function budgetOf(definition: Workflow, text: string | undefined): Promise<Budget> {
  if (text === undefined) return definition.budget;
  const { parseBudget } = await import('../workflow/runs/parameters.ts');
  const given = parseBudget(text);
  const least = (a: number | null, b: number | null) => (a === null ? b : b === null ? a : Math.min(a, b));
  return {
    usd: least(definition.budget.usd, given.usd),
    tokens: least(definition.budget.tokens, given.tokens),
    ...(given.units === undefined ? {} : { units: given.units }),
  };
}
