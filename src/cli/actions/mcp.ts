import metadata from '../../../package.json' with { type: 'json' };
import { MailroomError } from '../../core/errors.ts';
import { serveTurn } from '../../server/mcp.ts';
import type { Context } from '../context.ts';

export async function mcp(context: Context): Promise<number> {
  const { services, turn } = context;
  const thread = services.environment['MAILROOM_THREAD'] ?? '';
  if (turn === null || turn.outbox === '' || thread === '')
    throw new MailroomError(
      'E_USAGE',
      'these are the tools of a turn, and this is none',
      'a controller hands them to each agent that it starts, unless mailroom.yaml says `mcp: off`',
    );
  await serveTurn({ project: context.project(), turn: { ...turn, thread }, version: metadata.version });
  return 0;
}
