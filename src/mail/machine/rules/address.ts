import type { Request, Sent } from '../event.ts';
import { subjectLine, subjectOf, type Draft, type Message } from '../../format/message.ts';
import {
  answerGoesTo,
  builtInNamed,
  builtInTypesOf,
  hasQuestion,
  isHuman,
  question,
  stepResult,
  typesFrom,
  workflowRole,
  type MessageType,
  type Protocol,
} from '../../format/protocol.ts';
import type { MailState } from '../state.ts';
import { nearest } from '../../../kernel/nearest.ts';
import type { Author } from './author.ts';
import { checkFields } from './fields.ts';
import { findAsk } from './replies.ts';
import type { RoleName } from '../../../kernel/ids.ts';

export type Addressed = { readonly sent: Sent } | { readonly problems: readonly string[] };

const list = (names: readonly string[]) => names.map((name) => `\`${name}\``).join(', ') || 'nothing';

/**
 * The types that a role may send, for people and prompts to read: of the built-in `question`, which
 * a role with turns may send, `to` says in words to whom.
 */
export function offered(protocol: Protocol, role: RoleName): MessageType[] {
  const asking = hasQuestion(protocol) && !isHuman(protocol, role);
  return [
    ...typesFrom(protocol, role),
    ...(asking ? [{ ...question, to: ['the sender of your mail or user'] }] : []),
  ];
}

/** For a person: the others who may send this type, and how. */
function otherPeople(protocol: Protocol, { from }: MessageType, role: RoleName): string {
  const others = isHuman(protocol, role) ? from.filter((each) => isHuman(protocol, each)) : [];
  return others.length === 0 ? '' : `${others.join(', ')} may (\`--as ${others[0] ?? ''}\`); `;
}

/** The messages that a role can send, as one line for the author of an invalid one. */
export function maySend(protocol: Protocol, role: RoleName): string {
  const types = offered(protocol, role).map(
    ({ name, to, toAll }) => `\`${name}\` to ${to.join(toAll ? ' and ' : ' or ')}`,
  );
  return types.length > 0 ? `${role} may send ${types.join('; ')}` : `${role} may send nothing`;
}

/** Turns a draft into a valid message, or returns all violations of the protocol. */
export function address(state: MailState, protocol: Protocol, author: Author, draft: Draft): Addressed {
  const problems: string[] = [];
  if (draft.from !== null && draft.from !== author.role)
    problems.push(`\`from: ${draft.from}\`, but this was written by ${author.role}; leave \`from\` out`);
  if (author.turn && draft.thread !== null && draft.thread !== author.thread)
    problems.push(`\`thread: ${draft.thread}\` is not the thread of this turn; leave \`thread\` out`);
  const found = typeOf(protocol, author, draft, problems);
  if (!found) return { problems };
  // Not only for types that are replies today: an open request follows the protocol of its time.
  const reply = findAsk(state, author, found, draft);
  if ('problem' in reply) problems.push(reply.problem);
  else if (reply.ask === null) problems.push(...unasked(protocol, author, found));
  const asked = 'ask' in reply && reply.ask ? state.mail.get(reply.ask.request) : undefined;
  const asker = asked?.message.from ?? null;
  const type = found.to.length === 0 && asker !== null ? { ...found, to: [asker] } : found;
  const to = recipients(protocol, author.role, type, draft, asker, problems);
  // Nothing waits in a thread that is closed.
  if (asker !== null && !to.includes(asker) && !type.closes)
    problems.push(`this answers a request of ${asker}, so it must go to ${asker} too`);
  const checked = checkFields(type, draft.fields);
  problems.push(...checked.problems);
  if (type.reply.length > 0) problems.push(...askingProblems(author, type, to));
  if (problems.length > 0 || 'problem' in reply) return { problems };
  const thread = reply.thread ?? author.thread ?? author.id;
  const opens = type.opens && thread !== author.id ? { parent: thread, budget: type.opens.budget } : null;
  const message: Message = {
    id: author.id,
    type: type.name,
    from: author.role,
    to,
    thread: opens ? author.id : thread,
    inReplyTo: reply.inReplyTo,
    subject: subjectLine(draft.subject ?? (subjectOf(draft.body) || type.name)),
    created: author.created,
    work: null,
    attachments: draft.attachments,
    fields: checked.fields,
    extra: draft.extra,
    body: draft.body,
  };
  return {
    sent: {
      message,
      // It was written before it is sent: gates may have run in between.
      request: requestOf(type, Math.max(author.created, state.now)),
      answers: reply.late ? null : reply.ask,
      late: reply.late,
      closes: type.closes,
      joins: to.filter((role) => joins(protocol, role, type)),
      people: to.filter((role) => isHuman(protocol, role)),
      opens,
    },
  };
}

/** A built-in type that answers is nothing but an answer. */
function unasked(protocol: Protocol, { role }: Author, { name, reply }: MessageType): string[] {
  if (builtInNamed(protocol, name) === undefined || reply.length > 0) return [];
  const request = name === stepResult.name ? 'step' : question.name;
  return [`${role} owes no \`${name}\`: only the answer to a \`${request}\` may be one`];
}

function typeOf(
  protocol: Protocol,
  { role, asks }: Author,
  draft: Draft,
  problems: string[],
): MessageType | null {
  if (draft.type === null) {
    problems.push(`\`type\` is missing; ${maySend(protocol, role)}`);
    return null;
  }
  // The check of answers looks for the request that one of these answers.
  const builtIn = builtInNamed(protocol, draft.type);
  if (builtIn && builtIn !== question) return builtIn;
  if (builtIn) {
    const senders = asks.filter((name) => protocol.roles.has(name));
    // A person who is not the sender is asked by name.
    const to = draft.to === null ? senders : [...new Set([...senders, 'user'])];
    if (senders.length > 0) return { ...question, to };
    problems.push(
      `\`${question.name}\` goes to the sender of the mail of a turn, and here neither a role nor a person ` +
        'sent it: decide yourself, and say what you assumed',
    );
    return null;
  }
  const type = protocol.types.get(draft.type);
  if (!type) {
    const names = [...protocol.types.keys(), ...builtInTypesOf(protocol).map(({ name }) => name)];
    const near = nearest(draft.type, names);
    const meant = near ? `; did you mean \`${near}\`?` : '';
    problems.push(`there is no type \`${draft.type}\`${meant} (${maySend(protocol, role)})`);
    return null;
  }
  if (!type.from.includes(role)) {
    problems.push(
      `${role} must not send \`${type.name}\`; ${otherPeople(protocol, type, role)}${maySend(protocol, role)}`,
    );
    return null;
  }
  return type;
}

function recipients(
  protocol: Protocol,
  role: RoleName,
  type: MessageType,
  draft: Draft,
  asker: RoleName | null,
  problems: string[],
): RoleName[] {
  const only = type.toAll || type.to.length === 1 ? type.to : null;
  const usual = asker !== null && !type.toAll ? answerGoesTo(type, asker) : only;
  const to = [...new Set(draft.to ?? usual ?? [])];
  if (to.length === 0) problems.push(`\`to\` is missing; \`${type.name}\` may go to ${list(type.to)}`);
  for (const name of to) {
    if (type.to.includes(name)) continue;
    const near = protocol.roles.has(name) ? null : nearest(name, type.to);
    const meant = near ? `; did you mean \`${near}\`?` : '';
    problems.push(
      `\`${type.name}\` must not go from ${role} to \`${name}\`${meant} (it may go to ${list(type.to)})`,
    );
  }
  const missing = type.toAll ? type.to.filter((name) => name !== role && !to.includes(name)) : [];
  if (missing.length > 0)
    problems.push(`\`${type.name}\` goes to all of ${list(type.to)}: add ${list(missing)} to \`to\``);
  return to;
}

function askingProblems(author: Author, type: MessageType, to: readonly RoleName[]): string[] {
  if (author.mustAnswer)
    return [`\`${type.name}\` is a request, but this turn is nested as deep as allowed: answer what you owe`];
  if (type.blocking !== 'none' && to.includes(author.role))
    return [`\`${type.name}\` blocks its sender, so it must not go to ${author.role} itself`];
  return [];
}

function requestOf(type: MessageType, sent: number): Request | null {
  if (type.reply.length === 0) return null;
  return {
    replies: type.reply,
    blocks: type.blocking,
    deadline: type.timeout === null ? null : sent + type.timeout,
    onTimeout: type.onTimeout,
    escalateTo: type.escalateTo,
  };
}

function joins(protocol: Protocol, role: RoleName, type: MessageType): boolean {
  if (role === workflowRole) return false;
  const clauses = protocol.roles.get(role)?.expects ?? [];
  return !clauses.some(
    ({ kind, types }) => (kind === 'any' || types.length === 1) && types.includes(type.name),
  );
}
