import { answererOf } from '../../../kernel/answerer.ts';
import type { Command } from '../event.ts';
import { builtInTypes, type Message } from '../../format/message.ts';
import { builtInNamed, isHuman, peopleOf, type Protocol } from '../../format/protocol.ts';
import type { MailState } from '../state.ts';
import { turnCommand } from '../answering.ts';
import { changesOf } from '../landing.ts';
import type { RoleName } from '../../../kernel/ids.ts';
import type { Reason } from '../../../kernel/errors.ts';
import type { Target } from '../../../letters/target.ts';

/** Why a command is refused; null: it is valid. `by`: a human role, or another name. */
export function refusal(state: MailState, protocol: Protocol, command: Command, by: string): Reason | null {
  switch (command.verb) {
    case 'pause':
    case 'unpause':
      return missing(state, protocol, command.target);
    case 'approve':
    case 'reject':
      return (
        unasked(state, command.target) ??
        notAsked(state, protocol, command.target, by) ??
        otherChanges(state, command)
      );
    case 'cancel':
      return missing(state, protocol, command.target) ?? over(state, command.target);
    case 'retry': {
      if (!protocol.roles.has(command.role) || isHuman(protocol, command.role))
        return { code: 'E_TARGET', text: `\`${command.role}\` is not a role that handles mail` };
      return unfit(state, protocol, command.message, command.role);
    }
    default:
      return command satisfies never;
  }
}

/** Why a message cannot be put back into a role's inbox; null: it can. */
function unfit(
  state: MailState,
  protocol: Protocol,
  { id, type, from }: Message,
  role: RoleName,
): Reason | null {
  const delivery = state.mail.get(id)?.deliveries.get(role);
  if (delivery === undefined)
    return { code: 'E_REFUSED', text: `the journal has no message ${id} to ${role}` };
  const { at } = delivery;
  // Its turn waits for a person, or another retry has put it back.
  if (at === 'inbox' || at === 'claimed') return null;
  if (at !== 'failed' && at !== 'withdrawn')
    return { code: 'E_REFUSED', text: `${id} has not failed for ${role}: it is ${at}` };
  const rule = protocol.types.get(type);
  const isBuiltIn = builtInTypes.some((name) => name === type) || builtInNamed(protocol, type) !== undefined;
  if (isBuiltIn || (rule?.from.includes(from) && rule.to.includes(role))) return null;
  return { code: 'E_FORBIDDEN', text: `the protocol no longer lets ${from} send \`${type}\` to ${role}` };
}

/** Only work that waits to land, and what an agent asks for, can be approved or refused. */
function unasked(state: MailState, target: Target): Reason | null {
  if (target.kind !== 'turn')
    return {
      code: 'E_TARGET',
      text: 'only the landing of a turn, or what its agent asks for, can be approved',
    };
  const landing = state.landings.get(target.turn);
  const phase = state.turns.get(target.turn)?.phase;
  if (landing?.phase.is === 'asked' || (phase?.is === 'asking' && phase.answer === null)) return null;
  const why =
    landing === undefined && phase?.is !== 'asking'
      ? 'has no work that lands, and its agent asks for nothing'
      : 'does not wait for approval';
  return { code: 'E_REFUSED', text: `turn ${target.turn} ${why}` };
}

/** What an agent asks is decided by the person whom it asks. */
function notAsked(state: MailState, protocol: Protocol, target: Target, by: string): Reason | null {
  const phase = target.kind === 'turn' ? state.turns.get(target.turn)?.phase : undefined;
  if (phase?.is !== 'asking' || answererOf(by, [phase.person], peopleOf(protocol)) !== null) return null;
  return { code: 'E_FORBIDDEN', text: `\`${by}\` was not asked, but \`${phase.person}\`` };
}

/** An answer counts for the changes that its author has seen. */
function otherChanges(
  state: MailState,
  { verb, target, changes }: Extract<Command, { verb: 'approve' | 'reject' }>,
): Reason | null {
  if (changes === undefined || target.kind !== 'turn') return null;
  const landing = state.landings.get(target.turn);
  const waiting = landing === undefined ? null : changesOf(landing);
  if (waiting === changes) return null;
  const { turn } = target;
  const text =
    waiting === null
      ? `turn ${turn} asks for something other than changes that land: \`mailroom why ${turn}\` shows it`
      : `other changes of turn ${turn} wait now: look at them with \`mailroom show ${turn} --diff\`, then \`${turnCommand(verb, turn, null, waiting)}\``;
  return { code: 'E_REFUSED', text };
}

function missing(state: MailState, protocol: Protocol, target: Target): Reason | null {
  if (target.kind === 'role' && !protocol.roles.has(target.role))
    return { code: 'E_TARGET', text: `there is no role \`${target.role}\`` };
  if (target.kind === 'thread' && !state.threads.has(target.thread))
    return { code: 'E_TARGET', text: `there is no thread ${target.thread}` };
  if (target.kind === 'turn' && !state.turns.has(target.turn))
    return { code: 'E_REFUSED', text: `turn ${target.turn} is over` };
  return null;
}

function over(state: MailState, target: Target): Reason | null {
  if (target.kind === 'all' || target.kind === 'role')
    return { code: 'E_TARGET', text: 'only a thread or a turn can be cancelled' };
  const thread = target.kind === 'thread' ? state.threads.get(target.thread) : null;
  if (thread && (thread.state === 'closed' || thread.state === 'failed'))
    return { code: 'E_REFUSED', text: `thread ${thread.id} is over: it is ${thread.state}` };
  return null;
}
