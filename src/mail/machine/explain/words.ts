import type { Why } from '../../../kernel/why.ts';
import { shortId, type MessageId, type RoleName, type ThreadId, type TypeName } from '../../../kernel/ids.ts';
import type { Target, TurnId } from '../../../letters/target.ts';
import type { Message } from '../../format/message.ts';
import type { Turn } from '../state.ts';

/** What a person can do so that the mail moves. */
export type MailAct =
  | { readonly do: 'unpause'; readonly target: Target }
  | { readonly do: 'reply'; readonly request: MessageId; readonly as: RoleName }
  /** Lets the work of a turn land. */
  | { readonly do: 'approve'; readonly turn: TurnId }
  /** Starts a worker that can run its turns. */
  | { readonly do: 'work'; readonly role: RoleName; readonly labels: readonly string[] }
  | { readonly do: 'unpause-worker'; readonly host: string }
  | { readonly do: 'retry'; readonly message: MessageId; readonly role: RoleName }
  /** `type` null: the only one that fits; the command need not name it. */
  | {
      readonly do: 'send';
      readonly to: RoleName;
      readonly thread: ThreadId;
      readonly type: TypeName | null;
    };

export type MailWhy = Why<MailAct>;

/** `question …ab12cd`. */
export function named({ type, id }: Pick<Message, 'type' | 'id'>): string {
  return `${type} ${shortId(id)}`;
}

/** The cause that a turn is. */
export function causedBy(turn: Turn): NonNullable<MailWhy['cause']> {
  const { phase } = turn;
  const since = 'since' in phase ? phase.since : turn.claimedAt;
  return { record: turn.id, at: since };
}

/** Nothing more happens to what is explained so, unless a person acts. */
export const over: ReadonlySet<MailWhy['code']> = new Set([
  'handled',
  'withdrawn',
  'login_missing',
  'failed',
  'closed',
  'quiet',
  'no_mail',
  'unread',
]);

/** What waits for others is explained by them, where anything else waits too. */
const indirect: ReadonlySet<MailWhy['code']> = new Set([
  'blocked_by_request',
  'join_incomplete',
  'answers_incomplete',
  'queued',
  'turn_open',
]);

/** The first that waits for no other of them. */
export function direct(whys: readonly MailWhy[]): MailWhy | null {
  return whys.find(({ code }) => !indirect.has(code)) ?? whys[0] ?? null;
}
