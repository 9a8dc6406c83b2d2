import { MailroomError } from '../../kernel/errors.ts';
import type { Json } from '../../kernel/json.ts';
import { hasQuestion, question, typesFrom } from '../format/protocol.ts';
import { formatMessage } from '../format/read-message.ts';
import { compose } from './compose.ts';
import { allMessages } from './messages.ts';
import type { Project } from '../../project/project.ts';
import { refuseEnded, stageInTurn, writtenProtocol, type TurnPlace } from './sending.ts';
import type { RoleName, TypeName } from '../../kernel/ids.ts';

/** What an agent writes: the parts of a message file. */
interface TurnMessage {
  readonly to: readonly RoleName[];
  readonly type: TypeName | null;
  readonly subject: string | null;
  readonly body: string;
  readonly fields: Readonly<Record<string, Json>>;
  readonly attachments: readonly string[];
}

/**
 * The file in the staging folder with an agent's last progress report: not a message, for people to
 * see.
 */
export const progressFile = '.progress';

/**
 * Writes a message file into the staging folder, and returns its path. What the protocol certainly
 * forbids is refused at once; the rest is checked when the turn ends, as for any staged file.
 * Throws the errors of `mailroom send`.
 */
export async function stageMessage(project: Project, turn: TurnPlace, letter: TurnMessage): Promise<string> {
  const { to, type, subject, attachments, body, fields } = letter;
  const wish = {
    from: turn.role,
    to,
    type,
    subject,
    attachments,
    text: body,
    plain: true,
    source: 'the message',
    remedy: 'write what the other role is to read',
  };
  const draft = compose(
    { ...wish, fields: [], thread: null, inReplyTo: null, replies: null },
    await writtenProtocol(project),
  );
  const handed = await stageInTurn(project, turn, { ...draft, fields: { ...draft.fields, ...fields } });
  return handed.state === 'staged' ? handed.path : '';
}

/** The type by which a role asks these others and waits. Throws `E_USAGE` when it is ambiguous. */
export async function questionType(
  project: Project,
  role: RoleName,
  to: readonly RoleName[],
): Promise<TypeName> {
  const protocol = await writtenProtocol(project);
  if (protocol === null)
    throw new MailroomError(
      'E_USAGE',
      'the type cannot be inferred: the protocol is invalid',
      'say the type',
    );
  const asking = typesFrom(protocol, role).filter(
    (type) => type.reply.length > 0 && to.every((one) => type.to.includes(one)),
  );
  const [only, ...more] = asking.map(({ name }) => name);
  if (only !== undefined && more.length === 0) return only;
  if (only === undefined && hasQuestion(protocol)) return question.name;
  throw only === undefined
    ? new MailroomError('E_FORBIDDEN', `${role} may ask ${to.join(', ')} nothing`, 'send a message instead')
    : new MailroomError(
        'E_USAGE',
        'there are several kinds of questions',
        `say the type: ${[only, ...more].join(', ')}`,
      );
}

/** The whole thread as message files, oldest first. */
export function threadText(project: Project, turn: TurnPlace): string {
  refuseEnded(project, turn);
  return allMessages(project, project.journal.state())
    .filter(({ message }) => message.thread === turn.thread)
    .map(({ message }) => formatMessage(message))
    .join('\n\n');
}

/** Records the agent's progress. */
export function noteProgress(project: Project, turn: TurnPlace, text: string): void {
  refuseEnded(project, turn);
  project.stage(turn.outbox, progressFile, text);
}
