import type { Command, Reason, Target } from '../event.ts';
import { isHuman, type Protocol } from '../protocol.ts';
import type { MailState } from '../state.ts';

/** Why a command cannot be done; null when it can. */
export function refusal(state: MailState, protocol: Protocol, command: Command): Reason | null {
  switch (command.verb) {
    case 'pause':
    case 'unpause':
      return missing(state, protocol, command.target);
    case 'cancel':
      return missing(state, protocol, command.target) ?? over(state, command.target);
    case 'retry': {
      if (!protocol.roles.has(command.role) || isHuman(protocol, command.role))
        return { code: 'E_TARGET', text: `\`${command.role}\` is no role that takes up mail` };
      const at = state.mail.get(command.message.id)?.deliveries.get(command.role)?.at;
      const { id } = command.message;
      if (at === undefined || at === 'failed' || at === 'withdrawn') return null;
      return { code: 'E_REFUSED', text: `${id} has not failed for ${command.role}: it is ${at}` };
    }
    default:
      return command satisfies never;
  }
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
