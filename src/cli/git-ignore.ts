import { MailroomError } from '../kernel/errors.ts';
import type { Workflow } from '../workflow/model.ts';
import type { Context } from './context.ts';

/**
 * On the first run of a workflow whose language has its own workspace: asks whether git should
 * ignore its records, or says so.
 */
export async function mindGitIgnore(
  context: Context,
  { ownWorkspace }: Workflow,
  workspace: string,
  quiet: boolean,
): Promise<void> {
  if (ownWorkspace === null) return;
  const { workflows } = context.place();
  const records = workflows.records(workspace, ownWorkspace);
  if (!records.isFirst) return;
  const lines = records.lines.join(' and ');
  if (!context.terminal.interactive || quiet) {
    context.terminal.complain(`put ${lines} into .gitignore: runs are kept there\n`);
    return;
  }
  const { confirm, isCancel } = await import('@clack/prompts');
  const answer = await confirm({ message: `Put ${lines} into .gitignore?` });
  if (isCancel(answer)) throw new MailroomError('E_CANCELLED', 'nothing was started');
  if (answer) records.ignore();
}
