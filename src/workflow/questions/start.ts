import { createHash } from 'node:crypto';
import { v7 } from 'uuid';
import { MailroomError } from '../../kernel/errors.ts';
import type { DocumentOf, Json } from '../../kernel/json.ts';
import { fillParameters, parameterWord } from '../machine/parameters.ts';
import type { Workflow } from '../model.ts';
import { ProblemsError } from '../../project/definition/problems.ts';
import type { Project } from '../../project/project.ts';
import { locateWorkflow } from './workflow-files.ts';
import { readContext } from '../runs/parameters.ts';
import { planDocument, refuseAbove } from '../runs/plan.ts';
import { startBeside } from '../../process/supervision/detached.ts';
import { withoutStarts } from '../../project/definition/starts.ts';
import type { FoundWorkflow, RunController } from '../../project/definition/contracts.ts';
import type { PlanDocument, startedDocument } from '../../documents/workflows.ts';

/** What a caller gives to a workflow. */
export interface Given {
  readonly parameters: Readonly<Record<string, Json>>;
  readonly context: Readonly<Record<string, Json>>;
}

/** How a run is started without a terminal. */
export interface AskedRun extends Given {
  readonly usd: number | null;
  readonly tokens: number | null;
  /** Refuse to start if the worst case costs more; null: never. */
  readonly maxUsd: number | null;
  /** Who starts it, by name. */
  readonly person: string;
  /** By what a repeated request finds it again; null: it is never repeated. */
  readonly id: string | null;
}

/**
 * A workflow with values for its parameters. `text`: unsaved, in the place of the stored one; null:
 * there is none. Throws all problems at once.
 */
async function prepared(
  { workflows, root }: Project,
  word: string,
  { parameters, context }: Given,
  text: string | null = null,
) {
  const { file } = await locateWorkflow(workflows, root, word);
  const starting = { context: new Set(Object.keys(context)), only: null };
  const read =
    text === null
      ? await workflows.read(file, root, { starting })
      : await workflows.check(text, file, { starting });
  const definition = expectRunnable(read);
  const { values, problems } = fillParameters(definition.parameters, parameters, parameterWord(definition));
  if (problems.length > 0) throw new MailroomError('E_VALUE', problems.join('; '));
  readContext(definition, context, [], 'E_VALUE');
  return { found: read, definition, values };
}

/** Everything that a definition refers to must exist. */
function expectRunnable({ checked }: FoundWorkflow): Workflow {
  if (!checked.ok) throw new ProblemsError(checked.problems);
  const lost = checked.warnings.filter(({ code }) => code === 'E_REFERENCE');
  if (lost.length === 0) return checked.value;
  throw new ProblemsError(lost.map((problem) => ({ ...problem, severity: 'error' })));
}

/**
 * The plan of a workflow with these parameters. `text`: unsaved, in the place of the stored one;
 * null: there is none. Starts and writes nothing.
 */
export async function planWorkflow(
  project: Project,
  word: string,
  given: Given,
  text: string | null = null,
): Promise<PlanDocument> {
  const { found, definition, values } = await prepared(project, word, given, text);
  const planning = await project.workflows.planning();
  const data = { ...planning, budget: definition.budget, parameters: values };
  return planDocument(definition, data, found);
}

/** A run that has begun. */
type Started = DocumentOf<typeof startedDocument>;

/**
 * Starts a run in a process of its own. It is durable when this resolves. Throws `E_LOCKED` where
 * it would have to wait for another run, whatever `runs` of the workflow says.
 */
export async function startWorkflow(project: Project, word: string, asked: AskedRun): Promise<Started> {
  const run = asked.id === null ? undefined : runIdOf(asked.id);
  const before = run === undefined ? null : startedBefore(project, run);
  if (before !== null) return before;
  const { found, definition, values } = await prepared(project, word, asked);
  const least = (a: number | null, b: number | null) => (a === null ? b : b === null ? a : Math.min(a, b));
  const budget = {
    ...definition.budget,
    usd: least(definition.budget.usd, asked.usd),
    tokens: least(definition.budget.tokens, asked.tokens),
  };
  if (definition.ownWorkspace !== null)
    throw new MailroomError('E_WORKFLOW', 'a workflow with its own workspace starts by `mailroom run`');
  if (asked.maxUsd !== null) {
    const planning = await project.workflows.planning();
    refuseAbove(asked.maxUsd, definition, { ...planning, budget, parameters: values });
  }
  const controller = await project.workflows.begin({
    workflow: found,
    definition,
    parameters: values,
    context: asked.context,
    workspace: project.root,
    budget,
    only: null,
    record: null,
    replay: null,
    person: asked.person,
    ...(run !== undefined && { run }),
    watch: () => {},
  });
  await handOver(project, controller);
  return { schema: 1, run: controller.run, workflow: definition.name, status: controller.state.status };
}

/**
 * Stops a run that has just begun and resumes it in a process of its own, which outlives this one.
 * Resolves when that has begun, at the latest after ten seconds.
 */
export function handOver({ disk, workflows }: Project, controller: RunController): Promise<void> {
  // For a moment it has no host, and still counts.
  return withoutStarts(disk, async () => {
    controller.end('stop');
    await controller.follow();
    startBeside(['-C', disk.root, 'resume', controller.run], disk.root);
    await workflows.hosted(controller.run, controller.state.events);
  });
}

/** Repeatable but for its time: the rest is made of the id. */
function runIdOf(id: string): string {
  const random = createHash('sha256').update(id).digest().subarray(0, 16);
  return v7({ random, seq: 0 });
}

/** The characters of an id that show its time. */
const timeLength = '01a20184-d6fc-'.length;

function startedBefore({ workflows }: Project, run: string): Started | null {
  const known = workflows.runs().find((each) => each.run.slice(timeLength) === run.slice(timeLength));
  if (known === undefined) return null;
  return {
    schema: 1,
    run: known.run,
    workflow: known.workflow,
    status: workflows.run(known.run).state().status,
  };
}
