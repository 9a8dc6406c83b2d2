import type { Bill } from '../../kernel/cost.ts';
import type { MailState } from '../../mail/machine/state.ts';
import type { RunState } from '../../workflow/machine/state.ts';
import { metricMeanings, type MetricName } from './meanings.ts';
import type { InboxItem } from '../../documents/inbox.ts';
import type { Overview } from '../../documents/status.ts';
import { addDuration, bounds, noDurations, type Durations, type RunFacts } from './run-facts.ts';
import type { MetricsDocument, Sample } from './document.ts';

/** A run as the metrics count it. */
export interface CountedRun {
  readonly workflow: string;
  readonly version: string;
  readonly alive: boolean;
  readonly facts: RunFacts;
  readonly state: Pick<
    RunState,
    'status' | 'startedAt' | 'endedAt' | 'cost' | 'bills' | 'active' | 'ready' | 'given'
  >;
}

interface Counted {
  readonly runs: readonly CountedRun[];
  readonly mail: Pick<MailState, 'bills'>;
  readonly status: Pick<Overview, 'controller' | 'workers' | 'thread_counts' | 'roles'>;
  /** What people have in their inboxes. */
  readonly items: readonly Pick<InboxItem, 'kind' | 'since'>[];
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Names of providers that rest at a usage limit, of runs too. */
  readonly parked: readonly string[];
  readonly streams: number;
}

/** Everything that is counted, from the journals: a restart loses nothing. */
export function metricsOf(counted: Counted): MetricsDocument {
  const { runs, mail, parked, streams } = counted;
  const table = new Table();
  addMail(table, counted);
  const workflowOf = new Map(runs.map(({ state, workflow }) => [state.given?.run ?? '', workflow]));
  for (const run of runs) {
    addRun(table, run);
    addStages(table, run);
    for (const bill of run.state.bills.values()) addBill(table, run.workflow, bill);
  }
  addRatios(table, runs);
  addNewest(table, runs);
  // A role's launch for a step of a run is in the mail.
  for (const bills of mail.bills.values())
    for (const bill of bills.values()) addBill(table, workflowOf.get(bill.run ?? '') ?? '', bill);
  for (const provider of parked) table.add('mailroom_provider_parked', { provider }, 1);
  table.add('mailroom_event_streams_open', {}, streams);
  return table.document();
}

/** Who works, and what waits. Threads, and what waits for a person, are there also as zero. */
function addMail(table: Table, { status, items, now }: Counted): void {
  table.add('mailroom_controller_up', {}, status.controller === null ? 0 : 1);
  for (const { host, id, state } of status.workers ?? [])
    table.add('mailroom_worker_up', { host, worker: id }, state === 'silent' ? 0 : 1);
  for (const [state, count] of Object.entries(status.thread_counts))
    table.add('mailroom_threads', { state }, count);
  for (const { name: role, person, turns, inbox, standing } of status.roles) {
    if (person) continue;
    table.add('mailroom_turns_total', { role }, turns);
    table.add('mailroom_role_failed', { role }, standing.is === 'failed' ? 1 : 0);
    table.add('mailroom_inbox_messages', { role }, inbox);
  }
  for (const kind of ['request', 'approval', 'conflict', 'blocked'] as const) {
    const same = items.filter((item) => item.kind === kind);
    const ages = same.flatMap(({ since }) => (since === null ? [] : now - Date.parse(since)));
    table.add('mailroom_waiting_for_person', { kind }, same.length);
    table.add('mailroom_waiting_for_person_oldest_seconds', { kind }, Math.max(0, ...ages) / 1_000);
  }
}

function addRun(table: Table, { workflow, version, alive, state }: CountedRun): void {
  const { status, startedAt, endedAt, given, cost } = state;
  table.add('mailroom_runs_started_total', { workflow, version }, 1);
  if (endedAt !== null) {
    table.add('mailroom_runs_ended_total', { workflow, version, status: status.toLowerCase() }, 1);
    if (startedAt !== null) table.took('mailroom_run_duration_seconds', { workflow }, endedAt - startedAt);
  }
  const budget = given?.budget.usd ?? null;
  if (budget !== null) {
    table.add('mailroom_budget_given_usd_total', { workflow }, budget);
    table.add('mailroom_budget_used_usd_total', { workflow }, cost.usd);
  }
  if (endedAt !== null) return;
  table.add('mailroom_stages_running', { workflow }, state.active.size);
  table.add('mailroom_stages_queued', { workflow }, state.ready.size);
  table.add('mailroom_runs_alive', { workflow }, alive ? 1 : 0);
}

function addRatios(table: Table, runs: readonly CountedRun[]): void {
  const ended = new Map<string, CountedRun[]>();
  for (const run of runs) {
    const key = JSON.stringify([run.workflow, run.version]);
    if (run.state.endedAt !== null) ended.set(key, [...(ended.get(key) ?? []), run]);
  }
  for (const same of ended.values()) {
    const { workflow, version } = same[0]!;
    const good = same.filter(({ state }) => state.status === 'SUCCEEDED').length;
    table.add('mailroom_run_completion_ratio', { workflow, version }, good / same.length);
  }
}

/** How the newest run of each workflow ended. */
function addNewest(table: Table, runs: readonly CountedRun[]): void {
  const newest = new Map<string, CountedRun['state']>();
  for (const { workflow, state } of runs)
    if (state.endedAt !== null && state.endedAt >= (newest.get(workflow)?.endedAt ?? 0))
      newest.set(workflow, state);
  for (const [workflow, { status }] of newest)
    table.add('mailroom_workflow_failed', { workflow }, /^(?:FAILED|TIMED_OUT)$/.test(status) ? 1 : 0);
}

function addStages(table: Table, { workflow, facts }: CountedRun): void {
  for (const [stage, { ended, attempts, retries, durations, waits, overheads }] of facts.stages) {
    const labels = { workflow, stage };
    for (const [status, count] of ended)
      table.add('mailroom_stages_ended_total', { ...labels, status: status.toLowerCase() }, count);
    if (attempts > 0) table.add('mailroom_stage_attempts_total', labels, attempts);
    for (const [code, count] of retries)
      table.add('mailroom_stage_retries_total', { ...labels, code }, count);
    table.merge('mailroom_stage_duration_seconds', labels, durations);
    table.merge('mailroom_gate_wait_seconds', labels, waits);
    table.merge('mailroom_stage_overhead_seconds', labels, overheads);
  }
}

function addBill(table: Table, workflow: string, bill: Bill): void {
  const { step, role, provider, model, launches, cost } = bill;
  const labels = { workflow, stage: step ?? '', role: role ?? '', provider, model: model ?? '' };
  table.add('mailroom_launches_total', labels, launches);
  table.add('mailroom_tokens_total', labels, cost.tokens);
  table.add('mailroom_cost_usd_total', labels, cost.usd);
  table.add('mailroom_unpriced_launches_total', labels, cost.unpriced);
}

type Labels = Readonly<Record<string, string>>;

interface Row {
  readonly labels: Labels;
  value: number;
  readonly durations: Durations | null;
}

/** Sums by metric and labels. */
class Table {
  readonly #rows = new Map<MetricName, Map<string, Row>>();

  add(name: MetricName, labels: Labels, value: number): void {
    this.#row(name, labels).value += value;
  }

  took(name: MetricName, labels: Labels, milliseconds: number): void {
    addDuration(this.#row(name, labels).durations!, milliseconds);
  }

  merge(name: MetricName, labels: Labels, { count, sum, atMost }: Durations): void {
    if (count === 0) return;
    const durations = this.#row(name, labels).durations!;
    durations.count += count;
    durations.sum += sum;
    for (const [index, below] of atMost.entries()) durations.atMost[index]! += below;
  }

  #row(name: MetricName, labels: Labels): Row {
    const rows = this.#rows.get(name) ?? new Map<string, Row>();
    this.#rows.set(name, rows);
    const key = JSON.stringify(Object.values(labels));
    const isHistogram = metricMeanings[name].kind === 'histogram';
    const row = rows.get(key) ?? { labels, value: 0, durations: isHistogram ? noDurations() : null };
    rows.set(key, row);
    return row;
  }

  document(): MetricsDocument {
    const names = Object.keys(metricMeanings) as MetricName[];
    return {
      schema: 1,
      metrics: names.map((name) => {
        const { kind, help } = metricMeanings[name];
        return { name, kind, help, samples: [...(this.#rows.get(name)?.values() ?? [])].map(sampleOf) };
      }),
    };
  }
}

function sampleOf({ labels, value, durations }: Row): Sample {
  if (durations === null) return { labels, value, histogram: null };
  const { count, sum, atMost } = durations;
  const buckets = bounds.map((bound, index) => [bound, atMost[index] ?? 0] as const);
  return { labels, value: null, histogram: { count, sum, buckets } };
}

/** The same in the text format of Prometheus. */
export function prometheusText({ metrics }: MetricsDocument): string {
  return metrics
    .flatMap(({ name, kind, help, samples }) => [
      `# HELP ${name} ${help}`,
      `# TYPE ${name} ${kind}`,
      ...samples.flatMap((sample) => sampleLines(name, sample)),
    ])
    .map((line) => `${line}\n`)
    .join('');
}

function sampleLines(name: string, { labels, value, histogram }: Sample): string[] {
  if (histogram === null) return [`${name}${labelText(labels)} ${String(value)}`];
  const { count, sum, buckets } = histogram;
  const all = [...buckets.map(([bound, below]) => [String(bound), below] as const), ['+Inf', count] as const];
  return [
    ...all.map(([le, below]) => `${name}_bucket${labelText({ ...labels, le })} ${String(below)}`),
    `${name}_sum${labelText(labels)} ${String(sum)}`,
    `${name}_count${labelText(labels)} ${String(count)}`,
  ];
}

function labelText(labels: Labels): string {
  const parts = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`);
  return parts.length === 0 ? '' : `{${parts.join(',')}}`;
}

function escaped(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}
