import { isHuman, workflowRole, type Protocol } from '../format/protocol.ts';
import type { Ask } from '../machine/event.ts';
import type { MailState } from '../machine/state.ts';
import type { MessageId } from '../../kernel/ids.ts';

/** Unfinished steps whose role waits for a person, or for answers to its own requests, by run. */
export function waitingSteps(state: MailState, protocol: Protocol): Map<string, MessageId[]> {
  const found = new Map<string, MessageId[]>();
  if ((state.roles.get(workflowRole)?.waitsFor.size ?? 0) === 0) return found;
  const running = new Set([...state.turns.values()].flatMap(({ owes }) => owes.map(key)));
  const carried = new Set([...state.waits.values()].flatMap(({ owes }) => owes.map(key)));
  for (const { role, requests } of state.waits.values())
    if (role === workflowRole)
      for (const request of requests) {
        const mail = state.mail.get(request);
        const run = mail?.message.fields['run'];
        for (const [recipient, ask] of mail?.request?.asks ?? []) {
          const one = key({ request, recipient });
          const waits = isHuman(protocol, recipient) || (carried.has(one) && !running.has(one));
          if (typeof run !== 'string' || ask.is !== 'open' || !waits) continue;
          found.set(run, [...(found.get(run) ?? []), request]);
        }
      }
  return found;
}

function key({ request, recipient }: Ask): string {
  return `${request} ${recipient}`;
}
