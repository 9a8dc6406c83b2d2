import type { Json } from '../../../../src/kernel/json.ts';

/*
 * The semantics of the language nip, said directly: no journal, no state machine, no lowering. Conditions and sources are
 * generated as data, evaluated here and written as text for the reader of the language.
 */

/** Where a value comes from: an output (or `input`), and the way into it. */
export interface Source {
  readonly of: string;
  readonly way: readonly string[];
}

export type Condition =
  | { readonly is: 'always' }
  | { readonly is: 'holds'; readonly source: Source }
  | {
      readonly is: 'compares';
      readonly source: Source;
      readonly operator: '==' | '!=' | '<' | '>' | '<=' | '>=';
      readonly literal: number | string | boolean | null;
    }
  | { readonly is: 'not'; readonly part: Condition }
  | { readonly is: 'and' | 'or'; readonly parts: readonly [Condition, Condition] };

export interface PlannedStep {
  readonly id: string;
  readonly output: string;
  readonly takes: readonly Source[];
  readonly policy: 'abort' | 'skip' | 'retry';
  readonly retries: number;
}

export interface PlannedEdge {
  readonly from: string;
  readonly to: string;
  readonly condition: Condition;
}

export interface Plan {
  readonly steps: readonly PlannedStep[];
  readonly edges: readonly PlannedEdge[];
}

/** What the n-th launch of a step comes to; undefined: it fails. */
export type Script = (step: string, launch: number) => Json | undefined;

/** Which of those that run ends next. */
export type Pick = (running: readonly string[], round: number) => string;

export interface Played {
  /** Every launch, the step and what it was given: those that begin together as one list, in no order. */
  readonly launches: readonly (readonly string[])[];
  /** The steps that were over before anything ended the run. */
  readonly settled: Readonly<Record<string, 'completed' | 'skipped' | 'failed'>>;
  readonly status: 'completed' | 'failed';
}

interface Settled {
  readonly status: 'completed' | 'skipped' | 'failed';
  /** Left out for its own edges: what it leads to is not let in by it. */
  readonly closed: boolean;
  readonly value: Json;
}

export function interpret(plan: Plan, input: Json, script: Script, pick: Pick): Played {
  return new Interpreter(plan, input, script).play(pick);
}

class Interpreter {
  readonly #plan: Plan;
  readonly #input: Json;
  readonly #script: Script;
  readonly #settled = new Map<string, Settled>();
  readonly #running = new Set<string>();
  /** Those that failed and are tried again after a pause. */
  readonly #pausing = new Set<string>();
  readonly #launched = new Map<string, number>();
  readonly #launches: string[][] = [];
  #together: string[] = [];

  constructor(plan: Plan, input: Json, script: Script) {
    this.#plan = plan;
    this.#input = input;
    this.#script = script;
  }

  play(pick: Pick): Played {
    this.#enter();
    this.#begin();
    for (let round = 0; this.#running.size + this.#pausing.size > 0; round += 1) {
      if (this.#running.size === 0) this.#resume();
      this.#begin();
      const id = pick([...this.#running].toSorted(), round);
      if (!this.#end(this.#plan.steps.find((step) => step.id === id)!)) return this.#played('failed');
      this.#enter();
      this.#begin();
    }
    return this.#played('completed');
  }

  /** What was launched since the last time began together. */
  #begin(): void {
    if (this.#together.length > 0) this.#launches.push(this.#together.toSorted());
    this.#together = [];
  }

  #played(status: Played['status']): Played {
    const settled = [...this.#settled].map(([id, each]) => [id, each.status] as const);
    return { launches: this.#launches, settled: Object.fromEntries(settled), status };
  }

  /** Starts or leaves out every step all of whose sources are over; in the order of the file. */
  #enter(): void {
    for (let again = true; again;) {
      again = false;
      for (const step of this.#plan.steps) {
        const isKnown =
          this.#settled.has(step.id) || this.#running.has(step.id) || this.#pausing.has(step.id);
        const edges = this.#plan.edges.filter(({ to }) => to === step.id);
        if (isKnown || !edges.every(({ from }) => this.#settled.has(from))) continue;
        const isLetIn = edges.some(
          ({ from, condition }) => !this.#settled.get(from)!.closed && this.#holds(condition, step.id),
        );
        if (edges.length > 0 && !isLetIn) {
          this.#settled.set(step.id, { status: 'skipped', closed: true, value: null });
          again = true;
        } else this.#launch(step);
      }
    }
  }

  #launch(step: PlannedStep): void {
    const given = step.takes.map((source) => this.#value(source, step.id));
    this.#launched.set(step.id, (this.#launched.get(step.id) ?? 0) + 1);
    this.#together.push(`${step.id} ${JSON.stringify(given)}`);
    this.#running.add(step.id);
  }

  #resume(): void {
    for (const { id } of this.#plan.steps)
      if (this.#pausing.delete(id)) this.#launch(this.#plan.steps.find((step) => step.id === id)!);
  }

  /** False: the run is over by it. */
  #end(step: PlannedStep): boolean {
    this.#running.delete(step.id);
    const launch = this.#launched.get(step.id) ?? 0;
    const value = this.#script(step.id, launch);
    if (value !== undefined) this.#settled.set(step.id, { status: 'completed', closed: false, value });
    else if (step.policy === 'retry' && launch <= step.retries) this.#pausing.add(step.id);
    else if (step.policy === 'skip')
      this.#settled.set(step.id, { status: 'skipped', closed: false, value: null });
    else {
      this.#settled.set(step.id, { status: 'failed', closed: true, value: null });
      return false;
    }
    return true;
  }

  #holds(condition: Condition, at: string): boolean {
    switch (condition.is) {
      case 'always':
        return true;
      case 'holds': {
        const value = this.#value(condition.source, at);
        return value !== null && value !== false && value !== 0 && value !== '';
      }
      case 'compares':
        return compares(this.#value(condition.source, at), condition.operator, condition.literal);
      case 'not':
        return !this.#holds(condition.part, at);
      case 'and':
        return condition.parts.every((part) => this.#holds(part, at));
      case 'or':
        return condition.parts.some((part) => this.#holds(part, at));
    }
  }

  /** What is not there is null. Of several steps that make the same, the last in the file that has done so counts. */
  #value({ of, way }: Source, at: string): Json {
    const before = ancestors(this.#plan, at);
    const made = this.#plan.steps.filter(
      ({ id, output }) => output === of && before.has(id) && this.#settled.get(id)?.status === 'completed',
    );
    const last = made.at(-1);
    let value = of === 'input' ? this.#input : last === undefined ? null : this.#settled.get(last.id)!.value;
    for (const key of way)
      value =
        typeof value === 'object' && value !== null && Object.hasOwn(value, key)
          ? ((value as Readonly<Record<string, Json>>)[key] ?? null)
          : null;
    return value;
  }
}

/** Only values of one type are compared. */
function compares(a: Json, operator: string, b: number | string | boolean | null): boolean {
  const isLess = (x: Json, y: Json) =>
    typeof x === typeof y && typeof x !== 'object' && (x as number) < (y as number);
  switch (operator) {
    case '==':
      return a === b;
    case '!=':
      return a !== b;
    case '<':
      return isLess(a, b);
    case '>':
      return isLess(b, a);
    case '<=':
      return a === b || isLess(a, b);
    default:
      return a === b || isLess(b, a);
  }
}

/** All steps from which a way leads to one. */
export function ancestors({ edges }: Plan, id: string): ReadonlySet<string> {
  const found = new Set<string>();
  const waiting = [id];
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop())
    for (const { from, to } of edges)
      if (to === at && !found.has(from)) {
        found.add(from);
        waiting.push(from);
      }
  return found;
}

/** A source as the language writes it. */
export function sourceText({ of, way }: Source): string {
  return `$${[of, ...way].join('.')}`;
}

/** A condition as the language writes it. */
export function conditionText(condition: Condition): string {
  switch (condition.is) {
    case 'always':
      return 'always';
    case 'holds':
      return sourceText(condition.source);
    case 'compares':
      return `${sourceText(condition.source)} ${condition.operator} ${JSON.stringify(condition.literal)}`;
    case 'not':
      return `!(${conditionText(condition.part)})`;
    case 'and':
    case 'or':
      return condition.parts
        .map((part) => `(${conditionText(part)})`)
        .join(condition.is === 'and' ? ' && ' : ' || ');
  }
}
