import { MailroomError } from '../../kernel/errors.ts';
import { withInherited, withVisits } from '../machine/run-start.ts';
import type { Workflow } from '../model.ts';
import { outlineOf } from '../../graph/diagram.ts';
import type { FoundWorkflow, StoredRun } from '../../project/definition/contracts.ts';
import type { Workflows } from './workflows.ts';
import type { RunDefinition } from '../../documents/runs.ts';

/** The definition of a run as it was, compared with its present file. */
export async function readRunDefinition(
  workflows: Workflows,
  root: string,
  stored: StoredRun,
): Promise<RunDefinition> {
  const { run, card, definition, text } = stored;
  const found = await presentDefinition(workflows, root, stored);
  const now =
    found === null ? 'gone' : !found.checked.ok ? 'broken' : isEdited(stored, found) ? 'changed' : 'same';
  return { schema: 1, run, file: card.source, text, now, graph: outlineOf(definition) };
}

/**
 * The present file of a run, with the overrides that the person named; null: one of them no longer
 * exists.
 */
export async function presentDefinition(
  workflows: Workflows,
  root: string,
  { card: { source }, definition }: Pick<StoredRun, 'card' | 'definition'>,
): Promise<FoundWorkflow | null> {
  if (source === null) return null;
  const applied = definition.display?.overrides ?? [];
  const overrides = applied.filter(({ isNamed }) => isNamed).map(({ file }) => file);
  try {
    return startedAs(definition, await workflows.read(source, root, { overrides }));
  } catch (error) {
    // A missing file, and a missing file of overrides.
    if (error instanceof MailroomError && ['E_TARGET', 'E_USAGE'].includes(error.code)) return null;
    throw error;
  }
}

/** Whether the present file of a run, or a file that it uses, differs from what the run follows. */
export function isEdited({ definition }: Pick<StoredRun, 'definition'>, { checked }: FoundWorkflow): boolean {
  return JSON.stringify(checked.ok ? checked.value : null) !== JSON.stringify(definition);
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
