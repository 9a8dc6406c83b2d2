import { join } from 'node:path';
import type { FoundWorkflow } from '../runs/services.ts';
import type { Workflow } from '../../workflow/model.ts';
import { listWorkflowFiles } from './project-files.ts';
import type { RealDisk } from '../../disk/real-disk.ts';
import { rememberedWorkflows } from '../../workflow/triggers/memory-files.ts';
import { findText } from '../../disk/text.ts';
import type { Settings } from './definition.ts';
import { readWorkflow } from './workflows.ts';

/** A workflow with triggers, or one that an earlier `up` has started. */
export interface TriggeredWorkflow {
  /** From the project. */
  readonly file: string;
  /** Null: it has no triggers any more, but perhaps a run that goes on. */
  readonly definition: Workflow | null;
}

export interface Triggered {
  readonly workflows: readonly TriggeredWorkflow[];
  readonly problems: readonly string[];
  /** All that has triggers, perhaps with problems, as it is now. */
  readonly read: readonly FoundWorkflow[];
}

/** The workflows of a project that start by themselves; one that is wrong is told of, and its triggers are off. */
export async function triggeredWorkflows(disk: RealDisk, settings: Settings): Promise<Triggered> {
  const read: FoundWorkflow[] = [];
  const problems: string[] = [];
  const found = new Map<string, Workflow | null>(rememberedWorkflows(disk).map((file) => [file, null]));
  for (const file of listWorkflowFiles(disk)) {
    const path = join(disk.root, file);
    const text = findText(path);
    // Most workflows have none, and need not be read for it.
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
