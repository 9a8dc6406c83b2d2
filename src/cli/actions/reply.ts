import { MailroomError } from '../../kernel/errors.ts';
import { mailroom, type Message } from '../../mail/format/message.ts';
import { emptyState, type MailState } from '../../mail/machine/state.ts';
import type { Context } from '../context.ts';
import { deliver, readText, type MessageOptions } from '../message-options.ts';
import type { ProjectServices } from '../../operations/services.ts';

export async function reply(
  context: Context,
  word: string | null,
  file: string | null,
  options: MessageOptions,
): Promise<number> {
  const { compose } = await import('../../operations/compose.ts');
  const { writtenProtocol } = await import('../../operations/sending.ts');
  const project = context.project();
  context.announce();
  const state = project.state() ?? emptyState();
  const message = await findMessage(project, state, await idOf(project, word, options.as ?? null));
  if (message.from === mailroom)
    throw new MailroomError('E_TARGET', 'a notice comes from Mailroom, which reads no answers');
  const text = await readText(context, file, options);
  const from = await speaker(context, project, state, message, options);
  const draft = compose(
    {
      from,
      to: [message.from],
      type: options.type ?? null,
      subject: options.subject ?? null,
      fields: options.field ?? [],
      attachments: options.attach ?? [],
      thread: null,
      inReplyTo: message.id,
      replies: state.mail.get(message.id)?.request?.replies ?? null,
      ...text,
    },
    await writtenProtocol(project),
  );
  return await deliver(context, project, from, draft, options);
}

/**
 * The id for a word: without a word the only waiting request, for `@1` or `last` an item of the
 * inbox, otherwise the word.
 */
async function idOf(project: ProjectServices, word: string | null, as: string | null): Promise<string> {
  const { isPosition, pickItem, readInbox } = await import('../../operations/inbox.ts');
  if (word !== null && !isPosition(word)) return word;
  const { items } = await readInbox(project, project.workflows, as);
  return pickItem(items, word === null ? ['request'] : ['request', 'notice'], word).id;
}

async function findMessage(project: ProjectServices, state: MailState, word: string): Promise<Message> {
  const { resolve } = await import('../../operations/directory.ts');
  const { allMessages } = await import('../../operations/messages.ts');
  const named = resolve(project, state, word, ['message']);
  const id = named.kind === 'message' ? named.message : '';
  const known = state.mail.get(id)?.message;
  const found = known ?? allMessages(project, state).find(({ message }) => message.id === id)?.message;
  if (!found) throw new MailroomError('E_TARGET', `there is no message ${word}`);
  return found;
}

/** An agent answers for itself; a person for the human role that received the message. */
async function speaker(
  { turn }: Context,
  project: ProjectServices,
  state: MailState,
  message: Message,
  { as }: MessageOptions,
): Promise<string> {
  if (turn !== null) return turn.role;
  const { addressee } = await import('../../operations/compose.ts');
  const definition = await project.definition();
  if (!definition.ok) return as ?? 'user';
  const recipients = [...(state.mail.get(message.id)?.deliveries.keys() ?? message.to)];
  return addressee(definition.value.protocol, recipients, as ?? null);
}
