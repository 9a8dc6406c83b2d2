import { MailroomError } from '../../kernel/errors.ts';
import type { Context } from '../context.ts';
import { statusLines } from '../status-text.ts';
import { json, watch } from '../output.ts';

export interface StatusOptions {
  readonly watch?: boolean;
  readonly all?: boolean;
  readonly dropGone?: boolean;
  readonly threads?: boolean;
  readonly json?: boolean;
}

export async function status(context: Context, options: StatusOptions): Promise<number> {
  if (options.all === true || options.dropGone === true) {
    if (options.watch === true || options.threads === true || options.all !== true)
      throw new MailroomError(
        'E_USAGE',
        '`--all` shows several projects, without `--watch` and `--threads`; `--drop-gone` belongs to it',
      );
    const { statusOfAll } = await import('./status-all.ts');
    return await statusOfAll(context, options.json === true, options.dropGone === true);
  }
  const { readStatus } = await import('../../operations/read-status.ts');
  const { terminal } = context;
  const project = context.project();
  const show = async () => {
    const now = terminal.now();
    const document = await readStatus(project, project.workflows, now);
    if (options.json === true) return json(document);
    return `${statusLines(document, { now, all: options.threads === true, colours: terminal.colours }).join('\n')}\n`;
  };
  const print = options.json === true ? terminal.write : terminal.print;
  if (options.watch === true) return await watch(terminal, project, show, print);
  print(await show());
  return 0;
}
