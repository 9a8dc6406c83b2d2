import { MailroomError } from '../../kernel/errors.ts';
import { mailroom, type Message } from '../../mail/format/message.ts';
import { answersBetween, builtInNamed, peopleOf, type Protocol } from '../../mail/format/protocol.ts';
import { answerTypes } from '../../mail/machine/answering.ts';
import type { MailState } from '../../mail/machine/state.ts';
import { isPosition } from '../../mail/questions/positions.ts';
import { writtenProtocol } from '../../mail/questions/sending.ts';
import { completeAnswer, mayAsk, pickWaiting, type Answerable } from '../answering.ts';
import type { Context } from '../context.ts';
import { caller } from '../control.ts';
import { deliver, givenText, type MessageOptions } from '../message-options.ts';
import type { Project } from '../../project/project.ts';

export async function reply(
  context: Context,
  word: string | null,
  file: string | null,
  options: MessageOptions,
): Promise<number> {
  const { compose } = await import('../../mail/questions/compose.ts');
  const project = context.project();
  context.announce();
  const state = project.journal.state();
  const message = await findMessage(project, state, await idOf(context, project, word, options));
  if (message.from === mailroom)
    throw new MailroomError('E_TARGET', 'a notice comes from Mailroom, which reads no answers');
  const given = { options, file, text: await givenText(context, file, options) };
  const answer = await completeAnswer(context, await answerable(context, project, message, options), given);
  const draft = compose(
    {
      from: answer.from,
      to: [message.from],
      type: answer.options.type ?? null,
      subject: options.subject ?? null,
      fields: answer.options.field ?? [],
      attachments: options.attach ?? [],
      thread: null,
      inReplyTo: message.id,
      replies: state.mail.get(message.id)?.request?.replies ?? null,
      ...answer.text,
    },
    await writtenProtocol(project),
  );
  return await deliver(context, project, answer.from, draft, options);
}

/**
 * The id for a word: without a word the only waiting request, for `@1` or `last` an item of the
 * inbox, otherwise the word.
 */
async function idOf(
  context: Context,
  project: Project,
  word: string | null,
  options: MessageOptions,
): Promise<string> {
  const { readInbox } = await import('../../mail/questions/inbox.ts');
  if (word !== null && !isPosition(word)) return word;
  const { items } = await readInbox(project, options.as ?? null);
  const kinds = word === null ? (['request'] as const) : (['request', 'notice'] as const);
  return (await pickWaiting(context, items, kinds, word, options)).id;
}

async function findMessage(project: Project, state: MailState, word: string): Promise<Message> {
  const { resolve } = await import('../../mail/questions/directory.ts');
  const { allMessages } = await import('../../mail/questions/messages.ts');
  const { message: id } = resolve(project, state, word, ['message']);
  const known = state.mail.get(id)?.message;
  const found = known ?? allMessages(project, state).find(({ message }) => message.id === id)?.message;
  if (!found) throw new MailroomError('E_TARGET', `there is no message ${word}`);
  return found;
}

/** An agent answers for itself, a person as a role that received the message. */
async function answerable(
  context: Context,
  project: Project,
  message: Message,
  options: MessageOptions,
): Promise<Answerable> {
  const protocol = await writtenProtocol(project);
  const one = context.turn?.role ?? (protocol === null ? (options.as ?? 'user') : null);
  if (protocol === null) return { message, from: one, people: [], types: [], protocol };
  const { from, people } =
    one === null ? await answerersOf(context, protocol, message, options) : { from: one, people: [one] };
  const mail = project.journal.state().mail.get(message.id);
  const allowed = people.flatMap((role) => answersBetween(protocol, role, message.from));
  const types = answerTypes(protocol, mail?.request?.replies ?? []).filter(
    (type) => builtInNamed(protocol, type) !== undefined || allowed.some(({ name }) => name === type),
  );
  return { message, from, people, types, protocol };
}

/** Who answers; `from` null: a person chooses among these. */
async function answerersOf(
  context: Context,
  protocol: Protocol,
  message: Message,
  options: MessageOptions,
): Promise<Pick<Answerable, 'from' | 'people'>> {
  const { addressees, recipientsOf } = await import('../../mail/questions/compose.ts');
  const { answererFor, notAsked } = await import('../../mail/questions/speak.ts');
  const state = context.project().journal.state();
  const { as } = options;
  // What is not a role is refused with the roles that there are.
  if (as !== undefined && (recipientsOf(state, message).includes(as) || !protocol.roles.has(as)))
    return { from: as, people: [as] };
  const people = addressees(state, protocol, message);
  if (as !== undefined) throw notAsked(message.id, people, as);
  const name = caller(context);
  const isStranger = !peopleOf(protocol).includes(name);
  const isForeign = !people.includes('user') && mayAsk(context, options);
  if (isStranger && (people.length > 1 || isForeign)) return { from: null, people };
  const from = answererFor(message, people, protocol, name);
  return { from, people: [from] };
}
