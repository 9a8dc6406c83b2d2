import { reachedFrom, waysOf } from '../flow.ts';
import type { Body, Step, StepId } from '../model.ts';

/** A query that is answered once the whole body is known: does `target` come before `step`? */
interface Query {
  readonly step: number;
  readonly target: number;
  /** Called when it does not. */
  readonly no: () => void;
}

/** The maximum number of queries answered where each takes time linear in the graph. */
const singly = 100;

/** What the order of steps depends on. */
export interface GraphNode {
  readonly id: StepId;
  readonly needs: readonly { readonly step: StepId }[];
}

/** The steps of one body as a graph of numbers. */
export class Graph<S extends GraphNode = Step> {
  readonly steps: readonly S[];
  /** By step: the existing steps that it needs. */
  readonly needs: readonly (readonly number[])[];
  /** The loop that contains the body; null: it is the outermost one. */
  readonly parent: { readonly graph: Graph; readonly step: number } | null;
  /** Steps that need an unknown step: it may be any other one, misspelt. */
  readonly #uncertain: ReadonlySet<number>;
  readonly #numbers: ReadonlyMap<string, number>;
  #folded: ReadonlyMap<string, number> | null = null;
  readonly #queries: Query[] = [];

  constructor(steps: readonly S[], parent: Graph['parent'] = null) {
    this.steps = steps;
    this.parent = parent;
    this.#numbers = new Map(steps.map((step, index) => [step.id, index]));
    const isKnown = ({ step }: GraphNode['needs'][number]): boolean => this.#numbers.has(step);
    this.#uncertain = new Set(steps.flatMap(({ needs }, index) => (needs.every(isKnown) ? [] : [index])));
    this.needs = steps.map((step) => step.needs.flatMap((need) => this.#numbers.get(need.step) ?? []));
  }

  has(id: string): boolean {
    return this.#numbers.has(id);
  }

  names(): string[] {
    return [...this.#numbers.keys()];
  }

  /**
   * The step that a name in an expression means: an exact match, else the first that differs only
   * in case.
   */
  named(name: string, folds: boolean): number | null {
    const found = this.#numbers.get(name);
    if (found !== undefined || !folds) return found ?? null;
    this.#folded ??= new Map(
      this.steps.map(({ id }, index) => [id.toUpperCase(), index] as const).toReversed(),
    );
    return this.#folded.get(name.toUpperCase()) ?? null;
  }

  /** Whether a step certainly does not name another one among its needs. */
  lacks(step: number, target: number): boolean {
    return !this.#uncertain.has(step) && this.needs[step]?.includes(target) === false;
  }

  /** Whether a step needs another one, directly or indirectly. */
  follows(step: number, other: number): boolean {
    const seen = new Set([step]);
    for (const each of seen) for (const need of this.needs[each] ?? []) seen.add(need);
    return step !== other && seen.has(other);
  }

  #mayFollow(step: number, other: number): boolean {
    const seen = new Set([step]);
    for (const each of seen) {
      if (this.#uncertain.has(each)) return true;
      for (const need of this.needs[each] ?? []) seen.add(need);
    }
    return seen.has(other);
  }

  /** The same by their ids; false if a step does not exist. */
  comesAfter(step: StepId, other: StepId): boolean {
    const [from, to] = [this.#numbers.get(step), this.#numbers.get(other)];
    return from !== undefined && to !== undefined && this.follows(from, to);
  }

  /**
   * Queries whether a step comes before another one; `answer` reports the result. Number -1 comes
   * after all.
   */
  ask(step: number, target: number, no: () => void): void {
    if (step === target || this.lacks(step, target)) this.#queries.push({ step, target, no });
  }

  /**
   * Answers the queries of a graph, many in one pass: a bit for each of 32 targets propagates along
   * a topological order. Any step may come before one with an unknown need. Null: there is a cycle,
   * and only the first queries are answered, separately.
   */
  answer(order: readonly number[] | null): void {
    if (order === null) {
      for (const { step, target, no } of this.#queries.slice(0, singly))
        if (step === target || !this.#mayFollow(step, target)) no();
      return;
    }
    const targets = [...new Set(this.#queries.map((query) => query.target))];
    const places = new Map(targets.map((target, index) => [target, index]));
    const blocks: Query[][] = [];
    for (const query of this.#queries) (blocks[places.get(query.target)! >> 5] ??= []).push(query);
    for (const queries of blocks) {
      const reached = new Int32Array(this.steps.length);
      for (const { target } of queries) reached[target]! |= 1 << (places.get(target)! & 31);
      for (const step of this.#uncertain) reached[step] = -1;
      for (const step of order) for (const need of this.needs[step]!) reached[step]! |= reached[need]!;
      for (const { step, target, no } of queries)
        if (step === target || (reached[step]! & (1 << (places.get(target)! & 31))) === 0) no();
    }
  }

  /** Answers the queries of a sequence: a step comes before those that its transitions lead to. */
  answerAlong(ways: readonly (readonly number[])[]): void {
    const reached = new Map<number, ReadonlySet<number>>();
    for (const { step, target, no } of this.#queries) {
      const found = reached.get(target) ?? reachedFrom([target], ways);
      reached.set(target, found);
      if (!found.has(step)) no();
    }
  }
}

/** The steps of a sequence that are unreachable from the first one. */
export function unreachedIn(body: Body): readonly Step[] {
  if (body.kind === 'graph') return [];
  const found = reachedFrom([0], waysOf(body));
  return body.steps.filter(({ work }, index) => index > 0 && work.kind !== 'finally' && !found.has(index));
}
