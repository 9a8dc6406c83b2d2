import type {
  ConditionInput,
  StepInput,
  TransitionInput,
} from '../../../src/languages/orchestrate/schema.ts';

/** How often a step may be entered here. */
export const maxVisits = 4;

/** What a step ends with, by its name and how often it was started before. */
export type Script = (name: string, start: number) => number;

interface Settled {
  readonly status: 'completed' | 'failed' | 'skipped';
  readonly code: number | null;
}

/** What is known in a body, and in those around it. */
interface Scope {
  readonly settled: Map<string, Settled>;
  readonly around: Scope | null;
  readonly item: string;
}

interface Outcome {
  readonly how: 'end' | 'break' | 'continue' | 'exit';
  readonly failed: boolean;
  readonly timedOut: boolean;
  readonly code: number;
}

/**
 * The seed's semantics, said directly: one step after another, without journal, state or lowering. `trace` has every start
 * of a command with its arguments.
 */
export class Interpreter {
  readonly trace: string[] = [];
  readonly context: Record<string, string>;
  readonly #script: Script;
  readonly #starts = new Map<string, number>();

  constructor(context: Readonly<Record<string, string>>, script: Script) {
    this.context = { ...context };
    this.#script = script;
  }

  run(steps: readonly StepInput[]): 'completed' | 'failed' {
    return this.#body(steps, { settled: new Map(), around: null, item: '' }).failed ? 'failed' : 'completed';
  }

  #body(steps: readonly StepInput[], scope: Scope): Outcome {
    const visits = new Map<string, number>();
    let name = steps[0]?.name ?? '';
    let last: Omit<Outcome, 'how'> = { failed: false, timedOut: false, code: 0 };
    for (;;) {
      const visit = (visits.get(name) ?? 0) + 1;
      if (visit > maxVisits) return { ...last, how: 'end', failed: true, timedOut: false };
      visits.set(name, visit);
      const step = steps.find((each) => each.name === name)!;
      const left = this.#step(step, scope);
      if (left.how === 'exit') return left;
      last = left;
      const on = step.on ?? {};
      const way = left.failed ? ((left.timedOut ? on.timeout : null) ?? on.failure) : on.success;
      const next = this.#target(way ?? {}, left, steps);
      if (typeof next !== 'string') return next;
      name = next;
    }
  }

  #target(
    { goto, end }: TransitionInput,
    left: Omit<Outcome, 'how'>,
    steps: readonly StepInput[],
  ): string | Outcome {
    if (end === true || goto === '_end') return { ...left, how: 'exit', failed: false };
    if (goto === undefined || goto === '_error') return { ...left, how: 'exit', failed: true };
    if (goto === '_loop_break') return { ...left, how: 'break' };
    if (goto === '_loop_continue') return { ...left, how: 'continue', failed: false };
    return goto === '_start' ? steps[0]!.name : goto;
  }

  #step(step: StepInput, scope: Scope): Outcome {
    const well: Outcome = { how: 'end', failed: false, timedOut: false, code: 0 };
    if (step.when !== undefined && !this.#holds(step.when, scope)) {
      scope.settled.set(step.name, { status: 'skipped', code: null });
      return well;
    }
    const left = this.#work(step, scope);
    scope.settled.set(step.name, { status: left.failed ? 'failed' : 'completed', code: left.code });
    return left;
  }

  #work(step: StepInput, scope: Scope): Outcome {
    if (step.set_context !== undefined) {
      const values = Object.entries(step.set_context).map(
        ([name, value]) =>
          [name, this.#text(typeof value === 'string' ? value : JSON.stringify(value), scope)] as const,
      );
      Object.assign(this.context, Object.fromEntries(values));
      return { how: 'end', failed: false, timedOut: false, code: 0 };
    }
    if (step.for_each !== undefined) return this.#forEach(step.for_each, scope);
    if (step.while !== undefined) return this.#while(step.while, scope);
    return this.#command(step, scope);
  }

  #command(step: StepInput, scope: Scope): Outcome {
    let code = 0;
    for (let attempt = 1; attempt <= (step.retry?.attempts ?? 1); attempt += 1) {
      const start = this.#starts.get(step.name) ?? 0;
      this.#starts.set(step.name, start + 1);
      this.trace.push(step.command!.map((text) => this.#text(text, scope)).join(' '));
      code = this.#script(step.name, start);
      if (code !== 1 && code !== 124) break;
    }
    return { how: 'end', failed: code !== 0, timedOut: code === 124, code };
  }

  #forEach(loop: NonNullable<StepInput['for_each']>, scope: Scope): Outcome {
    for (const item of loop.items as string[]) {
      const round = this.#round(loop.steps, { settled: new Map(), around: scope, item });
      if (round.over !== null) return round.over;
    }
    return { how: 'end', failed: false, timedOut: false, code: 0 };
  }

  /** One round of a loop, and how the loop ends by it; null: it goes on. */
  #round(steps: readonly StepInput[], scope: Scope): { over: Outcome | null; code: number } {
    const left = this.#body(steps, scope);
    const { code } = left;
    if (left.how === 'exit') return { over: left, code };
    if (left.failed) return { over: { ...left, how: 'end', code: code === 0 ? 1 : code }, code };
    return { over: left.how === 'break' ? { ...left, how: 'end', code: 0 } : null, code };
  }

  #while({ condition, max_iterations: most, steps }: NonNullable<StepInput['while']>, scope: Scope): Outcome {
    let seen = scope;
    let code = 0;
    for (let round = 0; this.#holds(condition, seen); round += 1) {
      if (round === most) return { how: 'end', failed: true, timedOut: false, code: code === 0 ? 1 : code };
      seen = { settled: new Map(), around: scope, item: scope.item };
      const left = this.#round(steps, seen);
      if (left.over !== null) return left.over;
      code = left.code;
    }
    return { how: 'end', failed: false, timedOut: false, code: 0 };
  }

  #find(name: string, scope: Scope): Settled | undefined {
    for (let at: Scope | null = scope; at !== null; at = at.around) {
      const found = at.settled.get(name);
      if (found) return found;
    }
    return undefined;
  }

  /** Only what the generator writes: values of `context` and the item. */
  #text(text: string, { item }: Scope): string {
    return text.replaceAll(/\$\{context\.(\w+)\}|\$\{item\}/g, (_all, name: string | undefined) =>
      name === undefined ? item : (this.context[name] ?? ''),
    );
  }

  #holds(condition: ConditionInput, scope: Scope): boolean {
    const { all, any, not, step_ok: ok, exit_code: code, equals } = condition;
    if (all && !all.every((each) => this.#holds(each, scope))) return false;
    if (any && !any.some((each) => this.#holds(each, scope))) return false;
    if (not && this.#holds(not, scope)) return false;
    if (ok !== undefined && this.#find(ok, scope)?.status !== 'completed') return false;
    if (equals && this.#text(equals.left, scope) !== this.#text(equals.right, scope)) return false;
    if (!code) return true;
    const found = this.#find(code.step, scope)?.code ?? null;
    return found !== null && (code.op === '==' ? found === code.value : found > code.value);
  }
}
