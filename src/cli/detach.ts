import { resolve } from 'node:path';
import { MailroomError } from '../kernel/errors.ts';
import type { Project } from '../project/project.ts';
import { outputFile, startUpBeside } from '../up/beside.ts';
import type { Context } from './context.ts';
import { printable } from './format.ts';

/** The options of `up` that matter to the other process, and those that do nothing with `--detach`. */
interface DetachOptions {
  readonly untilIdle?: boolean;
  readonly json?: boolean;
  readonly drain?: boolean;
  readonly record?: string;
  readonly replay?: string;
  readonly heartbeat?: string;
  readonly serve?: boolean;
  readonly port?: string;
}

/**
 * Starts `up` in a process of its own and returns once it works. Exit code 1: it did not start, and
 * what it printed is printed.
 */
export async function detach(context: Context, project: Project, options: DetachOptions): Promise<number> {
  const idle = options.untilIdle === true ? '--until-idle' : options.json === true ? '--json' : null;
  if (idle !== null)
    throw new MailroomError('E_USAGE', `\`${idle}\` does nothing with \`--detach\``, 'remove one of them');
  const { terminal, commandLine } = context;
  const started = await startUpBeside(project, wordsOf(context, options));
  if (started.pid === null) {
    const printed = started.printed === '' ? `it has not started yet; see ${outputFile}\n` : started.printed;
    terminal.complain(printable(printed));
    return 1;
  }
  terminal.print(
    `started: process ${String(started.pid)}, which prints into ${outputFile}\n` +
      `\`${commandLine('status --watch')}\` shows what it does, \`${commandLine('stop')}\` ends it\n`,
  );
  return 0;
}

/** The options that the other process gets. */
function wordsOf({ call }: Context, options: DetachOptions): string[] {
  const { drain, serve, port, record, replay, heartbeat } = options;
  const values = {
    port,
    heartbeat,
    record: record === undefined ? undefined : resolve(call.cwd, record),
    replay: replay === undefined ? undefined : resolve(call.cwd, replay),
  };
  return [
    '--plain',
    ...(drain === true ? ['--drain'] : []),
    ...(serve === true ? ['--serve'] : []),
    ...Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [`--${name}=${value}`])),
  ];
}
