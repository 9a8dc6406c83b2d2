import type { Command } from 'commander';
import { MailroomError } from '../../core/errors.ts';
import { emptyState } from '../../core/mail/state.ts';
import type { Context } from '../context.ts';
import { collect, deliver, readText, type LetterOptions } from '../letter.ts';

/** `send`: writes a message properly. */
export function addSend(program: Command, context: Context): void {
  program
    .command('send')
    .description('send a message to a role, in the name of a person')
    .argument('<role>', 'who gets it; several with commas')
    .argument('[file]', 'its text; `-` is standard input')
    .option('-m, --message <text>', 'its text itself')
    .option('--type <type>', 'its type, where the protocol leaves a choice')
    .option('--subject <line>', 'its subject, instead of its first line')
    .option('--field <name=value>', 'a field of its type; may be given several times', collect)
    .option('--attach <path>', 'a path inside the project; may be given several times', collect)
    .option('--thread <id>', 'goes on with this thread instead of starting one')
    .option('--in-reply-to <id>', 'the message that it answers or refers to')
    .option('--as <role>', 'the human role that speaks (default: user)')
    .option('--wait', 'wait for the answer, or for the end of the thread, and print it')
    .option('--json', 'print one JSON document')
    .addHelpText('after', '\nExample:\n  $ mailroom send architect --message "Add a --json flag to list"')
    .action(
      context.act((role: string, file: string | undefined, options: SendOptions) =>
        send(context, role, file ?? null, options),
      ),
    );
}

interface SendOptions extends LetterOptions {
  readonly thread?: string;
  readonly inReplyTo?: string;
}

async function send(
  context: Context,
  role: string,
  file: string | null,
  options: SendOptions,
): Promise<number> {
  const { compose } = await import('../../engine/operations/compose.ts');
  const { currentProtocol } = await import('../../engine/operations/sending.ts');
  const { resolveThread, resolve } = await import('../../engine/operations/directory.ts');
  const project = context.project();
  const from = speaker(context, options);
  const text = await readText(context, file, options);
  const state = project.state() ?? emptyState();
  const thread = options.thread === undefined ? null : resolveThread(project, state, options.thread);
  const named =
    options.inReplyTo === undefined ? null : resolve(project, state, options.inReplyTo, ['message']);
  const inReplyTo = named?.kind === 'message' ? named.message : null;
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
      replies: inReplyTo === null ? null : (state.mail.get(inReplyTo)?.request?.replies ?? null),
      ...text,
    },
    await currentProtocol(project, state),
  );
  return await deliver(context, project, from, draft, options);
}

/** Who speaks: an agent for itself, a person for a human role. */
function speaker({ turn }: Context, { as }: SendOptions): string {
  if (turn === null) return as ?? 'user';
  if (as !== undefined && as !== turn.role)
    throw new MailroomError(
      'E_INSIDE_TURN',
      `inside its turn, ${turn.role} speaks for itself`,
      'leave --as out',
    );
  return turn.role;
}
