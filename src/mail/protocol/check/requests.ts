import { isHuman, recipientPath } from '../../format/protocol.ts';
import type { MessageType, Role } from '../../format/protocol.ts';
import { isBuiltInType } from './report.ts';
import type { CheckReport } from './report.ts';
import type { RoleName } from '../../../kernel/ids.ts';
import { enumerate } from '../../../kernel/enumerate.ts';

/**
 * Checks that a request can be answered, and that it can be sent to and from the roles of its
 * replies.
 */
export function checkRequest(report: CheckReport, type: MessageType): void {
  for (const [index, reply] of type.reply.entries()) {
    if (!isBuiltInType(reply)) continue;
    report.error(
      ['messages', type.name, 'reply', index],
      `\`${reply}\` is built in: no role may send it as an answer`,
    );
  }
  checkExpected(report, type);
  const replies = type.reply.flatMap((reply) => report.protocol.types.get(reply) ?? []);
  // A missing reply is reported elsewhere; what it would have allowed is unknown. The same holds
  // for roles.
  if (replies.length < type.reply.length || [type, ...replies].some((each) => report.isUncertain(each)))
    return;
  const useful = replies.filter((reply, index) => checkReply(report, type, reply, index));
  if (useful.length > 0) checkAnswerable(report, type, replies);
  if (type.onTimeout === 'escalate' && !maySettle(type, replies)) {
    const message = `\`${type.escalateTo}\` must not answer \`${type.name}\`, so \`${type.name}\` cannot be escalated to it`;
    const hint = `let one of ${enumerate(type.reply)} go from \`${type.escalateTo}\` to ${enumerate(type.from)}`;
    report.error(['messages', type.name, 'on_timeout'], message, hint);
  } else if (type.onTimeout === 'escalate' && isAskedAlready(type)) {
    report.problems.push({
      code: 'E_PROTOCOL',
      severity: 'warning',
      path: ['messages', type.name, 'on_timeout'],
      message: `\`${type.name}\` goes only to \`${type.escalateTo}\`, so it cannot be escalated to it: the thread fails when it times out`,
      hint: 'name another role under `escalate_to`, or set `on_timeout` to `proceed` or `fail`',
    });
  }
}

/** Checks that a type without replies has no keys that only a request can have. */
export function checkNoRequest(report: CheckReport, type: MessageType): void {
  const given: readonly (readonly [string, boolean])[] = [
    ['blocking', type.blocking !== 'none'],
    ['timeout', type.timeout !== null],
    ['on_timeout', type.onTimeout !== 'fail'],
    ['escalate_to', type.escalateTo !== 'user'],
  ];
  for (const [key, wrong] of given) {
    if (!wrong) continue;
    const message = `\`${key}\` without \`reply\`: nothing answers \`${type.name}\`, so nothing can wait`;
    report.error(['messages', type.name, key], message, 'name the types that answer it under `reply`');
  }
}

/** A recipient that does not expect a request would never answer it. */
function checkExpected(report: CheckReport, type: MessageType): void {
  for (const [index, recipient] of type.to.entries()) {
    const role = report.protocol.roles.get(recipient);
    if (role === undefined || isHuman(report.protocol, recipient) || takesUp(report, role, type)) continue;
    const message = `\`${recipient}\` does not expect \`${type.name}\`, so it would never answer it`;
    report.error(recipientPath(type, index), message, `name it under \`expects\` of \`${recipient}\``);
  }
}

/**
 * Checks that a recipient of the request can send this reply, and that a sender of the request can
 * receive it, unless it ends the thread.
 */
function checkReply(report: CheckReport, type: MessageType, reply: MessageType, index: number): boolean {
  const path = ['messages', type.name, 'reply', index];
  const answering = [...type.to, type.escalateTo];
  const sent = reply.from.some((role) => answering.includes(role));
  const comes = frees(type, reply) || reply.to.some((role) => type.from.includes(role));
  if (!sent) {
    const message = `no recipient of \`${type.name}\` may send \`${reply.name}\``;
    report.error(path, message, `let \`from\` of \`${reply.name}\` name ${enumerate(type.to)}`);
  }
  if (!comes) {
    const message = `\`${reply.name}\` cannot go to anybody who sends \`${type.name}\``;
    report.error(path, message, `let \`to\` of \`${reply.name}\` name ${enumerate(type.from)}`);
  }
  return sent && comes;
}

/** Checks that each recipient can answer every other role that can ask it. */
function checkAnswerable(report: CheckReport, type: MessageType, replies: readonly MessageType[]): void {
  for (const [index, recipient] of type.to.entries()) {
    const unanswered = type.from.filter(
      (asker) => asker !== recipient && !mayAnswer(type, replies, recipient, asker),
    );
    if (unanswered.length === 0) continue;
    const message = `\`${recipient}\` may get \`${type.name}\` from ${enumerate(unanswered)}, and must not answer it`;
    const hint = `let one of ${enumerate(type.reply)} go from \`${recipient}\` to ${enumerate(unanswered)}`;
    report.error(recipientPath(type, index), message, hint);
  }
}

/** What only ends the thread is not enough where another answer may be needed. */
function mayAnswer(
  type: MessageType,
  replies: readonly MessageType[],
  from: RoleName,
  to: RoleName,
): boolean {
  const coming = replies.filter((reply) => !frees(type, reply));
  if (coming.length === 0) return replies.some((reply) => reply.from.includes(from));
  return coming.some((reply) => reply.from.includes(from) && reply.to.includes(to));
}

/** Whether this answer goes elsewhere, and ends the thread in which the sender waits. */
function frees(type: MessageType, reply: MessageType): boolean {
  return reply.closes && type.opens === null && !reply.to.some((role) => type.from.includes(role));
}

/** Whether the role that a request is escalated to can answer every other role that can send it. */
export function maySettle(type: MessageType, replies: readonly MessageType[]): boolean {
  const askers = type.from.filter((asker) => asker !== type.escalateTo);
  return askers.length > 0 && askers.every((asker) => mayAnswer(type, replies, type.escalateTo, asker));
}

/** Whether every request of this type goes to the role alone that it would be escalated to. */
export function isAskedAlready({ to, escalateTo }: MessageType): boolean {
  return to.every((role) => role === escalateTo);
}

/**
 * Whether a role is ever invoked with messages of this type. True where a misspelt name among the
 * types that it expects may mean this one.
 */
export function takesUp(report: CheckReport, role: Role, type: MessageType): boolean {
  return role.expects.some((clause) =>
    clause.types.some((name) => name === type.name || !report.isType(name)),
  );
}
