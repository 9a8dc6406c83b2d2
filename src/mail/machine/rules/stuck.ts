import type { Ask, Fact } from '../event.ts';
import type { Protocol } from '../../format/protocol.ts';
import type { MailState, Wait, WaitId } from '../state.ts';
import { Hopes, Liveness } from './liveness.ts';
import { noticeToUser } from './notices.ts';
import { openAsks, requestedIn } from './waiting.ts';

/** Notifies `user` of the oldest stuck wait, and fails the request at the end of its chain. */
export function failStuck(state: MailState, protocol: Protocol): Fact[] {
  if (state.waits.size === 0) return [];
  const suspects = suspected(state, protocol);
  const hopes = new Hopes(state, protocol);
  const liveness = new Liveness(state, hopes, suspects);
  const first = suspects.find((wait) => !liveness.lives(wait));
  const chain = first ? chainOf(state, hopes, liveness, first) : [];
  const last = chain.at(-1);
  return last ? [failBack(state, chain, last)] : [];
}

/**
 * Waits of which at least one is stuck if any wait is. A wait depends on a younger one of its
 * thread by a debt, so debts alone cannot form a cycle: a cycle, or a dead end, needs a role whose
 * wait blocks all threads, a role whose own wait blocks mail of the same thread, a request that
 * waits for a join, or a role that is gone.
 */
function suspected(state: MailState, protocol: Protocol): Wait[] {
  const ids = new Set<WaitId>();
  for (const [name, { blockedBy, crossed, requests }] of state.roles) {
    for (const id of blockedBy.get('') ?? []) ids.add(id);
    const gone = protocol.roles.has(name) ? [] : requests;
    const threads = [...crossed, ...[...gone].flatMap((id) => state.mail.get(id)?.message.thread ?? [])];
    for (const thread of threads) for (const wait of requestedIn(state, thread)) ids.add(wait.id);
  }
  return [...ids].flatMap((id) => state.waits.get(id) ?? []);
}

/** The path from a stuck wait along unanswerable asks, until it repeats or ends. */
function chainOf(state: MailState, hopes: Hopes, liveness: Liveness, first: Wait): Ask[] {
  const chain: Ask[] = [];
  const visited = new Set<Wait>();
  for (let wait: Wait | undefined = first; wait && !visited.has(wait);) {
    visited.add(wait);
    const ask: Ask | undefined = openAsks(state, wait).find((one) => !liveness.hopeful(one));
    if (!ask) break;
    chain.push(ask);
    wait = hopes
      .of(ask)
      .flatMap((hope) => (hope.is === 'depends' ? hope.on : []))
      .find((next) => !liveness.lives(next));
  }
  return chain;
}

function failBack(state: MailState, chain: readonly Ask[], last: Ask): Fact {
  const lines = chain.map(({ request, recipient }) => {
    const message = state.mail.get(request)?.message;
    return `${message?.from ?? '?'} waits for ${recipient} (${message?.type ?? '?'}: ${message?.subject ?? request})`;
  });
  const thread = state.mail.get(last.request)?.message.thread ?? null;
  const text = `no role can continue: ${lines.join(', and ')}`;
  const notice = noticeToUser(thread, 'Stuck: roles wait for each other', [
    'None of these roles can continue:',
    '',
    ...lines.map((line) => `- ${line}`),
    '',
    'The last request was failed back, and ends as its `on_timeout` says.',
  ]);
  return { type: 'failed-back', ask: last, reason: { code: 'E_DEADLOCK', text }, notices: [notice] };
}
