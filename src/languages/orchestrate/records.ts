import type { Json, JsonObject } from '../../kernel/json.ts';
import { setOwn } from '../../kernel/own.ts';
import type { StepPath, RunEvent } from '../../workflow/machine/event.ts';
import { isIn, type In } from '../../workflow/machine/fold/steps.ts';
import { pathIn } from '../../workflow/machine/path.ts';
import type { BodyRule, Rules } from '../../workflow/machine/rules.ts';
import type { LogLine, OutputFiles, RecordsFormat } from '../../workflow/machine/run-format.ts';
import { durationOf, exitCodeOf } from '../../workflow/machine/scope.ts';
import { lastFailure } from '../../workflow/machine/view.ts';
import type { RunState, Scope, StepRun } from '../../workflow/machine/state.ts';

/**
 * What a run shows in its folder: `state.json`, a log line per event, and logs. Times in seconds.
 */
export const records: RecordsFormat = {
  folder: '.orchestrator/runs',
  stateFile: 'state.json',
  required: ['run_id', 'workflow_name', 'status', 'started_at', 'context', 'steps'],
  state: stateDocument,
  logFile: 'logs/events.jsonl',
  log: logLines,
  numberOf: (line) => Number(/"event_seq":(\d+)/.exec(line)?.[1] ?? 0),
  output: (step, stream) => ({ file: `logs/${step}-${stream}.log`, key: `spill_${stream}_path` }),
};

/** The run and each step with a result, loops with the result of each iteration. */
function stateDocument(state: RunState, rules: Rules, outputs: OutputFiles): JsonObject {
  const { given, startedAt } = state;
  const steps: JsonObject = {};
  addSteps(state, rules.root, steps, outputs);
  return {
    run_id: given?.run ?? '',
    workflow_name: rules.workflow.name,
    status: runStatus(state),
    started_at: startedAt === null ? null : new Date(startedAt).toISOString(),
    current_step: state.scopes.get('')?.entered?.step ?? null,
    context: { ...given?.context, ...state.context },
    steps,
    ...(state.reason === null ? {} : { error: state.reason.text, error_code: state.reason.code }),
  };
}

function runStatus({ status }: RunState): string {
  if (status === 'PENDING' || status === 'RUNNING') return 'running';
  return status === 'SUCCEEDED' ? 'completed' : 'failed';
}

function addSteps(state: RunState, body: BodyRule, steps: JsonObject, outputs: OutputFiles): void {
  const scopes = [...state.scopes.values()].filter((scope) => scope.body === body.owner);
  const inLoop = body.owner !== '';
  for (const { step, inner } of body.steps.values()) {
    const runs = scopes.flatMap((scope) => latest(state, scope, step.id) ?? []);
    const last = runs.at(-1);
    if (last) {
      const own = runs.map((run, index) => ({ ...roundOf(state, run, index), ...stepRecord(state, run) }));
      const rounds = inLoop ? own : inner === null ? null : roundsIn(state, inner, last.path);
      setOwn(steps, step.id, {
        ...stepRecord(state, last),
        ...outputs(step.id),
        ...(rounds && { iterations: rounds }),
      });
    }
    if (inner !== null) addSteps(state, inner, steps, outputs);
  }
}

/** The last settled visit of a step. */
function latest(state: RunState, scope: Scope, id: string): In<'settled'> | undefined {
  for (let visit = scope.visits.get(id) ?? 1; visit > 0; visit -= 1) {
    const run = state.steps.get(pathIn(scope.path, id, visit));
    if (isIn(run, 'settled') && run.phase.skipped?.why !== 'not-asked') return run;
  }
  return undefined;
}

function stepRecord(state: RunState, run: In<'settled'>): JsonObject {
  const { status, reason } = run.phase;
  const exitCode = exitCodeOf(state, run) ?? (status === 'SUCCEEDED' ? 0 : null);
  return {
    status: status === 'SUCCEEDED' ? 'completed' : status === 'SKIPPED' ? 'skipped' : 'failed',
    exit_code: status === 'SKIPPED' ? null : exitCode,
    output: status === 'SKIPPED' ? '' : (run.result?.output ?? ''),
    duration: status === 'SKIPPED' ? 0 : inSeconds(durationOf(run)),
    ...(reason === null ? {} : { error_code: reason.code }),
  };
}

function inSeconds(milliseconds: number): number {
  return Math.round(milliseconds) / 1_000;
}

function roundOf(state: RunState, run: StepRun, index: number): JsonObject {
  const item = state.scopes.get(run.scope)?.item ?? null;
  return { index: item?.index ?? index, item: item?.value ?? null };
}

/** The result of each iteration of a loop: that of the step that ended it. */
function roundsIn(state: RunState, inner: BodyRule, loop: StepPath): Json[] {
  const scopes = [...state.scopes.values()].filter(
    (scope) => scope.body === inner.owner && scope.step === loop && scope.left !== null,
  );
  return scopes.flatMap((scope) => {
    const run = scope.entered === null ? undefined : latest(state, scope, scope.entered.step);
    if (!run) return [];
    const runs = [...inner.steps.keys()].flatMap((id) => latest(state, scope, id) ?? []);
    const began = Math.min(...runs.map(({ startedAt }) => startedAt ?? Infinity));
    const ended = Math.max(...runs.map(({ settledAt }) => settledAt ?? 0));
    const duration = Number.isFinite(began) ? inSeconds(Math.max(0, ended - began)) : 0;
    const { status, exit_code: exitCode, output } = stepRecord(state, run);
    const how = status === 'failed' ? 'failed' : 'completed';
    const result = { status: how, exit_code: exitCode ?? 0, duration, output: output ?? '' };
    return [{ ...roundOf(state, run, 0), ...result }];
  });
}

interface LogRecord {
  readonly level: 'ERROR' | 'WARNING' | 'INFO' | 'DEBUG';
  readonly event: string;
  readonly step?: string;
  readonly more?: JsonObject;
}

type Of<T extends RunEvent['type']> = Extract<RunEvent, { type: T }>;

function logLines(event: RunEvent, state: RunState): LogLine[] {
  return logRecords(event, state).map(({ level, step, event: name, more }) => {
    const attempt = step === undefined ? null : (state.steps.get(step)?.attempt ?? 1);
    return (number) => ({
      timestamp: new Date(event.at).toISOString(),
      run_id: state.given?.run ?? '',
      event_seq: number,
      level,
      ...(step === undefined ? {} : { step, attempt_id: attempt }),
      event: name,
      ...more,
    });
  });
}

function logRecords(event: RunEvent, state: RunState): LogRecord[] {
  switch (event.type) {
    case 'began':
      return [{ level: 'INFO', event: 'run_start' }];
    case 'resumed':
      return [{ level: 'INFO', event: 'run_resume' }];
    case 'started':
    case 'expanded':
      return [{ level: 'INFO', event: 'step_start', step: event.path }];
    case 'skipped':
      return [{ level: 'INFO', event: 'step_skipped', step: event.path }, ...transition(event)];
    case 'settled':
      return [...settled(event, state), ...transition(event)];
    case 'retrying':
      return [{ level: 'WARNING', event: 'step_retry', step: event.path, more: attemptFailed(event, state) }];
    case 'ended': {
      const { outcome, exitCode } = event.result;
      const timedOut = outcome.is === 'failed' && outcome.timedOut;
      const record = { level: 'WARNING', event: 'step_timeout', step: event.key.path } as const;
      return timedOut ? [{ ...record, more: { exit_code: exitCode } }] : [];
    }
    case 'looked': {
      const { file, answer } = event;
      const more = typeof answer === 'boolean' ? { file, exists: answer } : { file, files: answer.length };
      return [{ level: 'DEBUG', event: 'file_looked_for', step: event.path, more }];
    }
    case 'cancelled':
      return [{ level: 'WARNING', event: 'run_cancelled' }];
    case 'closed':
      return event.status === 'SUCCEEDED'
        ? [{ level: 'INFO', event: 'run_complete' }]
        : [{ level: 'ERROR', event: 'run_failed', more: failureOf(event) }];
    default:
      return [];
  }
}

function settled(event: Of<'settled'>, state: RunState): LogRecord[] {
  const { path, status } = event;
  const run = state.steps.get(path);
  const exitCode = run && isIn(run, 'settled') ? stepRecord(state, run)['exit_code'] : null;
  const more = { duration: run ? inSeconds(durationOf(run)) : 0, exit_code: exitCode ?? null };
  if (status === 'SUCCEEDED' || status === 'INCOMPLETE')
    return [{ level: 'INFO', event: 'step_complete', step: path, more }];
  return [{ level: 'ERROR', event: 'step_failed', step: path, more: { ...more, ...failureOf(event) } }];
}

function failureOf({ status, reason }: Pick<Of<'settled'>, 'status' | 'reason'> | Of<'closed'>): JsonObject {
  return { message: reason?.text ?? status, error_code: reason?.code ?? null };
}

/** Why an attempt is repeated; the next one overwrites this in state and logs. */
function attemptFailed({ path, what }: Of<'retrying'>, state: RunState): JsonObject {
  const failure = what === 'worker' ? lastFailure(state, path) : null;
  return failure === null
    ? {}
    : { exit_code: failure.exitCode, message: failure.reason.text, error_code: failure.reason.code };
}

/** A sequence's names for its ends. */
const endNames = {
  break: () => '_loop_break',
  continue: () => '_loop_continue',
  end: (failed: boolean) => (failed ? '_error' : '_end'),
  exit: (failed: boolean) => (failed ? '_error' : '_end'),
} as const;

function transition({ path, next }: Of<'settled'> | Of<'skipped'>): LogRecord[] {
  if (next.at === 'graph') return [];
  const target = next.at === 'step' ? next.step : endNames[next.how](next.failed !== null);
  return [{ level: 'INFO', event: 'transition', step: path, more: { target } }];
}
