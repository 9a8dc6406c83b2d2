import { isHuman, type Protocol } from '../../../src/mail/format/protocol.ts';
import type { OtherAgents } from '../../../src/kernel/why.ts';
import { MailExplainer } from '../../../src/mail/machine/explain/explain.ts';
import type { MailWhy } from '../../../src/mail/machine/explain/words.ts';
import type { MailState } from '../../../src/mail/machine/state.ts';

/** What `why` says of everything that waits in a state, by its name. */
export function explanations(
  state: MailState,
  protocol: Protocol,
  now: number,
  others?: OtherAgents,
): Map<string, MailWhy> {
  const explainer = new MailExplainer(state, protocol, now, others);
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
      if (at === 'inbox' || at === 'unread' || at === 'failed')
        found.set(`${mail.message.id} of ${role}`, explainer.copy(mail, role));
  return found;
}

/** The copies that failed for a missing login, and of which `why` says something else, or not how to repeat it. */
function withoutLogin(state: MailState, whys: ReadonlyMap<string, MailWhy>): string[] {
  return [...state.mail.values()].flatMap(({ message, deliveries }) =>
    [...deliveries].flatMap(([role, delivery]) => {
      if (delivery.at !== 'failed' || delivery.reason.code !== 'E_LOGIN') return [];
      const why = whys.get(`${message.id} of ${role}`);
      const isSaid = why?.code === 'login_missing' && why.act?.do === 'retry' && why.cause !== null;
      return isSaid ? [] : [`${role} lacks a login, and ${why?.code ?? 'nothing'} is said`];
    }),
  );
}

/**
 * What waits without a reason. Call it when nothing is left to decide: then nothing may be due, and what ends on its own
 * ends later.
 */
export function unexplained(
  state: MailState,
  protocol: Protocol,
  now: number,
  others?: OtherAgents,
): string[] {
  const clock = Math.max(now, state.now);
  const whys = explanations(state, protocol, now, others);
  const silent = [...whys].flatMap(([name, why]) => {
    const { code, reason, until, act, cause } = why;
    if (code === 'slots_taken' && cause === null) return [`${name} waits for nobody: ${reason}`];
    if (code === 'due') return [`${name} does not move, and nobody knows why: ${reason}`];
    if (until !== null && until <= clock) return [`${name} should have moved: ${reason}`];
    if (act?.do === 'reply' && !isHuman(protocol, act.as)) return [`${act.as} is no person: ${reason}`];
    return [];
  });
  return [...silent, ...withoutLogin(state, whys)];
}
