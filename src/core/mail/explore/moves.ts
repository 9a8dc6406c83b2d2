import { askState } from '../fold/asks.ts';
import type { Draft, Message, RoleName } from '../message.ts';
import { isHuman, typesFrom, type MessageType, type Protocol } from '../protocol.ts';
import type { MailState, Turn } from '../state.ts';

/** One thing that somebody may do next: what is written, and by whom. */
export type Move =
  | { readonly by: 'turn'; readonly turn: Turn; readonly drafts: readonly Draft[] }
  | { readonly by: 'person'; readonly role: RoleName; readonly draft: Draft };

/** Everything that may happen next: a running turn ends in one of its ways, a person answers, or starts a thread. */
export function movesOf(state: MailState, protocol: Protocol, threads: number): Move[] {
  const moves: Move[] = [];
  for (const turn of state.turns.values())
    if (turn.phase.is === 'active')
      for (const drafts of endingsOf(state, protocol, turn)) moves.push({ by: 'turn', turn, drafts });
  for (const { message, role } of state.unread.values()) moves.push(...answersOf(state, role, message));
  if (state.threads.size < threads) moves.push(...startsOf(protocol));
  return moves;
}

const nothing = {
  from: null,
  thread: null,
  subject: null,
  attachments: [],
  extra: {},
  frontMatter: true,
} as const;

function draftOf(type: MessageType, to: readonly RoleName[], inReplyTo: string | null): Draft {
  const fields = Object.entries(type.fields).map(([name, field]) => [
    name,
    field.enum?.[0] ?? sample(field.type),
  ]);
  return {
    ...nothing,
    type: type.name,
    to,
    inReplyTo,
    fields: Object.fromEntries(fields) as Draft['fields'],
    body: '',
  };
}

function sample(type: 'string' | 'number' | 'integer' | 'boolean' | 'list' | 'object') {
  return { string: 'x', number: 0, integer: 0, boolean: false, list: [], object: {} }[type];
}

/**
 * The ways in which a turn may end. One that owes answers, or asks; one that owes nothing sends one message, and nothing
 * only where it may send nothing: an agent that stays silent leaves others without work in any protocol.
 */
function endingsOf(state: MailState, protocol: Protocol, turn: Turn): Draft[][] {
  const types = typesFrom(protocol, turn.role);
  const requests = turn.mustAnswer ? [] : types.filter(({ reply }) => reply.length > 0);
  const asking = requests.flatMap((type) => each(type, turn.role).map((to) => [draftOf(type, [to], null)]));
  const owed = turn.owes.filter((ask) => askState(state, ask)?.is === 'open');
  if (owed.length > 0) {
    const answers = owed.flatMap(({ request }) => {
      const mail = state.mail.get(request);
      const type = protocol.types.get(mail?.request?.replies[0] ?? '');
      return mail && type ? [draftOf(type, [mail.message.from], request)] : [];
    });
    return [answers, ...asking];
  }
  const replies = new Set([...protocol.types.values()].flatMap(({ reply }) => reply));
  const plain = types
    .filter(({ name, reply }) => reply.length === 0 && !replies.has(name))
    .map((type) => [draftOf(type, type.to, null)]);
  const endings = [...plain, ...asking];
  return endings.length > 0 ? endings : [[]];
}

function each(type: MessageType, but: RoleName): RoleName[] {
  return type.to.filter((name) => name !== but);
}

function answersOf(state: MailState, role: RoleName, message: Message): Move[] {
  const request = state.mail.get(message.id)?.request;
  const open = [...(request?.asks.values() ?? [])].some(
    (ask) => ask.is === 'open' && ask.candidates.includes(role),
  );
  const type = request?.replies[0];
  if (!open || type === undefined) return [];
  const draft: Draft = { ...nothing, type, to: [message.from], inReplyTo: message.id, fields: {}, body: '' };
  return [{ by: 'person', role, draft }];
}

function startsOf(protocol: Protocol): Move[] {
  const replies = new Set([...protocol.types.values()].flatMap(({ reply }) => reply));
  return typesFrom(protocol, 'user')
    .filter(({ name }) => !replies.has(name))
    .flatMap((type) =>
      type.to
        .filter((to) => !isHuman(protocol, to))
        .map((to) => ({ by: 'person', role: 'user', draft: draftOf(type, [to], null) }) as const),
    );
}
