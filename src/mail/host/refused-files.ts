import { createHash } from 'node:crypto';
import { mailroom } from '../format/message.ts';
import type { Ledger } from './ledger.ts';

/** Where files lie that could not be followed, each with the reason beside it. */
const refusedFolder = '.mailroom/refused';

/** A file that another process left for the controller, and that cannot be followed. */
export interface RefusedFile {
  /** From the project. */
  readonly path: string;
  readonly name: string;
  /** Null: it cannot be read as text. */
  readonly text: string | null;
  readonly problem: string;
}

/** Notifies `user` of such a file: once, also when the controller is killed before the file is put aside. */
export function reportRefused(ledger: Ledger, file: RefusedFile): void {
  const id = idOf(file);
  if (ledger.state.mail.has(id) || [...ledger.state.unread.values()].some((each) => each.message.id === id))
    return;
  const { path, name, problem } = file;
  const message = {
    id,
    type: 'notice',
    from: mailroom,
    to: ['user'],
    thread: id,
    inReplyTo: null,
    subject: `Refused: ${path.slice(0, 200)}`,
    created: ledger.now(),
    attachments: [],
    fields: {},
    extra: {},
    body: [
      `${path} was not followed: ${problem}.`,
      `It lies in ${refusedFolder}/${name}, unchanged, with the reason beside it. Nothing else was changed.`,
    ].join('\n'),
  };
  const rest = { request: null, answers: null, late: false, closes: true, joins: [], people: ['user'] };
  ledger.record([{ type: 'accepted', sent: { message, ...rest } }]);
}

/** The same id for the same file with the same text. */
function idOf({ path, text, problem }: RefusedFile): string {
  const hash = createHash('sha256')
    .update(`${path}\n${text ?? problem}`)
    .digest('hex');
  return [
    hash.slice(0, 8),
    hash.slice(8, 12),
    `7${hash.slice(12, 15)}`,
    `a${hash.slice(15, 18)}`,
    hash.slice(18, 30),
  ].join('-');
}
