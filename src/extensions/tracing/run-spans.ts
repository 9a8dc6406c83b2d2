import type { Cost } from '../../kernel/cost.ts';
import type { Reason } from '../../kernel/errors.ts';
import { happenings, type EndedAttempt } from '../../workflow/machine/happenings.ts';
import type { Rules } from '../../workflow/machine/rules.ts';
import { findStep } from '../../workflow/machine/scope.ts';
import type { RunState, StepRun } from '../../workflow/machine/state.ts';
import type { WorkResult } from '../../workflow/machine/work-result.ts';
import type { RunHistory } from '../../project/definition/contracts.ts';
import metadata from '../../../package.json' with { type: 'json' };
import type { EndedRun } from '../../project/definition/hooks.ts';
import { agentAttributes, spanIdOf, traceIdOf, type Attributes, type TraceSpan } from './span.ts';

/**
 * The spans of a run that has ended: of itself, and of the steps and attempts that have ended since
 * its end before. Consumes the state before its events.
 */
export function runSpans(run: string, rules: Rules, { before: state, events }: RunHistory): TraceSpan[] {
  const ends = events.flatMap((event, index) => (event.type === 'closed' ? [index] : []));
  const since = (ends.at(-2) ?? -1) + 1;
  const attempts = events.flatMap((event, index) => {
    const ended = happenings(state, event).attempts;
    return index < since
      ? []
      : ended.map((attempt) => attemptSpan(run, agentOf(state, rules, attempt), attempt));
  });
  const from = events[since]?.at ?? 0;
  const steps = [...state.steps.values()].flatMap((step) => stepSpan(run, state, step, from) ?? []);
  return [...attempts, ...steps, runSpan(run, state)];
}

/** Sends the spans of a run that has ended. Resolves to why it could not; null: it has. */
export async function sendRun(
  { run, rules, history }: EndedRun,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<string | null> {
  const { OtlpTracer } = await import('./otlp.ts');
  const tracer = new OtlpTracer(environment, metadata.version);
  tracer.send(runSpans(run, rules, history()));
  await tracer.flush();
  return tracer.problem;
}

/** The agent of an attempt: its name in the configuration, or its provider; null: none worked. */
function agentOf(state: RunState, rules: Rules, { path, provider }: EndedAttempt): string | null {
  const work = findStep(state, rules, path)?.rule.step.work;
  const profile = work?.kind === 'agent' ? work.profile : null;
  return provider === null ? null : (profile?.name ?? provider);
}

function attemptSpan(run: string, agent: string | null, ended: EndedAttempt): TraceSpan {
  const { path, iteration, attempt, check, from, to, provider, result } = ended;
  const what = check === 0 ? `attempt ${String(attempt)}` : `check ${String(check)}`;
  return {
    trace: traceIdOf(run),
    id: spanIdOf(run, path, iteration, attempt, check),
    parent: spanIdOf(run, path),
    name: agent === null ? what : `invoke_agent ${agent}`,
    from,
    to,
    failed: failureOf(result),
    attributes: {
      'mailroom.run': run,
      'mailroom.step': path,
      'mailroom.attempt': attempt,
      'mailroom.iteration': iteration,
      ...(check > 0 && { 'mailroom.check': check }),
      ...(provider !== null && agent !== null && result !== null && agentAttributes(provider, agent, result)),
      ...(result?.exitCode != null && { 'process.exit.code': result.exitCode }),
    },
  };
}

/** Null: it has not ended since a time. */
function stepSpan(run: string, { steps }: RunState, step: StepRun, since: number): TraceSpan | null {
  const { path, phase, startedAt, settledAt, cost, attempts } = step;
  if (phase.is !== 'settled' || startedAt === null || settledAt === null || settledAt < since) return null;
  const around = enclosing(path).find((each) => steps.has(each));
  return {
    trace: traceIdOf(run),
    id: spanIdOf(run, path),
    parent: around === undefined ? spanIdOf(run) : spanIdOf(run, around),
    name: `step ${step.step}`,
    from: startedAt,
    to: settledAt,
    failed: phase.status === 'SUCCEEDED' ? null : phase.reason,
    attributes: {
      'mailroom.run': run,
      'mailroom.step': path,
      'mailroom.status': phase.status,
      'mailroom.attempts': attempts,
      ...paid(cost),
    },
  };
}

function runSpan(run: string, { given, startedAt, endedAt, now, status, reason, cost }: RunState): TraceSpan {
  const { workflow = '', version = '' } = given ?? {};
  return {
    trace: traceIdOf(run),
    id: spanIdOf(run),
    parent: null,
    name: `invoke_workflow ${workflow}`,
    from: startedAt ?? now,
    to: endedAt ?? now,
    failed:
      status === 'SUCCEEDED' ? null : (reason ?? { code: 'E_STEP', text: `the run ended as ${status}` }),
    attributes: {
      'gen_ai.operation.name': 'invoke_workflow',
      'gen_ai.agent.name': workflow,
      'mailroom.run': run,
      'mailroom.workflow': workflow,
      'mailroom.version': version,
      'mailroom.status': status,
      ...paid(cost),
    },
  };
}

function failureOf(result: WorkResult | null): Reason | null {
  if (result === null) return { code: 'E_CANCELLED', text: 'it was stopped' };
  return result.outcome.is === 'failed' ? result.outcome.reason : null;
}

function paid({ usd, tokens }: Cost): Attributes {
  return { 'mailroom.tokens': tokens, 'mailroom.cost.usd': usd };
}

/** `each/0` and `each` for `each/0/lint`, the nearest first. */
function enclosing(path: string): string[] {
  const parts = path.split('/');
  return parts.slice(1).map((_, index) => parts.slice(0, parts.length - 1 - index).join('/'));
}
