import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { metricMeanings } from '../../../src/extensions/metrics/meanings.ts';
import { metricsOf, prometheusText, type CountedRun } from '../../../src/extensions/metrics/metrics.ts';
import { RunFacts } from '../../../src/extensions/metrics/run-facts.ts';
import { emptyRunState } from '../../../src/workflow/machine/state.ts';
import { World } from '../../workflow/machine/world.ts';

const run = '01a2016e-6cf7-73bd-a8ca-4cdc87d98434';

function counted({ history, rules, state }: World): CountedRun {
  const facts = new RunFacts(rules);
  const fold = emptyRunState();
  for (const event of history) facts.add(fold, event);
  return { workflow: 'ship', version: '1', alive: false, facts, state };
}

type Mail = Pick<Parameters<typeof metricsOf>[0], 'status' | 'items' | 'now'>;

const nothing: Mail = {
  status: {
    controller: null,
    workers: null,
    thread_counts: { open: 0, quiet: 0, closed: 0, failed: 0 },
    roles: [],
  },
  items: [],
  now: 0,
};

/** The lines of a metric, without its name. */
function linesOf(runs: readonly CountedRun[], name: string, mail: Mail = nothing): string[] {
  const all = { runs, mail: { bills: new Map() }, parked: ['claude'], streams: 2, ...mail };
  const text = prometheusText(metricsOf(all));
  return text.split('\n').flatMap((line) => (line.startsWith(name) ? [line.slice(name.length)] : []));
}

describe('the metrics', () => {
  it('say who works, which threads failed, and what waits for a person for how long', () => {
    expect(linesOf([], 'mailroom_controller_up')).toEqual([' 0']);
    const stands = (is: 'failed' | 'done') => ({ is, word: is, for: [], until: null });
    const role = (name: string, more: object) => ({
      ...({} as Mail['status']['roles'][number]),
      name,
      person: false,
      turns: 3,
      inbox: 1,
      standing: stands('done'),
      ...more,
    });
    const controller = { pid: 1, host: 'a', since: '2026-01-01T00:00:00.000Z', triggers: true };
    const worker = { ...({} as NonNullable<Mail['status']['workers']>[number]), host: 'b', id: 'w' };
    const mail: Mail = {
      status: {
        controller,
        workers: [
          { ...worker, state: 'silent' },
          { ...worker, id: 'v', state: 'draining' },
        ],
        thread_counts: { open: 2, quiet: 0, closed: 5, failed: 1 },
        roles: [role('qa', { standing: stands('failed') }), role('lead', { person: true }), role('dev', {})],
      },
      items: [
        { kind: 'request', since: '2026-01-01T00:00:00.000Z' },
        { kind: 'request', since: '2026-01-01T01:00:00.000Z' },
        { kind: 'notice', since: null },
      ],
      now: Date.parse('2026-01-01T02:00:00.000Z'),
    };
    const lines = (name: string) => linesOf([], name, mail);
    expect(lines('mailroom_controller_up')).toEqual([' 1']);
    expect(lines('mailroom_worker_up')).toEqual(['{host="b",worker="w"} 0', '{host="b",worker="v"} 1']);
    expect(lines('mailroom_threads')).toContain('{state="failed"} 1');
    expect(lines('mailroom_turns_total')).toEqual(['{role="qa"} 3', '{role="dev"} 3']);
    expect(lines('mailroom_role_failed')).toEqual(['{role="qa"} 1', '{role="dev"} 0']);
    expect(lines('mailroom_waiting_for_person{')).toEqual([
      'kind="request"} 2',
      'kind="approval"} 0',
      'kind="conflict"} 0',
      'kind="blocked"} 0',
    ]);
    expect(lines('mailroom_waiting_for_person_oldest_seconds{kind="request"}')).toEqual([' 7200']);
  });

  it('count runs, attempts and durations', () => {
    const good = new World('a : retry=1\nask <- a : gate=1h', { given: { run } });
    good.fails('a', { text: 'no luck', code: 'E_STEP' });
    good.pass(60_000);
    good.done('a');
    good.pass(2_000);
    good.judge('ask', 'approve');
    const bad = new World('a');
    bad.fails('a', { class: 'NON_RETRYABLE', text: 'no luck' });
    const open = new World('a\nb');
    const runs = [good, bad, open].map(counted);
    expect(linesOf(runs, 'mailroom_runs_started_total')).toEqual(['{workflow="ship",version="1"} 3']);
    expect(linesOf(runs, 'mailroom_runs_ended_total')).toEqual([
      '{workflow="ship",version="1",status="succeeded"} 1',
      '{workflow="ship",version="1",status="failed"} 1',
    ]);
    // The good one ended last, in whatever order they are counted.
    expect(linesOf(runs, 'mailroom_workflow_failed')).toEqual(['{workflow="ship"} 0']);
    expect(linesOf(runs.toReversed(), 'mailroom_workflow_failed')).toEqual(['{workflow="ship"} 0']);
    expect(linesOf([counted(bad), counted(open)], 'mailroom_workflow_failed')).toEqual([
      '{workflow="ship"} 1',
    ]);
    expect(linesOf(runs, 'mailroom_run_completion_ratio')).toEqual(['{workflow="ship",version="1"} 0.5']);
    expect(linesOf(runs, 'mailroom_stage_attempts_total')).toEqual([
      '{workflow="ship",stage="a"} 4',
      '{workflow="ship",stage="b"} 1',
    ]);
    expect(linesOf(runs, 'mailroom_stage_retries_total')).toEqual([
      '{workflow="ship",stage="a",code="E_STEP"} 1',
    ]);
    expect(linesOf(runs, 'mailroom_gate_wait_seconds_count')).toEqual(['{workflow="ship",stage="ask"} 1']);
    expect(linesOf(runs, 'mailroom_gate_wait_seconds_bucket{workflow="ship",stage="ask",le="1"}')).toEqual([
      ' 0',
    ]);
    expect(linesOf(runs, 'mailroom_gate_wait_seconds_bucket{workflow="ship",stage="ask",le="5"}')).toEqual([
      ' 1',
    ]);
    expect(linesOf(runs, 'mailroom_gate_wait_seconds_bucket{workflow="ship",stage="ask",le="+Inf"}')).toEqual(
      [' 1'],
    );
    expect(linesOf(runs, 'mailroom_stages_running')).toEqual(['{workflow="ship"} 2']);
    expect(linesOf(runs, 'mailroom_provider_parked')).toEqual(['{provider="claude"} 1']);
    expect(linesOf(runs, 'mailroom_event_streams_open')).toEqual([' 2']);
  });

  it('escape what a label holds', () => {
    const world = new World('a');
    const odd = { ...counted(world), workflow: 'a"b\\c\nd' };
    expect(linesOf([odd], 'mailroom_runs_started_total')).toEqual([
      '{workflow="a\\"b\\\\c\\nd",version="1"} 1',
    ]);
  });
});

it('the page of the API lists every metric with its labels', () => {
  const page = readFileSync(new URL('../../../docs/http-api.md', import.meta.url), 'utf8');
  const rows = [...page.matchAll(/^\| `(mailroom_\w+)` *\| (.*?) *\| (.*?) \((\w+)\) *\|$/gm)];
  expect(
    rows.map(([, name, labels = '', help, kind]) => [name, labels.replaceAll('`', ''), help, kind]),
  ).toEqual(
    Object.entries(metricMeanings).map(([name, { labels, help, kind }]) => [
      name,
      labels.join(', '),
      help,
      kind,
    ]),
  );
});

it('the alerts of the service page read metrics that exist, by labels that they have', () => {
  const page = readFileSync(new URL('../../../docs/service.md', import.meta.url), 'utf8');
  const [, alerts = ''] = /```yaml\n(groups:[^]*?)```/.exec(page) ?? [];
  const { groups } = parse(alerts) as { groups: { rules: { expr: string }[] }[] };
  const read = groups.flatMap(({ rules }) =>
    rules.flatMap(({ expr }) => [...expr.matchAll(/(mailroom_\w+)(?:\{(\w+)=)?/g)]),
  );
  expect(read.length).toBeGreaterThan(3);
  const meanings = new Map(Object.entries(metricMeanings));
  for (const [, name = '', label] of read)
    expect([name, ...(meanings.get(name)?.labels ?? [])]).toEqual(
      expect.arrayContaining([name, label ?? name]),
    );
  expect(read.filter(([, name = '']) => !meanings.has(name))).toEqual([]);
});
