import type { Json, JsonObject } from '../../kernel/json.ts';
import { isoOrNull } from '../../kernel/times.ts';
import { isIn } from '../../workflow/machine/fold/steps.ts';
import { itemScope } from '../../workflow/machine/path.ts';
import type { BodyRule, Rules } from '../../workflow/machine/rules.ts';
import { entered } from '../../workflow/machine/scope.ts';
import type { RunState, StepRun } from '../../workflow/machine/state.ts';
import type { RunStatus } from '../../workflow/machine/status.ts';
import { attemptsOf, reasonOf, statusOf } from '../../workflow/machine/view.ts';

/** The record of a run for people and other programs, as YAML: its stages with their outputs. */
export function runDocument(state: RunState, rules: Rules): string {
  return asYaml(runRecord(state, rules));
}

const runWords: Readonly<Record<RunStatus, string>> = {
  PENDING: 'pending',
  RUNNING: 'running',
  SUCCEEDED: 'success',
  FAILED: 'failed',
  TIMED_OUT: 'failed',
  CANCELLED: 'cancelled',
};

function runRecord(state: RunState, rules: Rules): JsonObject {
  const { given, startedAt, endedAt, reason } = state;
  const { workflow, root } = rules;
  const scope = state.scopes.get('');
  const stages = [...root.steps.keys()].map((id) => {
    const run = scope && entered(state, scope, id);
    const record = run === undefined ? { status: 'pending' } : stageRecord(state, run);
    return [id, { ...record, ...itemsOf(state, root.steps.get(id)?.inner ?? null, run) }] as const;
  });
  return {
    run: {
      id: given?.run ?? '',
      workflow_id: workflow.name,
      workflow_version: workflow.version,
      status: runWords[state.status],
      started_at: isoOrNull(startedAt),
      completed_at: isoOrNull(endedAt),
      ...(reason === null ? {} : { reason: reason.text }),
      parameters: { ...given?.parameters },
      stages: Object.fromEntries(stages),
    },
  };
}

/** The result of each item of a stage with items, in order. */
function itemsOf(state: RunState, inner: BodyRule | null, run: StepRun | undefined): JsonObject {
  const open = run?.open ?? null;
  const [step] = inner?.steps.keys() ?? [];
  if (run === undefined || open?.items == null || step === undefined) return {};
  const items = open.items.map((item, index): JsonObject => {
    const scope = state.scopes.get(itemScope(run.path, index));
    const done = scope && entered(state, scope, step);
    return { item, ...(done === undefined ? { status: 'pending' } : stageRecord(state, done)) };
  });
  return { items };
}

function stageRecord(state: RunState, run: StepRun): JsonObject {
  const reason = reasonOf(run);
  const { values } = run;
  // Only a gate has outputs although it failed: who rejected it, and why.
  const hasOutputs =
    isIn(run, 'settled') &&
    (['SUCCEEDED', 'INCOMPLETE'].includes(run.phase.status) || Object.keys(values).length > 0);
  const outputs = Array.isArray(values) ? [...(values as Json[])] : { ...(values as JsonObject) };
  return {
    status: statusWord(state, run),
    started_at: isoOrNull(run.startedAt),
    completed_at: isoOrNull(run.settledAt),
    attempt: attemptsOf(run),
    ...(reason === null ? {} : { reason }),
    ...(hasOutputs ? { outputs } : {}),
    ...(run.summary?.text == null ? {} : { summary: run.summary.text }),
    ...(run.result?.session ? { agent_run_id: run.result.session.id } : {}),
  };
}

function statusWord(state: RunState, run: StepRun): string {
  const status = statusOf(state, run.path);
  switch (status) {
    case 'PENDING':
    case 'READY':
      return 'pending';
    case 'RUNNING':
    case 'CHECKING':
      return 'running';
    case 'SUCCEEDED':
    case 'INCOMPLETE':
      return 'success';
    case 'FAILED':
      return isIn(run, 'settled') && run.phase.reason?.code === 'E_TIMEOUT' ? 'timed_out' : 'failed';
    case 'SKIPPED':
      return 'skipped';
    case 'CANCELLED':
      return 'cancelled';
  }
}

/** JSON as readable YAML: one key per line, strings in double quotes. */
function asYaml(value: JsonObject, indent = ''): string {
  return Object.entries(value)
    .map(([key, inner]) => {
      const name = /^[A-Za-z_][\w.-]*$/.test(key) ? key : JSON.stringify(key);
      const isMap = typeof inner === 'object' && inner !== null && !Array.isArray(inner);
      if (!isMap || Object.keys(inner).length === 0) return `${indent}${name}: ${JSON.stringify(inner)}\n`;
      return `${indent}${name}:\n${asYaml(inner, `${indent}  `)}`;
    })
    .join('');
}
