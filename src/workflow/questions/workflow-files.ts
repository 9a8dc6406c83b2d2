import { createHash } from 'node:crypto';
import { stepPaths } from '../../editing/definitions.ts';
import { MailroomError } from '../../kernel/errors.ts';
import type { Checked } from '../../kernel/diagnostic.ts';
import { isJsonObject, valueAt, type Json } from '../../kernel/json.ts';
import { identityOf } from '../../languages/shared/identity.ts';
import { planOf } from '../machine/plan.ts';
import { compile } from '../machine/rules.ts';
import type { Workflow } from '../model.ts';
import { formatOf } from '../../yaml/edit/convert.ts';
import { edit } from '../../yaml/edit/edit.ts';
import { convertText } from './convert-text.ts';
import { readRuns } from '../runs/reading.ts';
import type { RunCard } from '../../letters/letters.ts';
import type { FoundWorkflow, WorkflowPlace } from '../../project/definition/contracts.ts';
import type { Workflows } from '../runs/workflows.ts';
import { showWorkflow } from './show-workflow.ts';
import { validate } from '../../project/definition/validate.ts';
import type { WorkflowRow, LastRun, WorkflowFile, ShownParameters } from '../../documents/workflows.ts';

/** The workflows of the project, sorted by file; one with errors is listed, too. */
export async function listWorkflows(workflows: Workflows, root: string): Promise<WorkflowRow[]> {
  const rows: WorkflowRow[] = [];
  const runs = workflows.runs();
  const known = new Map((await workflows.identities()).map((each) => [each.file, each]));
  for (const file of workflows.list()) {
    const { checked } = await workflows.read(file, root);
    const definition = valueOf(checked);
    const { name = null, version = null, language = null, description = null, body } = definition ?? {};
    const { id = null, tags = [], author = null, ui = null } = known.get(file) ?? {};
    const { errors } = validate([{ path: file, checked }]).document;
    rows.push({
      id,
      file,
      ok: checked.ok,
      name,
      title: definition?.display?.title ?? null,
      version,
      language,
      description,
      tags,
      author,
      ui,
      steps: body?.steps.length ?? null,
      errors,
      last_run: await lastRunOf(
        workflows,
        runs.filter(({ source }) => source === file),
      ),
    });
  }
  return rows;
}

/** The first of these runs that can be read; null: none can. */
async function lastRunOf(workflows: Workflows, cards: readonly RunCard[]): Promise<LastRun | null> {
  for (const card of cards) {
    const [found] = (await readRuns(workflows, { cards: [card] })).runs;
    if (found === undefined) continue;
    const { run, status, standing, alive, started_at, completed_at } = found;
    return { run, status, standing, alive, started_at, completed_at };
  }
  return null;
}

function valueOf(checked: Checked<Workflow>): Workflow | null {
  return checked.ok ? checked.value : null;
}

/**
 * The file of a workflow of the project by its id, its name, or its path in workflows/; no other
 * file. Throws `E_TARGET`.
 */
export async function locateWorkflow(
  workflows: Workflows,
  root: string,
  word: string,
): Promise<WorkflowPlace> {
  if (workflows.list().includes(word) || (await workflows.isWorkflow(word)))
    return workflows.locate(word, root);
  throw new MailroomError('E_TARGET', `there is no workflow \`${word}\``, '`mailroom workflows` lists them');
}

/** The same, read and checked. */
export async function findWorkflow(workflows: Workflows, root: string, word: string): Promise<FoundWorkflow> {
  const { file } = await locateWorkflow(workflows, root, word);
  return workflows.read(file, root);
}

/** What an editor or a form shows of a workflow. */
export async function readWorkflowFile(workflows: Workflows, found: FoundWorkflow): Promise<WorkflowFile> {
  const { path, text, checked } = found;
  const definition = valueOf(checked);
  const { name = null, version = null, description = null } = definition ?? {};
  const { value, overridden } = await workflows.effective(found);
  const { id, tags, author, ui } = identityOf(text, path);
  return {
    ...showWorkflow(path, text, checked),
    id,
    tags,
    author,
    ui,
    effective: value,
    overridden,
    name,
    title: definition?.display?.title ?? null,
    version,
    description,
    revision: revisionOf(text),
    text,
    parameters: shownParameters(definition),
    graph: definition === null ? { nodes: [], edges: [] } : await graphOf(workflows, definition, value),
  };
}

/** None where a workflow has errors. */
export function shownParameters(workflow: Workflow | null): ShownParameters {
  return Object.fromEntries(
    Object.entries(workflow?.parameters ?? {}).map(([key, type]) => [
      key,
      {
        type: type.type,
        enum: type.enum,
        required: type.required,
        ...(type.default !== undefined && { default: type.default }),
        description: type.description,
      },
    ]),
  );
}

/**
 * The text of a definition in YAML, as written or with the changes of override files; these keep
 * every other byte. `revision`: of the stored text; null: it is another one. Throws its errors
 * where it cannot be changed or converted.
 */
export async function workflowText(
  workflows: Workflows,
  found: FoundWorkflow,
  isApplied: boolean,
): Promise<{ readonly text: string; readonly revision: string | null }> {
  const { text } = found;
  const { value, overridden } = isApplied
    ? await workflows.effective(found)
    : { value: null, overridden: [] };
  const isJson = formatOf(text) === 'json';
  if (overridden.length === 0 && !isJson) return { text, revision: revisionOf(text) };
  const changed = overridden.length === 0 ? null : edit(text, { do: 'set', path: [], value });
  if (changed?.ok === false)
    throw new MailroomError('E_WORKFLOW', `the overrides cannot be applied: ${changed.why}`);
  return { text: convertText(changed?.text ?? text, null, 'yaml').text, revision: null };
}

/** Changes with the text of a definition. */
export function revisionOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}

/** The steps of a workflow's own body, and what each waits for. */
export async function graphOf(
  workflows: Workflows,
  workflow: Workflow,
  definition: Json,
): Promise<WorkflowFile['graph']> {
  const data = { ...(await workflows.planning()), budget: workflow.budget };
  const { batches, contracts } = planOf(compile(workflow), data);
  const kinds = new Map(contracts.map(({ step, kind }) => [step, kind]));
  const paths = stepPaths(definition, await workflows.languages());
  return {
    nodes: batches.flatMap(({ number, steps }) =>
      steps.map((id) => {
        const path = paths.get(id) ?? null;
        const written = path && valueAt(definition, path);
        const { name, ui } = isJsonObject(written) ? written : {};
        return {
          id,
          name: typeof name === 'string' ? name : id,
          type: kinds.get(id) ?? 'step',
          batch: number,
          ui: isJsonObject(ui) ? ui : null,
          path,
        };
      }),
    ),
    edges: contracts.flatMap(({ step, needs }) =>
      kinds.has(step) && !step.includes('/') ? needs.map((from) => ({ from, to: step })) : [],
    ),
  };
}
