import type { MailState } from '../state.ts';

/**
 * A name for a state in which ids and times do not matter: equal for states that go on alike. What was handled and is
 * waited for by nobody is left out.
 */
export function canonical(state: MailState): string {
  const ids = new Map<string, number>();
  const short = (id: string | null) => {
    if (id === null) return '-';
    const known = ids.get(id) ?? ids.size;
    ids.set(id, known);
    return known;
  };
  const waits = [...state.waits.values()];
  const asked = new Set(
    waits.flatMap(({ requests, owes }) => [...requests, ...owes.map(({ request }) => request)]),
  );
  const turns = [...state.turns.values()];
  for (const { messages, owes } of turns)
    for (const id of [...messages, ...owes.map(({ request }) => request)]) asked.add(id);
  const mail = [...state.mail.values()]
    .filter(
      ({ message, deliveries }) =>
        asked.has(message.id) || [...deliveries.values()].some(({ at }) => at === 'inbox'),
    )
    .map(({ message, deliveries, request, wait }) => [
      short(message.id),
      message.type,
      message.from,
      short(message.thread),
      [...deliveries].map(([role, { at }]) => `${role}:${at}`),
      [...(request?.asks ?? [])].map(([role, ask]) => `${role}:${ask.is}`),
      short(wait),
    ]);
  return JSON.stringify([
    mail,
    waits.map(({ role, thread, blocks, requests, owes, turn }) => [
      role,
      short(thread),
      blocks,
      requests.map(short),
      owes.map(({ request }) => short(request)),
      turn === null,
    ]),
    turns.map(({ role, thread, messages, owes, nesting }) => [
      role,
      short(thread),
      messages.map(short),
      owes.map(({ request }) => short(request)),
      nesting,
    ]),
    [...state.threads.values()].map(({ state: is }) => is),
  ]);
}
