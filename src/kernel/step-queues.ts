/*
 * Where steps of workflows wait for workers. A role has a queue of its own; steps wait by their
 * kind, by the provider of their agent, and by the labels that their workers must have, in queues
 * whose names no role can have. A worker that leaves the steps of one provider to others takes the
 * rest.
 */

/** The kinds of steps: with an agent, or a script or command. */
export const stepKinds = ['agents', 'commands'] as const;
export type StepKind = (typeof stepKinds)[number];

/** The queue of steps with this agent, or (null) of commands, on workers with these labels. */
export function stepQueue(provider: string | null, labels: readonly string[]): string {
  const kind = provider === null ? [takerOfKind('commands')] : [takerOfKind('agents'), provider];
  return [...kind, ...new Set(labels.toSorted())].join('+');
}

/** What a worker names that takes steps of a kind. */
export function takerOfKind(kind: StepKind): string {
  return `+${kind}`;
}

/** What a worker names that takes from a queue: a role, or `+agents`. */
export function takerOf(queue: string): string {
  const [first = '', kind = ''] = queue.split('+', 2);
  return first === '' && kind !== '' ? `+${kind}` : queue;
}
