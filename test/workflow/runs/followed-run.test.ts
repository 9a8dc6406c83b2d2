import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { runEventDocument, type RunEventDocument } from '../../../src/documents/runs.ts';
import { metricMeanings } from '../../../src/metrics/meanings.ts';
import { metricsOf, prometheusText, type CountedRun } from '../../../src/metrics/metrics.ts';
import { RunFacts } from '../../../src/metrics/run-facts.ts';
import { runEventsOf } from '../../../src/workflow/runs/followed-run.ts';
import { emptyRunState } from '../../../src/workflow/machine/state.ts';
import { World } from '../machine/world.ts';

const run = '01a2016e-6cf7-73bd-a8ca-4cdc87d98434';

/** The events of a run, as its stream sends them. */
function eventsOf({ history, rules }: World): RunEventDocument[] {
  const state = emptyRunState();
  return history.flatMap((event, index) =>
    runEventsOf(state, rules, { n: index + 1, event }).map((each) => runEventDocument.parse(each)),
  );
}

/** In short: what, where, and how the stage is then. */
function shortly(world: World): string[] {
  return eventsOf(world).map(({ event, stage, status }) => `${event} ${stage ?? '-'} ${status}`);
}

describe('the events of a run', () => {
  it('lead from its beginning to its end, with its progress', () => {
    const world = new World('a\nask <- a : gate=1h say="Ship it?"', { given: { run } });
    world.done('a', { usd: 0.5, tokens: 10 });
    world.judge('ask', 'approve');
    expect(shortly(world)).toEqual([
      'run_started - RUNNING',
      'stage_started a RUNNING',
      'stage_completed a SUCCEEDED',
      'gate_asked ask RUNNING',
      'gate_approved ask RUNNING',
      'stage_completed ask SUCCEEDED',
      'run_completed - SUCCEEDED',
    ]);
    const events = eventsOf(world);
    expect(events[2]).toMatchObject({ run, level: 'info', attempt: 1, progress: { completed: 1, total: 2 } });
    expect(events[3]).toMatchObject({ reason: 'Ship it?', until: expect.any(String) as string });
    expect(events[4]).toMatchObject({ by: 'ada' });
    expect(events.at(-1)).toMatchObject({ progress: { completed: 2, total: 2 } });
    const numbers = events.map(({ seq }) => seq);
    expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
  });

  it('say why a stage is tried again, fails, and is skipped', () => {
    const world = new World('a : retry=1\nb <- a', { given: { run } });
    world.fails('a', { text: 'no luck' });
    world.pass(60_000);
    world.fails('a', { text: 'no luck again' });
    const events = eventsOf(world);
    const of = (name: string) => events.filter(({ event }) => event === name);
    expect(of('stage_retry')).toMatchObject([{ stage: 'a', level: 'warning', reason: 'no luck' }]);
    expect(of('stage_failed')).toMatchObject([
      { stage: 'a', level: 'error', reason: 'no luck again', attempt: 2 },
    ]);
    expect(of('stage_skipped').map(({ stage }) => stage)).toEqual(['b']);
    expect(events.at(-1)).toMatchObject({ event: 'run_failed', level: 'error' });
  });

  it('say that nobody answered a gate in time', () => {
    const world = new World('ask : gate=1h', { given: { run } });
    world.pass(3_600_001);
    expect(shortly(world)).toContain('gate_timed_out ask FAILED');
    const rejected = new World('ask : gate=1h', { given: { run } });
    rejected.judge('ask', 'reject');
    expect(shortly(rejected)).toContain('gate_rejected ask RUNNING');
    expect(shortly(rejected)).not.toContain('gate_timed_out ask FAILED');
  });
});

function counted({ history, rules, state }: World): CountedRun {
  const facts = new RunFacts(rules);
  const fold = emptyRunState();
  for (const event of history) facts.add(fold, event);
  return { workflow: 'ship', version: '1', alive: false, facts, state };
}

/** The lines of a metric, without its name. */
function linesOf(runs: readonly CountedRun[], name: string): string[] {
  const text = prometheusText(
    metricsOf({ runs, mail: { bills: new Map() }, parked: ['claude'], streams: 2 }),
  );
  return text.split('\n').flatMap((line) => (line.startsWith(name) ? [line.slice(name.length)] : []));
}

describe('the metrics', () => {
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

it('the page of the API lists every metric with its labels, and every event', () => {
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
  for (const name of runEventDocument.shape.event.options) expect(page).toContain(`\`${name}\``);
});
