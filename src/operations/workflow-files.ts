import { createHash } from 'node:crypto';
import { MailroomError } from '../kernel/errors.ts';
import type { Checked } from '../kernel/diagnostic.ts';
import { planOf } from '../workflow/machine/plan.ts';
import { compile } from '../workflow/machine/rules.ts';
import type { ValueType, Workflow } from '../workflow/model.ts';
import type { DiagnosticDocument } from '../yaml/diagnostics.ts';
import type { FoundWorkflow, WorkflowServices } from './runs/services.ts';
import { showWorkflow, type WorkflowDocument } from './show-workflow.ts';
import { validate } from './validate.ts';

/** A workflow of the project as `workflows` lists it. */
export interface WorkflowRow {
  readonly file: string;
  /** False: it cannot be run. */
  readonly ok: boolean;
  /** Null where there are errors, like the following keys. */
  readonly name: string | null;
  readonly version: string | null;
  readonly language: string | null;
  readonly description: string | null;
  readonly steps: number | null;
  readonly errors: readonly DiagnosticDocument[];
}

/** A workflow file with its text, its parameters and its steps. */
export interface WorkflowFile extends WorkflowDocument {
  readonly name: string | null;
  readonly version: string | null;
  readonly description: string | null;
  /** Changes with the text. */
  readonly revision: string;
  readonly text: string;
  readonly parameters: Readonly<
    Record<string, Pick<ValueType, 'type' | 'enum' | 'required' | 'default' | 'description'>>
  >;
  /** The steps of its own body; empty where there are errors. */
  readonly graph: {
    readonly nodes: readonly { readonly id: string; readonly type: string; readonly batch: number }[];
    readonly edges: readonly { readonly from: string; readonly to: string }[];
  };
}

/** The workflows of the project, sorted by file; one with errors is listed, too. */
export async function listWorkflows(workflows: WorkflowServices, root: string): Promise<WorkflowRow[]> {
  const rows: WorkflowRow[] = [];
  for (const file of workflows.list()) {
    const { checked } = await workflows.read(file, root);
    const { name = null, version = null, language = null, description = null, body } = valueOf(checked) ?? {};
    const { errors } = validate([{ path: file, checked }]).document;
    rows.push({
      file,
      ok: checked.ok,
      name,
      version,
      language,
      description,
      steps: body?.steps.length ?? null,
      errors,
    });
  }
  return rows;
}

function valueOf(checked: Checked<Workflow>): Workflow | null {
  return checked.ok ? checked.value : null;
}

/**
 * A workflow of the project by its id, its name, or its file in workflows/; no other file. Throws
 * `E_TARGET`.
 */
export async function findWorkflow(
  workflows: WorkflowServices,
  root: string,
  word: string,
): Promise<FoundWorkflow> {
  if (workflows.list().includes(word) || (await workflows.isWorkflow(word)))
    return workflows.read(word, root);
  throw new MailroomError('E_TARGET', `there is no workflow \`${word}\``, '`mailroom workflows` lists them');
}

/** What an editor or a form shows of a workflow. */
export async function readWorkflowFile(
  workflows: WorkflowServices,
  { path, text, checked }: FoundWorkflow,
): Promise<WorkflowFile> {
  const definition = valueOf(checked);
  const { name = null, version = null, description = null, parameters = {} } = definition ?? {};
  return {
    ...showWorkflow(path, text, checked),
    name,
    version,
    description,
    revision: revisionOf(text),
    text,
    parameters: Object.fromEntries(
      Object.entries(parameters).map(([key, type]) => [
        key,
        {
          type: type.type,
          enum: type.enum,
          required: type.required,
          ...(type.default !== undefined && { default: type.default }),
          description: type.description,
        },
      ]),
    ),
    graph: definition === null ? { nodes: [], edges: [] } : await graphOf(workflows, definition),
  };
}

function revisionOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}

async function graphOf(workflows: WorkflowServices, definition: Workflow): Promise<WorkflowFile['graph']> {
  const data = { ...(await workflows.planning()), budget: definition.budget };
  const { batches, contracts } = planOf(compile(definition), data);
  const kinds = new Map(contracts.map(({ step, kind }) => [step, kind]));
  return {
    nodes: batches.flatMap(({ number, steps }) =>
      steps.map((id) => ({ id, type: kinds.get(id) ?? 'step', batch: number })),
    ),
    edges: contracts.flatMap(({ step, needs }) =>
      kinds.has(step) && !step.includes('/') ? needs.map((from) => ({ from, to: step })) : [],
    ),
  };
}
