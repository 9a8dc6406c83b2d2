import type { Json } from '../../kernel/json.ts';
import { oneLine } from '../../kernel/one-line.ts';
import type { MessageId, ThreadId, RoleName, TypeName } from '../../kernel/ids.ts';

/** The commit that a message is about, on the branch of the role that sent it. */
export interface Work {
  readonly commit: string;
  readonly branch: string;
  /** Where it landed before the message was delivered; null: nowhere. */
  readonly landed: {
    readonly branch: string;
    readonly commit: string;
    /** Where the branch was before; null: a message of an earlier version does not say. */
    readonly before: string | null;
  } | null;
}

/** A message in a mailbox: the envelope is the front matter, the body is prose. */
export interface Message {
  readonly id: MessageId;
  readonly type: TypeName;
  readonly from: RoleName;
  readonly to: readonly RoleName[];
  readonly thread: ThreadId;
  readonly inReplyTo: MessageId | null;
  readonly subject: string;
  /** Milliseconds since 1970. */
  readonly created: number;
  /** Null: its author has no checkout of its own. */
  readonly work: Work | null;
  /** Paths inside the project. */
  readonly attachments: readonly string[];
  /** Values of the fields that the protocol declares for the type. */
  readonly fields: Readonly<Record<string, Json>>;
  /** Unknown front-matter keys, kept unchanged. */
  readonly extra: Readonly<Record<string, Json>>;
  readonly body: string;
}

/** A message as its author wrote it, not yet validated. Null is "not set". */
export interface Draft {
  readonly type: TypeName | null;
  readonly from: RoleName | null;
  readonly to: readonly RoleName[] | null;
  readonly thread: ThreadId | null;
  readonly inReplyTo: MessageId | null;
  readonly subject: string | null;
  readonly attachments: readonly string[];
  readonly fields: Readonly<Record<string, Json>>;
  readonly extra: Readonly<Record<string, Json>>;
  readonly body: string;
  /** False for a plain file without front matter. */
  readonly frontMatter: boolean;
}

/** The built-in types, which every role accepts and no protocol can redefine. */
export const builtInTypes = ['notice', 'step', 'step-result'] as const;
/** The built-in roles: the person, and workflow runs. */
export const builtInRoles = ['user', 'workflow'] as const;
/** The sender of notices: the program itself. */
export const mailroom: RoleName = 'mailroom';

/** `2026-11-21T20:45:12.345Z` as `20261121T204512345Z`. */
function compactTime(created: number): string {
  const text = new Date(created).toISOString();
  // Every message is named many times: slicing is fast, but needs a year of four digits.
  if (text.length !== 24) return text.replaceAll(/[-:.]/g, '');
  const date = text.slice(0, 4) + text.slice(5, 7) + text.slice(8, 13);
  return date + text.slice(14, 16) + text.slice(17, 19) + text.slice(20);
}

/**
 * The file name of a message in every mailbox: `<created, compact UTC>-<type>-<id>.md`. The whole
 * id makes it unique.
 */
export function fileName(message: Pick<Message, 'id' | 'type' | 'created'>): string {
  return `${compactTime(message.created)}-${message.type}-${message.id}.md`;
}

const messageFile = /^\+?\d{8,10}T\d{9}Z-.+-([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.md$/;

/** The id in the name of a message file; null for other names. */
export function idInName(name: string): MessageId | null {
  return messageFile.exec(name)?.[1] ?? null;
}

/** `2026-11`: handled mail is filed by the month of the message's creation. */
export function monthOf(created: number): string {
  return new Date(created).toISOString().slice(0, 7);
}

/** A subject for a message: one line of at most 200 characters, whatever its author wrote. */
export function subjectLine(text: string): string {
  return oneLine(text, 200);
}

/**
 * The first heading or non-empty line of a body, at most 120 characters; the subject of a plain
 * file.
 */
export function subjectOf(body: string): string {
  const line = body.split('\n').find((candidate) => candidate.trim() !== '') ?? '';
  return oneLine(line.replace(/^#+\s*/, ''), 120);
}
