import metadata from '../../../package.json' with { type: 'json' };
import { MailroomError } from '../../kernel/errors.ts';
import type { Context } from '../context.ts';

/**
 * Inside a turn, serves the turn's tools; elsewhere the tools by which the user's own agent defines
 * and runs workflows.
 */
export async function mcp(context: Context): Promise<number> {
  const { version } = metadata;
  const { services, turn } = context;
  if (turn === null) {
    const { serveWorkflowTools } = await import('../workflow-tools.ts');
    await serveWorkflowTools(context, version);
    return 0;
  }
  const thread = services.environment['MAILROOM_THREAD'] ?? '';
  if (turn.outbox === '' || thread === '')
    throw new MailroomError(
      'E_USAGE',
      'these are the tools of a turn, and this is none',
      'a controller hands them to each agent that it starts, unless mailroom.yaml says `mcp: off`',
    );
  const { serveTurn } = await import('../../server/mcp/turn.ts');
  await serveTurn({ project: context.project(), turn: { ...turn, thread }, version });
  return 0;
}
