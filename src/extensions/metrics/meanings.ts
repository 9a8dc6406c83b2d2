interface MetricMeaning {
  readonly kind: 'counter' | 'gauge' | 'histogram';
  readonly help: string;
  readonly labels: readonly string[];
}

const stageLabels = ['workflow', 'stage'];
const billLabels = ['workflow', 'stage', 'role', 'provider', 'model'];

/** Every metric. No label holds free text. */
export const metricMeanings = {
  mailroom_runs_started_total: {
    kind: 'counter',
    help: 'Runs that have begun',
    labels: ['workflow', 'version'],
  },
  mailroom_runs_ended_total: {
    kind: 'counter',
    help: 'Runs that have ended',
    labels: ['workflow', 'version', 'status'],
  },
  mailroom_run_completion_ratio: {
    kind: 'gauge',
    help: 'Share of the ended runs that have succeeded',
    labels: ['workflow', 'version'],
  },
  mailroom_run_duration_seconds: {
    kind: 'histogram',
    help: 'From the begin of a run to its end',
    labels: ['workflow'],
  },
  mailroom_stage_duration_seconds: {
    kind: 'histogram',
    help: 'From the first start of a stage to its end',
    labels: stageLabels,
  },
  mailroom_stages_ended_total: {
    kind: 'counter',
    help: 'Stages that have ended, skipped ones too',
    labels: [...stageLabels, 'status'],
  },
  mailroom_stage_attempts_total: {
    kind: 'counter',
    help: 'Launches of the workers of a stage',
    labels: stageLabels,
  },
  mailroom_stage_retries_total: {
    kind: 'counter',
    help: 'Further attempts, by the code of the failure before',
    labels: [...stageLabels, 'code'],
  },
  mailroom_gate_wait_seconds: {
    kind: 'histogram',
    help: 'From the question of a gate to its answer, or to its deadline',
    labels: stageLabels,
  },
  mailroom_stage_overhead_seconds: {
    kind: 'histogram',
    help: 'Time of a launch that its worker did not use',
    labels: stageLabels,
  },
  mailroom_launches_total: { kind: 'counter', help: 'Launches of agents', labels: billLabels },
  mailroom_tokens_total: { kind: 'counter', help: 'Tokens of agents', labels: billLabels },
  mailroom_cost_usd_total: { kind: 'counter', help: 'Dollars of agents', labels: billLabels },
  mailroom_unpriced_launches_total: {
    kind: 'counter',
    help: 'Launches of unknown price, which count as what was reserved',
    labels: billLabels,
  },
  mailroom_budget_given_usd_total: {
    kind: 'counter',
    help: 'Budgets in dollars of the runs that have one',
    labels: ['workflow'],
  },
  mailroom_budget_used_usd_total: {
    kind: 'counter',
    help: 'What these runs have spent of them',
    labels: ['workflow'],
  },
  mailroom_stages_running: { kind: 'gauge', help: 'Stages in progress', labels: ['workflow'] },
  mailroom_stages_queued: { kind: 'gauge', help: 'Stages that wait only for a slot', labels: ['workflow'] },
  mailroom_runs_alive: { kind: 'gauge', help: 'Runs that a process hosts', labels: ['workflow'] },
  mailroom_provider_parked: {
    kind: 'gauge',
    help: 'Providers that rest at a usage limit',
    labels: ['provider'],
  },
  mailroom_controller_up: {
    kind: 'gauge',
    help: 'Whether a controller moves the mail: 1 or 0',
    labels: [],
  },
  mailroom_worker_up: {
    kind: 'gauge',
    help: 'Whether a worker has announced itself within its lease: 1 or 0',
    labels: ['host', 'worker'],
  },
  mailroom_threads: { kind: 'gauge', help: 'Threads by their state', labels: ['state'] },
  mailroom_turns_total: { kind: 'counter', help: 'Turns of a role', labels: ['role'] },
  mailroom_workflow_failed: {
    kind: 'gauge',
    help: 'Workflows whose newest ended run failed or timed out',
    labels: ['workflow'],
  },
  mailroom_role_failed: {
    kind: 'gauge',
    help: 'Roles whose newest work failed, and that nothing tries again',
    labels: ['role'],
  },
  mailroom_inbox_messages: {
    kind: 'gauge',
    help: 'Messages that wait in the inbox of a role',
    labels: ['role'],
  },
  mailroom_waiting_for_person: {
    kind: 'gauge',
    help: 'Requests, approvals, conflicts and blocked landings that wait',
    labels: ['kind'],
  },
  mailroom_waiting_for_person_oldest_seconds: {
    kind: 'gauge',
    help: 'How long the oldest of them has waited',
    labels: ['kind'],
  },
  mailroom_event_streams_open: { kind: 'gauge', help: 'Open streams of this server', labels: [] },
} as const satisfies Readonly<Record<string, MetricMeaning>>;

export type MetricName = keyof typeof metricMeanings;
