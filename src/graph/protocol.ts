import { counted, listed } from '../kernel/enumerate.ts';
import { isHuman, type MessageType, type Protocol } from '../mail/format/protocol.ts';
import type { Diagram, Edge } from './diagram.ts';

/**
 * A protocol as a drawing: roles, and an arrow for each message, dashed for answers, thick for
 * requests that open sub-threads.
 */
export function protocolDiagram(protocol: Protocol): Diagram {
  const used = new Set([...protocol.types.values()].flatMap(({ from, to }) => [...from, ...to]));
  const nodes = [...protocol.roles.values()].flatMap(({ name, provider }) => {
    if (!used.has(name)) return [];
    const shape = isHuman(protocol, name) ? ('gate' as const) : ('step' as const);
    return { path: name, name, who: provider === 'human' ? 'a person' : provider, shape, frame: null };
  });
  const answers = new Set([...protocol.types.values()].flatMap(({ reply }) => reply));
  const edges = [...protocol.types.values()].flatMap((type) => {
    const { name, from, to, opens } = type;
    const drawn: Pick<Edge, 'label' | 'line'> = {
      label: [name, ...effectsOf(type)].join(', '),
      line: opens !== null ? 'thick' : answers.has(name) ? 'dashed' : 'solid',
    };
    return pairs(from, to).map((pair) => ({ ...pair, ...drawn }));
  });
  return { nodes, frames: [], edges };
}

function pairs(from: readonly string[], to: readonly string[]): { from: string; to: string }[] {
  return from.flatMap((one) =>
    to.filter((other) => other !== one).map((other) => ({ from: one, to: other })),
  );
}

/**
 * A protocol as lines: a message with its answers, `a ── request ──▶ b ── answer ──▶ a`, in
 * the order in which the protocol defines them.
 */
export function protocolText(protocol: Protocol): string[] {
  const types = [...protocol.types.values()];
  const shown = new Set<string>();
  return types.flatMap((type) => {
    if (shown.has(type.name)) return [];
    const replies = type.reply.flatMap((name) => protocol.types.get(name) ?? []);
    // An answer that can also be said unasked, or to others, has a line of its own.
    for (const reply of replies) if (isOnlyAnswer(reply, types)) shown.add(reply.name);
    const answered = replies.map(named).join(' | ');
    return answered === '' ? line(type) : `${line(type)} ── ${answered} ──▶ ${listed(type.from, 'or')}`;
  });
}

function line(type: MessageType): string {
  const { from, to, toAll } = type;
  return `${listed(from, 'or')} ── ${named(type)} ──▶ ${listed(to, toAll ? 'and' : 'or')}`;
}

function named(type: MessageType): string {
  const effects = effectsOf(type);
  return effects.length === 0 ? type.name : `${type.name} (${effects.join(', ')})`;
}

/** What a message of the type does besides being delivered. */
function effectsOf({ opens, closes, lands }: MessageType): string[] {
  return [
    ...(opens === null ? [] : [`opens up to ${counted(opens.fanOut, 'sub-thread')}`, 'waits for all']),
    ...(closes ? ['closes the thread'] : []),
    ...(lands === null ? [] : [`lands on ${lands.branch}`]),
  ];
}

/** Whether it goes nowhere but to those who ask for it. */
function isOnlyAnswer({ name, from, to }: MessageType, types: readonly MessageType[]): boolean {
  const asking = types.filter(({ reply }) => reply.includes(name));
  const isAsked = (one: string, other: string) =>
    asking.some((type) => type.to.includes(one) && type.from.includes(other));
  return pairs(from, to).every((pair) => isAsked(pair.from, pair.to));
}
