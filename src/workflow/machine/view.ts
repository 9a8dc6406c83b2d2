import type { Reason } from '../../kernel/errors.ts';
import { isoOrNull } from '../../kernel/times.ts';
import { listed } from '../../kernel/enumerate.ts';
import type { Json, JsonObject } from '../../kernel/json.ts';
import { ownValue } from '../../kernel/own.ts';
import { approvalOf } from './approval.ts';
import type { StepPath, RunEvent, SkipReason } from './event.ts';
import type { ArtifactRecord, WorkResult } from './work-result.ts';
import { commitOf } from './commits.ts';
import { isIn } from './fold/steps.ts';
import { hookWarnings } from './hooks.ts';
import { rollbackWarnings } from './rollback.ts';
import type { Work } from '../model.ts';
import { costDocument, creditOf } from './credit.ts';
import { endReason } from './end-reason.ts';
import { itemScope, pathIn } from './path.ts';
import { profileOf } from './resolve.ts';
import type { BodyRule, Rules, StepRule } from './rules.ts';
import { entered, findStep } from './scope.ts';
import type { RunState, Scope, StepRun } from './state.ts';
import type { StepStatus } from './status.ts';

/** The status of a step as files and documents show it. */
export function statusOf(state: RunState, path: StepPath): StepStatus {
  return statusIn(state, path, state.steps.get(path));
}

function statusIn(state: RunState, path: StepPath, run: StepRun | undefined): StepStatus {
  switch (run?.phase.is) {
    case undefined:
    case 'pending':
      return state.ready.has(path) ? 'READY' : 'PENDING';
    case 'waiting':
    case 'running':
    case 'ended':
    case 'asked':
    case 'judged':
    case 'open':
    case 'looking':
      return 'RUNNING';
    case 'check-waiting':
    case 'checking':
    case 'checked':
      return 'CHECKING';
    case 'settled':
      return run.phase.status;
  }
}

/** Steps that an event settled, whose `_meta.json` must be written. */
export function settledBy(event: RunEvent): readonly StepPath[] {
  switch (event.type) {
    case 'settled':
    case 'skipped':
      return [event.path];
    case 'opened':
      return event.skips;
    case 'swept':
      return [...event.skipped, ...event.cancelled];
    default:
      return [];
  }
}

/** `_workflow.json`: epoch milliseconds, and the status of each step of the run's own body. */
export function summaryOf(state: RunState, rules: Rules): JsonObject {
  const { given, startedAt, endedAt } = state;
  const root = state.scopes.get('');
  const steps = [...rules.root.steps.keys()].map((id) => {
    const run = root && entered(state, root, id);
    return [id, statusIn(state, run?.path ?? id, run)] as const;
  });
  return {
    id: given?.run ?? '',
    name: rules.workflow.name,
    version: rules.workflow.version,
    status: state.status,
    startedAt,
    completedAt: endedAt,
    wallTimeMs: startedAt === null ? null : (endedAt ?? state.now) - startedAt,
    steps: Object.fromEntries(steps),
  };
}

/** `_meta.json` of a settled step. */
export function metaOf(state: RunState, rules: Rules, path: StepPath): JsonObject {
  const run = state.steps.get(path);
  const found = findStep(state, rules, path);
  if (!run || !found) return {};
  const { step } = found.rule;
  const { startedAt, settledAt, result } = run;
  const reason = reasonOf(run);
  const approval = isIn(run, 'settled') ? approvalOf(step, run) : null;
  const commit = commitDocument(run);
  return {
    stepId: step.id,
    status: statusOf(state, path),
    startedAt,
    completedAt: settledAt,
    wallTimeMs: startedAt === null || settledAt === null ? 0 : settledAt - startedAt,
    attempts: attemptsOf(run),
    ...(step.check === null
      ? {}
      : { iterations: iterationsOf(run), maxIterations: step.check.maxIterations }),
    workerKind: step.choice === undefined ? workerKind(step.work) : 'AGENT',
    artifacts: run.artifacts.map(artifactOf),
    ...(commit === null ? {} : { commit }),
    ...(approval === null ? {} : { approval }),
    ...(reason === null ? {} : { reason }),
    ...(isIn(run, 'settled') && run.phase.class !== null ? { errorClass: run.phase.class } : {}),
    workerResult:
      result === null
        ? null
        : {
            status: result.outcome.is === 'done' ? 'SUCCEEDED' : 'FAILED',
            artifacts: result.artifacts.map(artifactOf),
            observations: observationsOf(result),
            cost: { estimatedTokens: result.usage.tokens, wallTimeMs: Math.round(result.durationMs) },
          },
  };
}

/** The last run of the worker: the files it changed, where known, and its output. */
function observationsOf({ changed, output }: WorkResult): JsonObject[] {
  const observed = {
    ...(changed && { filesChanged: [...changed.paths] }),
    ...(changed && changed.more > 0 && { moreFilesChanged: changed.more }),
    ...(output !== '' && { summary: output }),
  };
  return Object.keys(observed).length === 0 ? [] : [observed];
}

function artifactOf({ name, path, type }: ArtifactRecord): JsonObject {
  return type === null ? { name, path } : { name, path, type };
}

const providers: Readonly<Record<string, string>> = {
  claude: 'CLAUDE_CODE',
  codex: 'CODEX_CLI',
  gemini: 'GEMINI_CLI',
  opencode: 'OPENCODE',
};

/** The kind of a step's worker, in the words of the native language. */
export function workerKind(work: Work): string {
  switch (work.kind) {
    case 'agent':
      return ownValue(providers, work.provider) ?? work.provider.toUpperCase();
    case 'script':
      return 'CUSTOM';
    case 'command':
      return 'COMMAND';
    case 'role':
      return 'ROLE';
    case 'merge':
      return 'MERGE';
    case 'land':
      return 'LAND';
    case 'gate':
      return 'GATE';
    case 'for-each':
      return 'FOR_EACH';
    case 'while':
      return 'WHILE';
    case 'assign':
      return 'SET';
    case 'route':
      return 'ROUTE';
    case 'fail':
      return 'FAIL';
    case 'finally':
      return 'FINALLY';
    case 'workflow':
      return 'WORKFLOW';
  }
}

/** The current or last iteration; 0: the worker was never started. */
export function iterationsOf({ startedAt, iteration }: StepRun): number {
  return startedAt === null ? 0 : iteration;
}

/**
 * Launches of the worker in all iterations that counted (neither put back nor refused by a rate
 * limit), including the running one.
 */
export function attemptsOf(run: StepRun): number {
  return run.attempts + (isIn(run, 'running') ? 1 : 0);
}

/** Why a step ended as it did; null: no reason to report. */
export function reasonOf({ phase }: StepRun): string | null {
  if (phase.is !== 'settled') return null;
  return phase.reason?.text ?? (phase.skipped === null ? null : skipText(phase.skipped));
}

/** Why a loop has ended without an iteration; null: it has not. */
export function emptyLoop({ phase, open }: StepRun): string | null {
  if (phase.is !== 'settled' || phase.status !== 'SUCCEEDED') return null;
  if (open === null || open.items === null || open.opened > 0) return null;
  return open.bound === null ? 'no iteration: its list is empty' : 'no iteration: its condition was false';
}

export function skipText(reason: SkipReason): string {
  switch (reason.why) {
    case 'condition':
      return 'its condition was false';
    case 'dependency':
      return `\`${reason.step}\` did not let it run`;
    case 'failed':
      return `it failed: ${reason.reason.text}`;
    case 'edges':
      return reason.none === undefined
        ? 'none of its `depends_on` let it run'
        : `none of ${listed(
            reason.none.map((id) => `\`${id}\``),
            'and',
          )} let it run`;
    case 'run-ended':
      return 'the run ended first';
    case 'not-asked':
      return 'only another step was asked for';
  }
}

/** The document of `run --json` and `show --json`; times in ISO 8601. */
export function documentOf(state: RunState, rules: Rules): JsonObject {
  const { given } = state;
  const root = state.scopes.get('');
  const credit = creditOf(state);
  return {
    run: given?.run ?? '',
    workflow: rules.workflow.name,
    language: rules.workflow.language,
    status: state.status,
    reason: endReason(state),
    started_at: isoOrNull(state.startedAt),
    completed_at: isoOrNull(state.endedAt),
    cost: costDocument(state, state.cost),
    ...(credit === null
      ? {}
      : { budget: { [credit.currency]: credit.total, left: credit.total - credit.spent } }),
    warnings: warningsOf(state),
    steps: stepsOf(state, rules, rules.root, root),
  };
}

/** Warnings of a step that an event settled; see `warningsOf`. */
export function warningsOfSettled(event: RunEvent, state: RunState): string[] {
  const run = event.type === 'settled' ? state.steps.get(event.path) : undefined;
  return run === undefined ? [] : stepWarnings(run);
}

function stepWarnings(run: StepRun): string[] {
  const { path, result, summary } = run;
  const absent = missesInput(run) ? [reasonOf(run) ?? ''] : [];
  const warnings = [...absent, ...(result?.warnings ?? [])].map((warning) => `${path}: ${warning}`);
  return summary?.problem == null
    ? warnings
    : [...warnings, `${path}: its summary is missing: ${summary.problem}`];
}

/**
 * Warnings of hooks that failed, and of outputs that steps left out, lacked, or changed without
 * permission.
 */
export function warningsOf(state: RunState): string[] {
  const ofSteps = [...state.steps.values()].flatMap(stepWarnings);
  return [...hookWarnings(state), ...rollbackWarnings(state), ...ofSteps];
}

/** Whether a step did not run because a required input was absent, whatever its policy. */
function missesInput({ phase }: StepRun): boolean {
  if (phase.is !== 'settled') return false;
  const { reason, skipped } = phase;
  const cause = skipped?.why === 'failed' ? skipped.reason : reason;
  return cause?.code === 'E_VAR_MISSING';
}

function stepsOf(state: RunState, rules: Rules, body: BodyRule, scope: Scope | undefined): JsonObject {
  const entries = [...body.steps.values()].map((rule): [string, Json] => {
    const run = scope && entered(state, scope, rule.step.id);
    return [rule.step.id, stepDocument(state, rules, rule, run, scope?.path ?? '')];
  });
  return Object.fromEntries(entries);
}

/** In documents a gate that asks is not taken for a step that works. */
function shownStatus(state: RunState, path: StepPath, run: StepRun | undefined): StepStatus | 'WAITING' {
  return isIn(run, 'asked') ? 'WAITING' : statusIn(state, path, run);
}

function stepDocument(
  state: RunState,
  rules: Rules,
  rule: StepRule,
  run: StepRun | undefined,
  scope: StepPath,
): JsonObject {
  const path = run?.path ?? pathIn(scope, rule.step.id);
  const [status, agent] = [shownStatus(state, path, run), agentOf(state, rules, path)];
  if (!run) return { status, agent, host: null, attempts: 0, iterations: 0, ...emptyStep };
  const { phase } = run;
  return {
    status,
    agent,
    host: run.host ?? null,
    attempts: attemptsOf(run),
    iterations: iterationsOf(run),
    started_at: isoOrNull(run.startedAt),
    completed_at: isoOrNull(run.settledAt),
    exit_code: run.result?.exitCode ?? null,
    error_class: phase.is === 'settled' ? phase.class : null,
    error_code: phase.is === 'settled' ? (phase.reason?.code ?? null) : null,
    reason: reasonOf(run),
    values: Array.isArray(run.values) ? [...(run.values as Json[])] : { ...(run.values as JsonObject) },
    artifacts: run.artifacts.map(artifactOf),
    commit: commitDocument(run),
    cost: costDocument(state, run.cost),
    ...innerDocuments(state, rules, rule, run),
  };
}

/** The work of a step in git; null: none, or it is not over. */
function commitDocument(run: StepRun): JsonObject | null {
  const commit = commitOf(run);
  return commit && { ...commit };
}

/** The agent of the configuration that a step uses; null: none, or not chosen yet. */
export function agentOf(state: RunState, rules: Rules, path: StepPath): string | null {
  const visit = findStep(state, rules, path);
  return visit && profileOf(state, rules, visit);
}

const emptyStep = {
  started_at: null,
  completed_at: null,
  exit_code: null,
  error_class: null,
  error_code: null,
  reason: null,
  values: {},
  artifacts: [],
  commit: null,
  cost: { usd: 0, tokens: 0, unpriced: 0 },
};

/** The steps of a sub-workflow, and those of each item of a loop. */
function innerDocuments(
  state: RunState,
  rules: Rules,
  { inner }: StepRule,
  { path, open }: StepRun,
): JsonObject {
  if (inner === null || open === null) return {};
  if (open.items === null) return { steps: stepsOf(state, rules, inner, state.scopes.get(path)) };
  const items = Array.from({ length: open.opened }, (_, index) => ({
    index,
    item: open.items?.[index] ?? null,
    steps: stepsOf(state, rules, inner, state.scopes.get(itemScope(path, index))),
  }));
  return { items };
}

/** How the last worker of a step failed; null: it did not. */
export function lastFailure(
  state: RunState,
  path: StepPath,
): { readonly exitCode: number | null; readonly reason: Reason } | null {
  const result = state.steps.get(path)?.result;
  if (result == null || result.outcome.is === 'done') return null;
  return { exitCode: result.exitCode, reason: result.outcome.reason };
}
