import type { Command } from 'commander';
import { MailroomError } from '../../core/errors.ts';
import { mailroom, type Message } from '../../core/mail/message.ts';
import { emptyState, type MailState } from '../../core/mail/state.ts';
import type { Context } from '../context.ts';
import { collect, deliver, readText, type LetterOptions } from '../letter.ts';
import type { ProjectServices } from '../services.ts';

/** `reply`: the same as `send`, as the answer to a message. */
export function addReply(program: Command, context: Context): void {
  program
    .command('reply')
    .description('answer a message, as the person that it was sent to')
    .argument('<id>', 'the message: its id, or the beginning or end of it')
    .argument('[file]', 'the text; `-` is standard input')
    .option('-m, --message <text>', 'the text itself')
    .option('--type <type>', 'the type, where the message allows several answers')
    .option('--subject <line>', 'the subject, instead of the first line')
    .option('--field <name=value>', 'a field of the type; may be given several times', collect)
    .option('--attach <path>', 'a path inside the project; may be given several times', collect)
    .option('--as <role>', 'who answers, where several people got the message')
    .option('--wait', 'wait for what comes of it and print it')
    .option('--json', 'print one JSON document')
    .addHelpText('after', '\nExample:\n  $ mailroom reply 4f2a9c --message "Use the second parser."')
    .action(
      context.act((id: string, file: string | undefined, options: LetterOptions) =>
        reply(context, id, file ?? null, options),
      ),
    );
}

async function reply(
  context: Context,
  word: string,
  file: string | null,
  options: LetterOptions,
): Promise<number> {
  const { compose } = await import('../../engine/operations/compose.ts');
  const { currentProtocol } = await import('../../engine/operations/sending.ts');
  const project = context.project();
  const state = project.state() ?? emptyState();
  const message = await findMessage(project, state, word);
  if (message.from === mailroom)
    throw new MailroomError('E_TARGET', 'a notice is from the program itself: nobody reads an answer to it');
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
    await currentProtocol(project, state),
  );
  return await deliver(context, project, from, draft, options);
}

async function findMessage(project: ProjectServices, state: MailState, word: string): Promise<Message> {
  const { resolve } = await import('../../engine/operations/directory.ts');
  const { allMessages } = await import('../../engine/operations/messages.ts');
  const named = resolve(project, state, word, ['message']);
  const id = named.kind === 'message' ? named.message : '';
  const known = state.mail.get(id)?.message;
  const found = known ?? allMessages(project, state).find(({ message }) => message.id === id)?.message;
  if (!found) throw new MailroomError('E_TARGET', `there is no message ${word}`);
  return found;
}

/** An agent answers for itself; a person for the human role that got the message. */
async function speaker(
  { turn }: Context,
  project: ProjectServices,
  state: MailState,
  message: Message,
  { as }: LetterOptions,
): Promise<string> {
  if (turn !== null) return turn.role;
  const { addressee } = await import('../../engine/operations/compose.ts');
  const definition = await project.definition();
  if (!definition.ok) return as ?? 'user';
  const recipients = [...(state.mail.get(message.id)?.deliveries.keys() ?? message.to)];
  return addressee(definition.value.protocol, recipients, as ?? null);
}
