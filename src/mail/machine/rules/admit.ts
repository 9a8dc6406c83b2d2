import type { Draft } from '../../format/message.ts';
import { isHuman, peopleOf, typesBetween, typesFrom, type Protocol } from '../../format/protocol.ts';
import type { MailState } from '../state.ts';
import { address, maySend, type Addressed } from './address.ts';
import { openingProblems } from './sub-threads.ts';
import type { MessageId, RoleName, ThreadId } from '../../../kernel/ids.ts';
import type { Box } from '../../format/boxes.ts';

/** The place and time at which a file from outside a turn was dropped. */
export interface Drop {
  readonly role: RoleName;
  readonly box: Box;
  readonly id: MessageId;
  readonly created: number;
}

/**
 * Judges a message from outside a turn. A file in an inbox comes from `user`, or the first other
 * person who may write there; in an outbox, from a person in the name of that role.
 */
export function admit(state: MailState, protocol: Protocol, drop: Drop, draft: Draft): Addressed {
  const inbox = drop.box === 'inbox';
  const role = inbox ? writerTo(protocol, drop.role, draft.type) : drop.role;
  const known = threadOf(state, draft);
  if ('problem' in known) return { problems: [known.problem] };
  const author = {
    role,
    thread: known.thread,
    owes: [],
    asks: [],
    turn: false,
    mustAnswer: false,
    id: drop.id,
    created: drop.created,
  };
  if (!inbox) return opened(state, protocol, address(state, protocol, author, typed(protocol, role, draft)));
  if (isHuman(protocol, drop.role))
    return { problems: [`the inbox of ${drop.role} is for what ${drop.role} receives; write to its outbox`] };
  if (draft.to !== null && !draft.to.includes(drop.role))
    return { problems: [`it lies in the inbox of ${drop.role}, but is for ${draft.to.join(', ')}`] };
  const type = draft.type ?? startType(protocol, role, drop.role);
  const choices = typesBetween(protocol, role, drop.role).map(({ name }) => `\`${name}\``);
  if (type === null) {
    const may = choices.length > 0 ? `set \`type\` to one of ${choices.join(', ')}` : maySend(protocol, role);
    return { problems: [`the type of this message is ambiguous; ${may}`] };
  }
  const isForAll = protocol.types.get(type)?.toAll === true;
  return address(state, protocol, author, {
    ...draft,
    type,
    to: draft.to ?? (isForAll ? null : [drop.role]),
  });
}

/** Who puts a file into an inbox: `user`, or the first person who may send this there. */
function writerTo(protocol: Protocol, to: RoleName, type: string | null): RoleName {
  const { start } = protocol;
  const wanted = type ?? (start?.to === to ? start.type : null);
  const may = (person: RoleName) =>
    typesBetween(protocol, person, to).some(({ name }) => wanted === null || name === wanted);
  return peopleOf(protocol).find(may) ?? 'user';
}

/** Only people may close a thread that they have no part in. */
function isForeign(state: MailState, protocol: Protocol, role: RoleName, thread: ThreadId): boolean {
  const known = isHuman(protocol, role) ? undefined : state.threads.get(thread);
  if (known === undefined) return false;
  return !known.messages.some((id) => {
    const message = state.mail.get(id)?.message;
    return message?.from === role || message?.to.includes(role) === true;
  });
}

/** A person may open sub-threads in the name of a role, within its bounds. */
function opened(state: MailState, protocol: Protocol, addressed: Addressed): Addressed {
  if (!('sent' in addressed)) return addressed;
  const { message, closes } = addressed.sent;
  const problems = openingProblems(state, protocol, [addressed.sent]);
  if (closes && isForeign(state, protocol, message.from, message.thread))
    problems.push(
      `${message.from} has sent and received nothing in the thread ${message.thread}, and must not close it`,
    );
  return problems.length > 0 ? { problems } : addressed;
}

function threadOf(state: MailState, draft: Draft): { thread: string | null } | { problem: string } {
  if (draft.thread === null) return { thread: null };
  if (state.threads.has(draft.thread)) return { thread: draft.thread };
  return { problem: `there is no thread ${draft.thread}; leave \`thread\` out to start a new one` };
}

/**
 * The type of a plain file in an inbox: the protocol's start, or the only type that its author can
 * send there.
 */
function startType(protocol: Protocol, from: RoleName, to: RoleName): string | null {
  const choices = typesBetween(protocol, from, to).map(({ name }) => name);
  const start = protocol.start?.type;
  if (start !== undefined && choices.includes(start)) return start;
  return choices.length === 1 ? (choices[0] ?? null) : null;
}

/** Adds a missing type to a message from an outbox when the role can send only one. */
function typed(protocol: Protocol, role: RoleName, draft: Draft): Draft {
  if (draft.type !== null) return draft;
  const choices = typesFrom(protocol, role).filter(({ to }) =>
    (draft.to ?? []).every((name) => to.includes(name)),
  );
  return choices.length === 1 ? { ...draft, type: choices[0]?.name ?? null } : draft;
}
