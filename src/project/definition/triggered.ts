import { join } from 'node:path';
import type { FoundWorkflow } from './contracts.ts';
import type { Workflow } from '../../workflow/model.ts';
import { listWorkflowFiles } from './project-files.ts';
import type { Disk } from '../../disk/disk.ts';
import { rememberedWorkflows } from '../../workflow/triggers/memory-files.ts';
import { findText } from '../../disk/text.ts';
import type { Settings } from './definition.ts';
import { readWorkflow } from './workflows.ts';

/** A workflow with triggers, or one that an earlier `up` has started. */
export interface TriggeredWorkflow {
  /** Relative to the project. */
  readonly file: string;
  /** Null: it has no triggers any more, but perhaps a run in progress. */
  readonly definition: Workflow | null;
}

interface Triggered {
  readonly workflows: readonly TriggeredWorkflow[];
  readonly problems: readonly string[];
  /** All workflows with triggers in their current form, including those with problems. */
  readonly read: readonly FoundWorkflow[];
}

/**
 * The workflows of a project that start automatically; an invalid one is reported, and its triggers
 * are off.
 */
export async function triggeredWorkflows(disk: Disk, settings: Settings): Promise<Triggered> {
  const read: FoundWorkflow[] = [];
  const problems: string[] = [];
  const found = new Map<string, Workflow | null>(rememberedWorkflows(disk).map((file) => [file, null]));
  for (const file of listWorkflowFiles(disk)) {
    const path = join(disk.root, file);
    const text = findText(path);
    // Most workflows have no triggers, and need not be parsed for this.
    if (text === null || (text.ok && !found.has(file) && !/["']?triggers["']?\s*:/.test(text.text))) continue;
    const workflow = await readWorkflow(disk, settings, path);
    const { checked } = workflow;
    read.push(workflow);
    if (!checked.ok)
      problems.push(`${file} has problems, so nothing triggers it; \`mailroom validate\` shows them`);
    else if (checked.value.triggers.length > 0) found.set(file, checked.value);
  }
  const workflows = [...found].map(([file, definition]) => ({ file, definition }));
  return { workflows, problems, read };
}
