import type { Body, Join, Route, Step, StepId, Target } from './model.ts';

/** The possible successors of each step of a sequence, by number. */
export function waysOf({ steps }: Body): readonly (readonly number[])[] {
  const numbers = new Map<StepId, number>(steps.map(({ id }, index) => [id, index]));
  return steps.map((step, index) => nextOf(step, index, steps.length).flatMap((to) => numberOf(to, numbers)));
}

/** Where a step of a sequence can lead, each with the object and the key that say it. */
export function targetsOf({ next, work }: Step): readonly {
  readonly target: Target;
  readonly in: object;
  readonly key: string;
  readonly label: string;
}[] {
  const named = Object.entries(next ?? {}) as [string, Target | null][];
  const ways = work.kind === 'route' ? work.ways : [];
  return [
    ...named.flatMap(([key, target]) => (target === null ? [] : [{ target, in: next!, key, label: key }])),
    ...ways.map((way) => ({ target: way.to, in: way, key: 'to', label: way.when === null ? 'else' : 'if' })),
  ];
}

/** Whether one need of a step decides that it runs. */
export function isOneEnough(join: Join): boolean {
  return join === 'any' || join === 'one_success';
}

type Way = number | StepId;

function nextOf(step: Step, index: number, count: number): Way[] {
  const { next, work } = step;
  const named = targetsOf(step).flatMap(({ target }) => (target.to === 'step' ? [target.step] : []));
  const isLast = ['fail', 'finally'].includes(work.kind) || (work.kind === 'route' && isTotal(work));
  return next === null && !isLast && index + 1 < count ? [...named, index + 1] : named;
}

/** Whether one of its ways is always taken; else the next step follows. */
function isTotal({ ways }: Route): boolean {
  return ways.at(-1)?.when === null;
}

function numberOf(way: Way, numbers: ReadonlyMap<StepId, number>): number[] {
  if (typeof way === 'number') return [way];
  const found = numbers.get(way);
  return found === undefined ? [] : [found];
}

/** All steps reachable from some; these themselves only if a path leads back to them. */
export function reachedFrom(
  from: readonly number[],
  ways: readonly (readonly number[])[],
): ReadonlySet<number> {
  const reached = new Set<number>();
  const waiting = from.flatMap((step) => ways[step] ?? []);
  for (let step = waiting.pop(); step !== undefined; step = waiting.pop()) {
    if (reached.has(step)) continue;
    reached.add(step);
    waiting.push(...(ways[step] ?? []));
  }
  return reached;
}

/**
 * The steps of a sequence that may be visited more than once. Linear in its size (Tarjan, SIAM J.
 * Comput. 1(2), 1972).
 */
export function stepsOnCycles(body: Body): ReadonlySet<StepId> {
  const ways = waysOf(body);
  const found = new Set<StepId>();
  for (const group of groupsOf(ways)) {
    const [only] = group;
    const isCycle = group.length > 1 || (only !== undefined && ways[only]!.includes(only));
    if (isCycle) for (const step of group) found.add(body.steps[step]!.id);
  }
  return found;
}

/** The strongly connected components, without recursion. */
function groupsOf(ways: readonly (readonly number[])[]): number[][] {
  const order = new Int32Array(ways.length).fill(-1);
  const low = new Int32Array(ways.length);
  const open: number[] = [];
  const isOpen = new Uint8Array(ways.length);
  const groups: number[][] = [];
  let count = 0;
  const enter = (step: number): { step: number; next: number } => {
    order[step] = low[step] = count++;
    open.push(step);
    isOpen[step] = 1;
    return { step, next: 0 };
  };
  for (let start = 0; start < ways.length; start += 1) {
    if (order[start] !== -1) continue;
    const calls = [enter(start)];
    for (let call = calls.at(-1); call !== undefined; call = calls.at(-1)) {
      const { step } = call;
      const to = ways[step]![call.next++];
      if (to === undefined) {
        calls.pop();
        const caller = calls.at(-1)?.step;
        if (caller !== undefined) low[caller] = Math.min(low[caller]!, low[step]!);
        if (low[step] === order[step]) groups.push(closed(open, isOpen, step));
      } else if (order[to] === -1) calls.push(enter(to));
      else if (isOpen[to] === 1) low[step] = Math.min(low[step]!, order[to]!);
    }
  }
  return groups;
}

function closed(open: number[], isOpen: Uint8Array, root: number): number[] {
  const group = open.splice(open.lastIndexOf(root));
  for (const step of group) isOpen[step] = 0;
  return group;
}
