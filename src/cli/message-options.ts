import { resolve } from 'node:path';
import { MailroomError } from '../kernel/errors.ts';
import type { Draft } from '../mail/format/message.ts';
import type { Context } from './context.ts';
import { answer } from './output.ts';
import type { Project } from '../project/project.ts';
import type { Sending } from '../documents/mail.ts';

/** The options that `send` and `reply` share. */
export interface MessageOptions {
  readonly type?: string;
  readonly subject?: string;
  readonly field?: readonly string[];
  readonly attach?: readonly string[];
  readonly message?: string;
  readonly as?: string;
  readonly wait?: boolean;
  readonly json?: boolean;
}

export interface Text {
  readonly text: string;
  /** The name of the text in messages. */
  readonly source: string;
  readonly plain: boolean;
  readonly remedy: string;
}

const remedy = 'give a file, `-` for standard input, or `--message TEXT`';

/** The text of a file that the command line names. Throws `E_USAGE` where there is none. */
export function fileText(call: Context['call'], file: string, hint: string | null = null): string {
  const text = call.readText(resolve(call.cwd, file));
  if (text === null) throw new MailroomError('E_USAGE', `there is no file ${file}`, hint);
  return text;
}

/** Like `givenText`; throws `E_USAGE` where no text is given. */
export async function readText(
  context: Context,
  file: string | null,
  options: MessageOptions,
): Promise<Text> {
  const text = await givenText(context, file, options);
  if (text !== null) return text;
  throw new MailroomError('E_USAGE', 'there is no text to send', 'give a file, `-` or `--message TEXT`');
}

/**
 * The text of a message: `--message`, a file, or standard input (`-`, or no file and piped input).
 * Null: none is given.
 */
export async function givenText(
  context: Context,
  file: string | null,
  options: MessageOptions,
): Promise<Text | null> {
  const { terminal, call } = context;
  if (options.message !== undefined) {
    if (file !== null) throw new MailroomError('E_USAGE', 'there is a file and a --message: say one of them');
    if (options.message === '…')
      throw new MailroomError(
        'E_USAGE',
        '`--message "…"` has no text yet',
        'write your text in place of the …',
      );
    return { text: options.message, plain: true, source: '--message', remedy };
  }
  if (file === '-' || (file === null && terminal.piped())) {
    const text = await terminal.readInput();
    if (file === null && text.trim() === '') return null;
    return { text, plain: false, source: 'standard input', remedy };
  }
  if (file === null) return null;
  const text = fileText(call, file, 'pass the text with `--message TEXT`');
  return { text, plain: false, source: file, remedy };
}

/**
 * Hands a message over, as the role or into the staging folder of the current turn, and reports the
 * result.
 */
export async function deliver(
  context: Context,
  project: Project,
  role: string,
  draft: Draft,
  options: MessageOptions,
): Promise<number> {
  const { submit, stageInTurn, twinOf } = await import('../mail/questions/sending.ts');
  const { terminal, turn } = context;
  if (turn !== null) {
    if (turn.outbox === '')
      throw new MailroomError(
        'E_INSIDE_TURN',
        'this turn has no staging folder: $MAILROOM_OUTBOX is not set',
      );
    const sending = await stageInTurn(project, turn, draft);
    return answer(terminal, options, sending, () => [inWords(sending)]);
  }
  const twin = twinOf(project, role, draft, terminal.now());
  const sending = await submit(project, role, draft, terminal.now);
  if (twin !== null)
    terminal.complain(`note: the same message is already there: ${twin}; this is a second one\n`);
  if (options.wait === true) {
    if (options.json !== true) terminal.complain(`${inWords(sending)}\n`);
    const { awaitAnswer } = await import('./waiting.ts');
    return await awaitAnswer(context, project, { role, sending, json: options.json === true });
  }
  return answer(terminal, options, sending, () => [inWords(sending)]);
}

function inWords(sending: Sending): string {
  switch (sending.state) {
    case 'accepted':
      return `sent ${sending.id} (${sending.type} to ${sending.to.join(', ')}, thread ${sending.thread})`;
    case 'recorded':
      return sending.controller
        ? `recorded in ${sending.path}; the controller has not read it yet`
        : `recorded in ${sending.path}; no controller runs, the next \`mailroom up\` sends it`;
    case 'staged':
      return `staged ${sending.path}; it is sent when this turn is committed`;
    default:
      return sending satisfies never;
  }
}
