import { incomingFolder } from '../host/run-mail.ts';
import { MailroomError } from '../kernel/errors.ts';
import type { OpenWorkflows } from '../workflow/host/up-work.ts';
import type { Controller, ControllerOptions } from '../mail/controller/contract.ts';
import { readDefinition, type Settings } from '../project/definition/definition.ts';
import type { RunChange } from '../workflow/runs/changes.ts';
import type { Project } from '../project/project.ts';
import { expectRead } from '../project/definition/workflows.ts';
import { startController } from '../mail/controller/controller.ts';

export interface UpOptions extends ControllerOptions {
  /** Receives the changes of runs that triggers have started; absent: they are not reported. */
  readonly onRun?: (change: RunChange) => void;
}

/**
 * Starts the controller, with the recording in the folder `replay` (absolute) in place of every
 * provider but people. Throws `E_LOCKED` when another one holds the project.
 */
export async function startUp(
  project: Project,
  options: UpOptions,
  replay: string | null = null,
): Promise<Controller> {
  const { disk, settings } = project;
  const open = options.triggers ? opener(project, expectRead(await settings.read(replay)), options) : null;
  const wired = expectRead(await readDefinition(disk, settings, replay));
  return startController(disk, wired, options, open);
}

/** Opens the work of `up` besides the mail. */
function opener(
  project: Project,
  settings: Settings,
  { record, onRun = () => {} }: Pick<UpOptions, 'record' | 'onRun'>,
): OpenWorkflows {
  const { disk } = project;
  const recorded = record === null ? settings : { ...settings, record };
  return async (slots, hints) => {
    const { openWorkflows } = await import('./workflows.ts');
    const workflows = await openWorkflows(disk, recorded, slots, { ...hints, onRun });
    const hasIncoming = (disk.list(incomingFolder) ?? []).length > 0;
    if (settings.protocol !== null || workflows.triggers.length > 0 || hasIncoming) {
      if (settings.config.channels.size === 0) return workflows;
      const { withChannels } = await import('./channels.ts');
      return withChannels(workflows, project, hints);
    }
    await workflows.close();
    throw new MailroomError(
      'E_NO_PROJECT',
      'nothing would ever happen here: there is no protocol, and no workflow that could be read has triggers',
      '`mailroom run` starts a workflow; docs/workflow-triggers.md explains automatic starts',
    );
  };
}
