import { enumerate } from '../../../kernel/enumerate.ts';
import { isHuman, type MessageType } from '../../format/protocol.ts';
import type { CheckReport } from './report.ts';

/** Checks a type whose messages open sub-threads; `replies`: the types that answer requests. */
export function checkOpens(report: CheckReport, type: MessageType, replies: ReadonlySet<string>): void {
  if (type.opens === null) return;
  const path = ['messages', type.name];
  const refuse = (key: string, message: string, hint: string) => report.error([...path, key], message, hint);
  if (type.reply.length === 0)
    refuse(
      'thread',
      `\`${type.name}\` opens a sub-thread, and nothing answers it: what is done there would be lost`,
      'name the types that answer it under `reply`',
    );
  if (replies.has(type.name))
    refuse(
      'thread',
      `\`${type.name}\` answers requests, and an answer stays in the thread of its request`,
      'leave `thread` out, or use another type for the answer',
    );
  if (type.closes)
    refuse(
      'closes',
      `\`${type.name}\` opens a sub-thread, so it cannot end the thread that waits for it`,
      `set \`closes\` for another type, or leave \`thread\` out`,
    );
  if (type.lands !== null)
    refuse(
      'lands',
      `\`${type.name}\` opens a sub-thread, and its work is not finished: nothing can land`,
      `set \`lands\` for the message that ends the thread`,
    );
  const people = type.from.filter((role) => isHuman(report.protocol, role));
  if (people.length > 0)
    refuse(
      'from',
      `${enumerate(people)} opens no sub-threads: a message of a person starts a thread of its own`,
      'let it come only from roles with an agent',
    );
  const { workspace } = report.protocol;
  if (workspace.kind === 'worktree' && workspace.per === 'thread')
    refuse(
      'thread',
      'with `workspace: worktree`, each thread has a git worktree of its own, and the work of a sub-thread is not merged',
      'set `workspace: { worktree: role }`',
    );
}
