import { fileName, monthOf, type Message } from '../format/message.ts';
import type { Projection } from '../machine/state.ts';
import type { RoleName } from '../../kernel/ids.ts';
import type { Reason } from '../../kernel/errors.ts';
import type { TrailChange } from '../../git/trail.ts';

type Copy = Extract<Projection, { kind: 'copy' }>;
type Refused = Extract<Projection, { kind: 'refused' }>;

/**
 * The changes of an event in the mail folders, by path relative to the project; each path once,
 * with its last text. Unlike the folders, it files a message that a person has read (and so
 * removed) under `processed`.
 */
export function changesOf(
  projections: readonly Projection[],
  format: (message: Message) => string,
): TrailChange[] {
  const files = new Map<string, string | null>();
  const texts = new Map<Message, string>();
  const textOf = (message: Message): string => {
    const text = texts.get(message) ?? format(message);
    texts.set(message, text);
    return text;
  };
  for (const projection of projections) {
    if (projection.kind === 'answer') continue;
    if (projection.kind === 'refused') projectRefused(files, projection);
    else if (projection.kind === 'sent')
      files.set(filed(projection.role, 'sent', projection.message), textOf(projection.message));
    else projectCopy(files, projection, textOf(projection.message));
  }
  return [...files].map(([path, text]) => ({ path, text }));
}

/** The removed paths of a message that is put back into an inbox that it had failed in. */
export function failedPaths(message: Message, role: RoleName): TrailChange[] {
  const path = filed(role, 'failed', message);
  return [path, reasonPath(path)].map((gone) => ({ path: gone, text: null }));
}

function projectCopy(
  files: Map<string, string | null>,
  { message, role, delivery }: Copy,
  text: string,
): void {
  const inbox = `agents/${role}/inbox/${fileName(message)}`;
  switch (delivery.at) {
    case 'inbox':
    case 'claimed':
    case 'unread':
      files.set(inbox, text);
      return;
    case 'processed':
    case 'read':
      files.set(inbox, null);
      files.set(filed(role, 'processed', message), text);
      return;
    case 'failed':
      files.set(inbox, null);
      setFailed(files, filed(role, 'failed', message), text, delivery.reason);
      return;
    case 'withdrawn':
      files.set(inbox, null);
      return;
    default:
      return delivery satisfies never;
  }
}

function projectRefused(
  files: Map<string, string | null>,
  { id, created, role, text, reason }: Refused,
): void {
  setFailed(files, filed(role, 'failed', { id, created, type: 'refused' }), text, reason);
}

function setFailed(files: Map<string, string | null>, path: string, text: string, reason: Reason): void {
  // Without a string the file was not a readable message: only the reason is recorded.
  if (text !== '') files.set(path, text);
  files.set(reasonPath(path), `${reason.code}: ${reason.text}\n`);
}

function filed(
  role: RoleName,
  folder: 'processed' | 'sent' | 'failed',
  message: Pick<Message, 'id' | 'type' | 'created'>,
): string {
  return `agents/${role}/${folder}/${monthOf(message.created)}/${fileName(message)}`;
}

function reasonPath(path: string): string {
  return `${path}.reason.txt`;
}
