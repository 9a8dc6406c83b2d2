import { isHuman, type Protocol } from '../../../src/mail/format/protocol.ts';
import { MailExplainer } from '../../../src/mail/machine/explain/explain.ts';
import type { MailWhy } from '../../../src/mail/machine/explain/words.ts';
import type { MailState } from '../../../src/mail/machine/state.ts';

/** What `why` says of everything that waits in a state, by its name. */
export function explanations(state: MailState, protocol: Protocol, now: number): Map<string, MailWhy> {
  const explainer = new MailExplainer(state, protocol, now);
  const found = new Map<string, MailWhy>();
  for (const turn of state.turns.values()) found.set(turn.id, explainer.turn(turn));
  for (const thread of state.threads.values())
    if (thread.state === 'open') found.set(`thread ${thread.id}`, explainer.thread(thread));
  for (const name of state.roles.keys()) {
    if (!protocol.roles.has(name)) continue;
    found.set(`role ${name}`, explainer.role(name));
  }
  for (const mail of state.mail.values())
    for (const [role, { at }] of mail.deliveries)
      if (at === 'inbox' || at === 'unread')
        found.set(`${mail.message.id} of ${role}`, explainer.copy(mail, role));
  return found;
}

/**
 * What waits without a reason. Call it when nothing is left to decide: then nothing may be due, and what ends on its own
 * ends later.
 */
export function unexplained(state: MailState, protocol: Protocol, now: number): string[] {
  const clock = Math.max(now, state.now);
  return [...explanations(state, protocol, now)].flatMap(([name, why]) => {
    const { code, reason, until, act } = why;
    if (code === 'due') return [`${name} does not move, and nobody knows why: ${reason}`];
    if (until !== null && until <= clock) return [`${name} should have moved: ${reason}`];
    if (act?.do === 'reply' && !isHuman(protocol, act.as)) return [`${act.as} is no person: ${reason}`];
    return [];
  });
}
