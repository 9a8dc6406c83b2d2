import { MailroomError } from '../../kernel/errors.ts';
import type { Context } from '../context.ts';
import { statusLines } from '../status-text.ts';
import { printView } from '../output.ts';
import { momentOf } from '../../mail/questions/moment.ts';
import type { Project } from '../../project/project.ts';
import type { StatusDocument } from '../../documents/status.ts';

interface StatusOptions {
  readonly watch?: boolean;
  readonly all?: boolean;
  readonly dropGone?: boolean;
  readonly threads?: boolean;
  readonly at?: string;
  readonly json?: boolean;
}

export async function status(context: Context, options: StatusOptions): Promise<number> {
  if (options.all === true || options.dropGone === true) {
    if (
      options.watch === true ||
      options.threads === true ||
      options.at !== undefined ||
      options.all !== true
    )
      throw new MailroomError(
        'E_USAGE',
        '`--all` shows several projects, without `--watch`, `--threads` and `--at`; `--drop-gone` belongs to it',
      );
    const { statusOfAll } = await import('./status-all.ts');
    return await statusOfAll(context, options.json === true, options.dropGone === true);
  }
  if (options.watch === true && options.at !== undefined)
    throw new MailroomError('E_USAGE', '`--watch` shows what changes now, `--at` what was: use one of them');
  const { terminal } = context;
  const project = context.project();
  return printView(context, project, options, async () => {
    const document = await documentOf(project, options, terminal.now());
    const now = document.at === null ? terminal.now() : Date.parse(document.at.time);
    const style = { now, all: options.threads === true, colours: terminal.colours };
    return { document, lines: (room) => statusLines(document, { ...style, room: room ?? null }) };
  });
}

async function documentOf(project: Project, { at }: StatusOptions, now: number): Promise<StatusDocument> {
  if (at === undefined) {
    const { readStatus } = await import('../../mail/questions/read-status.ts');
    return readStatus(project, now);
  }
  const { pastStatus } = await import('../../mail/questions/past-status.ts');
  return pastStatus(project, momentOf(at, now));
}
