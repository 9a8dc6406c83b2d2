import { apply } from '../../workflow/machine/apply.ts';
import type { ProcessKey, RunEvent } from '../../workflow/machine/event.ts';
import type { Rules } from '../../workflow/machine/rules.ts';
import { findStep } from '../../workflow/machine/scope.ts';
import type { RunState, StepRun } from '../../workflow/machine/state.ts';
import type { WorkResult } from '../../workflow/machine/work-result.ts';
import type { Reason } from '../../kernel/errors.ts';
import type { RunHistory } from '../../project/definition/contracts.ts';
import metadata from '../../../package.json' with { type: 'json' };
import type { EndedRun } from '../../project/definition/hooks.ts';
import { OtlpTracer } from './otlp.ts';
import { agentAttributes, spanIdOf, traceIdOf, type Attributes, type TraceSpan } from './span.ts';

type Of<Type extends RunEvent['type']> = Extract<RunEvent, { type: Type }>;

/**
 * The spans of a run that has ended: of itself, and of the steps and attempts that have ended since
 * its end before. Consumes the state before its events.
 */
export function runSpans(run: string, rules: Rules, { before: state, events }: RunHistory): TraceSpan[] {
  const ends = events.flatMap((event, index) => (event.type === 'closed' ? [index] : []));
  const since = ends.at(-2) ?? -1;
  for (const event of events.slice(0, since + 1)) apply(state, event);
  const spans = new RunSpans(run, rules);
  for (const event of events.slice(since + 1)) spans.add(state, event);
  return spans.all(state, events[since + 1]?.at ?? 0);
}

/** Sends the spans of a run that has ended. Resolves to why it could not; null: it has. */
export async function sendRun(
  { run, rules, history }: EndedRun,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<string | null> {
  const tracer = new OtlpTracer(environment, metadata.version);
  tracer.send(runSpans(run, rules, history));
  await tracer.flush();
  return tracer.problem;
}

interface Attempt {
  readonly key: ProcessKey;
  readonly from: number;
  /** Null: no agent works. */
  readonly provider: string | null;
}

class RunSpans {
  readonly #run: string;
  readonly #rules: Rules;
  readonly #trace: string;
  readonly #open = new Map<string, Attempt>();
  readonly #spans: TraceSpan[] = [];

  constructor(run: string, rules: Rules) {
    this.#run = run;
    this.#rules = rules;
    this.#trace = traceIdOf(run);
  }

  /** Folds an event into the state. */
  add(state: RunState, event: RunEvent): void {
    const { now } = state;
    apply(state, event);
    switch (event.type) {
      case 'started':
      case 'checking':
        return this.#begin(state, event);
      case 'ended':
      case 'checked':
        return this.#end(state, event.key, event.at, event.result);
      case 'put-back':
        return this.#end(state, event.key, event.at, null);
      case 'resumed':
        for (const { key } of this.#open.values()) this.#end(state, key, now, null);
        return;
      default:
    }
  }

  #begin({ steps }: RunState, { type, path, provider, at }: Of<'started' | 'checking'>): void {
    const step = steps.get(path);
    if (step === undefined) return;
    const { iteration, attempt, checks } = step;
    const key = { path, iteration, attempt, check: type === 'checking' ? checks : 0 };
    this.#open.set(this.#idOf(key), { key, from: at, provider });
  }

  /** `result`: null: it was stopped. */
  #end(state: RunState, key: ProcessKey, to: number, result: WorkResult | null): void {
    const id = this.#idOf(key);
    const attempt = this.#open.get(id);
    if (attempt === undefined) return;
    this.#open.delete(id);
    const { path, iteration, attempt: number, check } = key;
    const { from, provider } = attempt;
    const agent = provider === null ? null : (this.#agentOf(state, path) ?? provider);
    const what = check === 0 ? `attempt ${String(number)}` : `check ${String(check)}`;
    this.#spans.push({
      trace: this.#trace,
      id,
      parent: this.#idOfStep(path),
      name: agent === null ? what : `invoke_agent ${agent}`,
      from,
      to,
      failed: failureOf(result),
      attributes: {
        'mailroom.run': this.#run,
        'mailroom.step': path,
        'mailroom.attempt': number,
        'mailroom.iteration': iteration,
        ...(check > 0 && { 'mailroom.check': check }),
        ...(provider !== null &&
          agent !== null &&
          result !== null &&
          agentAttributes(provider, agent, result)),
        ...(result?.exitCode != null && { 'process.exit.code': result.exitCode }),
      },
    });
  }

  /** The agent of the configuration that does a step; null: none does. */
  #agentOf(state: RunState, path: string): string | null {
    const work = findStep(state, this.#rules, path)?.rule.step.work;
    return work?.kind === 'agent' ? (work.profile?.name ?? null) : null;
  }

  #idOf({ path, iteration, attempt, check }: ProcessKey): string {
    return spanIdOf(this.#run, path, iteration, attempt, check);
  }

  #idOfStep(path: string): string {
    return spanIdOf(this.#run, path);
  }

  /** All spans, with those of steps that have ended since a time. */
  all(state: RunState, since: number): TraceSpan[] {
    const steps = [...state.steps.values()].flatMap((step) => this.#step(state, step, since) ?? []);
    return [...this.#spans, ...steps, this.#whole(state)];
  }

  #step(state: RunState, step: StepRun, since: number): TraceSpan | null {
    const { path, phase, startedAt, settledAt, cost, attempts } = step;
    if (phase.is !== 'settled' || startedAt === null || settledAt === null || settledAt < since) return null;
    const around = enclosing(path).find((each) => state.steps.has(each));
    return {
      trace: this.#trace,
      id: this.#idOfStep(path),
      parent: around === undefined ? spanIdOf(this.#run) : this.#idOfStep(around),
      name: `step ${step.step}`,
      from: startedAt,
      to: settledAt,
      failed: phase.status === 'SUCCEEDED' ? null : phase.reason,
      attributes: {
        'mailroom.run': this.#run,
        'mailroom.step': path,
        'mailroom.status': phase.status,
        'mailroom.attempts': attempts,
        ...paid(cost),
      },
    };
  }

  #whole({ given, startedAt, endedAt, now, status, reason, cost }: RunState): TraceSpan {
    const { workflow = '', version = '' } = given ?? {};
    return {
      trace: this.#trace,
      id: spanIdOf(this.#run),
      parent: null,
      name: `invoke_workflow ${workflow}`,
      from: startedAt ?? now,
      to: endedAt ?? now,
      failed:
        status === 'SUCCEEDED' ? null : (reason ?? { code: 'E_STEP', text: `the run ended as ${status}` }),
      attributes: {
        'gen_ai.operation.name': 'invoke_workflow',
        'gen_ai.agent.name': workflow,
        'mailroom.run': this.#run,
        'mailroom.workflow': workflow,
        'mailroom.version': version,
        'mailroom.status': status,
        ...paid(cost),
      },
    };
  }
}

function failureOf(result: WorkResult | null): Reason | null {
  if (result === null) return { code: 'E_CANCELLED', text: 'it was stopped' };
  return result.outcome.is === 'failed' ? result.outcome.reason : null;
}

function paid({ usd, tokens }: { readonly usd: number; readonly tokens: number }): Attributes {
  return { 'mailroom.tokens': tokens, 'mailroom.cost.usd': usd };
}

/** `each/0` and `each` for `each/0/lint`, the nearest first. */
function enclosing(path: string): string[] {
  const parts = path.split('/');
  return parts.slice(1).map((_, index) => parts.slice(0, parts.length - 1 - index).join('/'));
}
