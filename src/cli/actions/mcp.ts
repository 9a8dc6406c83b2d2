import metadata from '../../../package.json' with { type: 'json' };
import { MailroomError } from '../../kernel/errors.ts';
import type { Context } from '../context.ts';
import { caller } from '../control.ts';

interface McpOptions {
  readonly approve?: boolean;
}

/** Inside a turn, serves the turn's tools; elsewhere those of the project, for a person's agent. */
export async function mcp(context: Context, { approve = false }: McpOptions): Promise<number> {
  const { version } = metadata;
  const { turn } = context;
  if (turn === null) {
    const { serveProject } = await import('../../server/mcp/project.ts');
    const { now } = context.terminal;
    const tools = { project: context.project(), version, name: caller(context), now, approve };
    await serveProject(tools, await context.addedTools());
    return 0;
  }
  if (turn.outbox === '' || turn.thread === '')
    throw new MailroomError(
      'E_USAGE',
      'these are the tools of a turn, and this is none',
      'a controller hands them to each agent that it starts, unless mailroom.yaml says `mcp: off`',
    );
  const project = context.project();
  const { turnServer } = await import('../../server/mcp/turn.ts');
  const { serveStdio } = await import('../../server/mcp/stdio.ts');
  await serveStdio(turnServer({ project, turn, version }), context.streams);
  return 0;
}
