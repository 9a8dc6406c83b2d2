import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { runEventDocument, type RunEventDocument } from '../../../src/documents/runs.ts';
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

it('the page of the API lists every event', () => {
  const page = readFileSync(new URL('../../../docs/http-api.md', import.meta.url), 'utf8');
  for (const name of runEventDocument.shape.event.options) expect(page).toContain(`\`${name}\``);
});
