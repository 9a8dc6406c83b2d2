import { MailroomError } from '../../kernel/errors.ts';
import type { Protocol } from '../../mail/format/protocol.ts';
import type { Context } from '../context.ts';
import { caller } from '../control.ts';
import { idOf } from '../ids.ts';
import { deliver, readText, type MessageOptions } from '../message-options.ts';

interface SendOptions extends MessageOptions {
  readonly thread?: string;
  readonly inReplyTo?: string;
}

export async function send(
  context: Context,
  role: string,
  file: string | null,
  options: SendOptions,
): Promise<number> {
  const { compose } = await import('../../mail/questions/compose.ts');
  const { writtenProtocol } = await import('../../mail/questions/sending.ts');
  const { resolveThread, resolve } = await import('../../mail/questions/directory.ts');
  const project = context.project();
  context.announce();
  const text = await readText(context, file, options);
  const protocol = await writtenProtocol(project);
  const from = await speaker(context, protocol, options);
  if (protocol !== null && context.turn === null) project.prepare(protocol);
  const state = project.journal.state();
  const thread =
    options.thread === undefined
      ? null
      : resolveThread(project, state, await idOf(context, options.thread, ['thread']));
  const inReplyTo =
    options.inReplyTo === undefined
      ? null
      : resolve(project, state, await idOf(context, options.inReplyTo, ['message']), ['message']).message;
  const draft = compose(
    {
      from,
      to: role.split(',').filter((name) => name !== ''),
      type: options.type ?? null,
      subject: options.subject ?? null,
      fields: options.field ?? [],
      attachments: options.attach ?? [],
      thread,
      inReplyTo,
      opensThread: context.turn === null,
      replies: inReplyTo === null ? null : (state.mail.get(inReplyTo)?.request?.replies ?? null),
      ...text,
    },
    protocol,
  );
  return await deliver(context, project, from, draft, options);
}

/** The sender: an agent sends for itself, a person for a human role. */
async function speaker(context: Context, protocol: Protocol | null, { as }: SendOptions): Promise<string> {
  const { turn } = context;
  if (turn === null) {
    const { speakerOf } = await import('../../mail/questions/speak.ts');
    return as ?? speakerOf(protocol, caller(context));
  }
  if (as !== undefined && as !== turn.role)
    throw new MailroomError(
      'E_INSIDE_TURN',
      `inside its turn, ${turn.role} speaks for itself`,
      'leave --as out',
    );
  return turn.role;
}
