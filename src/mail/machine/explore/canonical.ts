import type { MailState, Thread } from '../state.ts';
import { ownThreads } from './moves.ts';

/**
 * A name for a state that ignores ids and times: equal for states with the same future. Leaves out
 * handled messages that no wait refers to, and ended threads.
 */
export function canonical(state: MailState): string {
  const ids = new Map<string, number>();
  const short = (id: string | null): number => {
    if (id === null) return -1;
    const known = ids.get(id) ?? ids.size;
    ids.set(id, known);
    return known;
  };
  const alive = aliveIn(state);
  const parts: unknown[] = [ownThreads(state)];
  for (const { message, deliveries, request, wait } of state.mail.values()) {
    if (!alive.has(message.id)) continue;
    parts.push(short(message.id), message.type, message.from, short(message.thread), short(wait));
    parts.push(short(state.threads.get(message.thread)?.parent ?? null));
    for (const [role, { at }] of deliveries) parts.push(role, at === 'read' ? 'unread' : at);
    for (const [role, ask] of request?.asks ?? [])
      parts.push(role, ask.is, ask.is === 'open' ? ask.candidates.join() : '');
    parts.push(state.deadlines.has(message.id));
  }
  for (const { id, role, thread, blocks, requests, owes, turn } of state.waits.values()) {
    parts.push(short(id), role, short(thread), blocks, turn === null);
    for (const request of requests) parts.push(short(request));
    for (const { request, recipient } of owes) parts.push(short(request), recipient);
  }
  for (const { role, thread, messages, wait, owes, mustAnswer } of state.turns.values()) {
    parts.push(role, short(thread), short(wait), mustAnswer);
    for (const message of messages) parts.push(short(message));
    for (const { request, recipient } of owes) parts.push(short(request), recipient);
  }
  return parts.join(' ');
}

/** Removes what `canonical` leaves out, which only costs time to keep. */
export function prune(state: MailState): void {
  const alive = aliveIn(state);
  for (const [id, { message }] of state.mail)
    if (!alive.has(id)) {
      state.mail.delete(id);
      for (const role of message.to) state.unread.delete(`${id} ${role}`);
    }
  for (const [id, thread] of state.threads)
    state.threads.set(id, { ...thread, messages: thread.messages.filter((message) => alive.has(message)) });
  for (const [id, thread] of state.threads)
    if (thread.parent !== null && isOver(thread)) state.threads.delete(id);
  for (const [id, thread] of state.threads)
    if (thread.children.length > 0)
      state.threads.set(id, {
        ...thread,
        children: thread.children.filter((child) => state.threads.has(child)),
      });
}

/** A sub-thread that can only be continued by a person, who can start another. */
function isOver({ state, running, messages, children }: Thread): boolean {
  return state !== 'open' && running === 0 && messages.length === 0 && children.length === 0;
}

/** Messages that wait, are claimed, are asked, answer a wait, or are owed an answer. */
function aliveIn(state: MailState): Set<string> {
  const alive = new Set<string>();
  for (const { inThread } of state.roles.values()) {
    for (const waiting of inThread.values()) for (const id of waiting) alive.add(id);
  }
  for (const { messages, owes } of state.turns.values()) {
    for (const id of messages) alive.add(id);
    for (const { request } of owes) alive.add(request);
  }
  for (const { requests, owes } of state.waits.values()) {
    for (const id of requests) {
      alive.add(id);
      for (const ask of state.mail.get(id)?.request?.asks.values() ?? [])
        if (ask.is === 'answered') alive.add(ask.by);
    }
    for (const { request } of owes) alive.add(request);
  }
  return alive;
}
