import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { statusLines } from '../status-text.ts';
import { json, watch } from '../output.ts';

/** `status`: who runs, who waits for whom, what it cost. */
export function addStatus(program: Command, context: Context): void {
  program
    .command('status')
    .description('show who runs, who waits for whom since when, and what it cost')
    .option('--watch', 'show it again whenever something changes')
    .option('--all', 'list every thread that is still known')
    .option('--json', 'print one JSON document')
    .addHelpText('after', '\nExample:\n  $ mailroom status --watch')
    .action(context.act((options: StatusOptions) => status(context, options)));
}

interface StatusOptions {
  readonly watch?: boolean;
  readonly all?: boolean;
  readonly json?: boolean;
}

async function status(context: Context, options: StatusOptions): Promise<number> {
  const { readStatus } = await import('../../engine/operations/read-status.ts');
  const { terminal } = context;
  const project = context.project();
  const show = async () => {
    const now = terminal.now();
    const document = await readStatus(project, now);
    if (options.json === true) return json(document);
    return `${statusLines(document, { now, all: options.all === true, colours: terminal.colours }).join('\n')}\n`;
  };
  if (options.watch === true) return await watch(terminal, project, show);
  terminal.write(await show());
  return 0;
}
