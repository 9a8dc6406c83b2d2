import type { Body, Step } from '../model.ts';

/** A question that is answered when the whole body is known: does `target` come before `step`? */
interface Query {
  readonly step: number;
  readonly target: number;
  /** Called when it does not. */
  readonly no: () => void;
}

/** The steps of one body as a graph of numbers. */
export class Graph {
  readonly steps: readonly Step[];
  /** By step: those it needs, as far as they exist. */
  readonly needs: readonly (readonly number[])[];
  /** Steps that name one among their needs which is not there: it may be any of the others, misspelt. */
  private readonly doubtful: ReadonlySet<number>;
  /** The loop that the body belongs to; null: it is the outermost one. */
  readonly parent: { readonly graph: Graph; readonly step: number } | null;
  /** Any step of a sequence may have run before any other. */
  private readonly isSequence: boolean;
  private readonly numbers: ReadonlyMap<string, number>;
  private folded: ReadonlyMap<string, number> | null = null;
  private readonly queries: Query[] = [];

  constructor(body: Body, parent: Graph['parent']) {
    this.steps = body.steps;
    this.isSequence = body.kind === 'sequence';
    this.parent = parent;
    this.numbers = new Map(body.steps.map((step, index) => [step.id, index]));
    const isKnown = ({ step }: Step['needs'][number]): boolean => this.numbers.has(step);
    this.doubtful = new Set(body.steps.flatMap(({ needs }, index) => (needs.every(isKnown) ? [] : [index])));
    this.needs = body.steps.map((step) => step.needs.flatMap((need) => this.numbers.get(need.step) ?? []));
  }

  has(id: string): boolean {
    return this.numbers.has(id);
  }

  names(): string[] {
    return [...this.numbers.keys()];
  }

  /** The step that a name in an expression means: that very one, else the first that differs only in case. */
  named(name: string): number | null {
    const found = this.numbers.get(name);
    if (found !== undefined) return found;
    this.folded ??= new Map(
      this.steps.map(({ id }, index) => [id.toUpperCase(), index] as const).toReversed(),
    );
    return this.folded.get(name.toUpperCase()) ?? null;
  }

  /** Whether a step certainly does not name another one among its needs. */
  lacks(step: number, target: number): boolean {
    return !this.doubtful.has(step) && this.needs[step]?.includes(target) === false;
  }

  /** Whether a step needs another one, directly or not. */
  follows(step: number, other: number): boolean {
    const seen = new Set([step]);
    for (const each of seen) for (const need of this.needs[each] ?? []) seen.add(need);
    return step !== other && seen.has(other);
  }

  /** Asks whether a step comes before another one; the answer comes with `answer`. Number -1 comes after all. */
  ask(step: number, target: number, no: () => void): void {
    if (!this.isSequence && this.lacks(step, target)) this.queries.push({ step, target, no });
  }

  /**
   * Answers what was asked, many questions in one pass: a bit for each of 32 targets goes from step to step in an order in
   * which needs come first. `order` null: there is none, and nothing is said.
   */
  answer(order: readonly number[] | null): void {
    if (order === null) return;
    const targets = [...new Set(this.queries.map((query) => query.target))];
    const places = new Map(targets.map((target, index) => [target, index]));
    const blocks: Query[][] = [];
    for (const query of this.queries) (blocks[places.get(query.target)! >> 5] ??= []).push(query);
    for (const queries of blocks) {
      const reached = new Int32Array(this.steps.length);
      for (const { target } of queries) reached[target]! |= 1 << (places.get(target)! & 31);
      for (const step of order) for (const need of this.needs[step]!) reached[step]! |= reached[need]!;
      for (const { step, target, no } of queries)
        if (step === target || (reached[step]! & (1 << (places.get(target)! & 31))) === 0) no();
    }
  }
}
