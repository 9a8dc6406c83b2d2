/*
 * Where steps of workflows wait for workers. A role has a queue of its own; steps wait by their
 * kind, and by the labels that their workers must have, in queues whose names no role can have.
 */

/** The kinds of steps: with an agent, or a script or command. */
export const stepKinds = ['agents', 'commands'] as const;
export type StepKind = (typeof stepKinds)[number];

/** The queue of steps of a kind that need workers with these labels. */
export function stepQueue(kind: StepKind, labels: readonly string[]): string {
  return ['', kind, ...new Set(labels.toSorted())].join('+');
}

/** What a worker names that takes from a queue: a role, or `+agents`. */
export function takerOf(queue: string): string {
  const [first = '', kind = ''] = queue.split('+', 2);
  return first === '' && kind !== '' ? `+${kind}` : queue;
}
