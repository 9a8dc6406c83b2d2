import { describe, expect, it } from 'vitest';
import type { Step, Workflow } from '../../../src/workflow/model.ts';
import { DiskGuard } from '../../../src/disk/disk-guard.ts';
import { records as format } from '../../../src/languages/orchestrate/records.ts';
import { Records } from '../../../src/workflow/host/records.ts';
import { apply } from '../../../src/workflow/machine/apply.ts';
import { emptyRunState } from '../../../src/workflow/machine/state.ts';
import { effortOf } from './effort.ts';
import { step, template, tree, workflow } from './graph.ts';
import { World } from './world.ts';

const few = 100;
const many = 400;
/** By how much more an iteration may take of many than of few. */
const most = 1.3;

const anywhere = {
  success: { to: 'continue' },
  failure: { to: 'error', message: null },
  timeout: null,
} as const;
const ownWorkspace = { workspace: 'workspace', records: '.orchestrator/runs' };

/** A loop around one step, or around steps one after the other, as the languages lower them. */
const shapes: Readonly<Record<string, (count: number) => Workflow>> = {
  'for_each of the native language': (count) => graph(each(count, 'graph', [step('one')])),
  'while of the native language': (count) => graph(rounds(count, 'graph', [step('one')])),
  'for_each of orchestrate': (count) => sequence(each(count, 'sequence', [step('one', { next: anywhere })])),
  'while of orchestrate': (count) => sequence(rounds(count, 'sequence', [step('one', { next: anywhere })])),
  'for_each of orchestrate that sets context': (count) =>
    sequence(
      each(count, 'sequence', [
        step('one', { work: { kind: 'assign', values: { last: template('${{ x }}') } }, next: anywhere }),
      ]),
    ),
};

function body(kind: 'graph' | 'sequence', steps: readonly Step[]) {
  return kind === 'graph' ? ({ kind, steps } as const) : ({ kind, steps, maxVisits: 1_000 } as const);
}

function each(count: number, kind: 'graph' | 'sequence', steps: readonly Step[]): Step {
  const items = Array.from({ length: count }, (_none, index) => index);
  return step('loop', {
    work: { kind: 'for-each', items, as: 'x', concurrency: 1, body: body(kind, steps) },
  });
}

function rounds(count: number, kind: 'graph' | 'sequence', steps: readonly Step[]): Step {
  const condition = tree(`loop.iteration < ${String(count)}`);
  return step('loop', { work: { kind: 'while', condition, maxIterations: count, body: body(kind, steps) } });
}

function graph(loop: Step): Workflow {
  return workflow({ kind: 'graph', steps: [loop] });
}

function sequence(loop: Step): Workflow {
  const success = { to: 'end' } as const;
  const next = { success, failure: { to: 'error', message: null }, timeout: null } as const;
  return workflow(body('sequence', [{ ...loop, next }]), { language: 'orchestrate', ownWorkspace });
}

interface Taken {
  /** Items of lists, maps and sets that the machine goes through. */
  readonly effort: number;
  /** Bytes of the journal. */
  readonly journal: number;
  /** Bytes of `state.json`, of all that were written. */
  readonly shown: number;
}

/** What each iteration takes. Every event comes two milliseconds after the one before. */
function taken(definition: Workflow, count: number): Taken {
  const made: World[] = [];
  const effort = effortOf(() => {
    const world = new World(definition, { watched: false });
    made.push(world);
    while (world.running.length > 0) {
      world.now += 2;
      world.done(world.running[0]!);
    }
  });
  const { history, state, rules } = made[0]!;
  expect(state.status).toBe('SUCCEEDED');
  const journal = history.reduce((sum, event) => sum + JSON.stringify(event).length, 0);
  return { effort: effort / count, journal: journal / count, shown: shownBy(rules, history) / count };
}

function shownBy(rules: World['rules'], history: World['history']): number {
  let bytes = 0;
  const files = {
    state: (document: object) => {
      const size = JSON.stringify(document).length;
      bytes += size;
      return size;
    },
    lastLine: () => 0,
    log: () => {},
    printed: () => {},
    outputs: () => ({}),
  };
  const records = new Records(files, format, rules, new DiskGuard());
  const state = emptyRunState();
  for (const event of history) records.observe(apply(state, event), [event], event.at);
  return bytes;
}

describe.each(Object.entries(shapes))('%s', (_name, shape) => {
  it('takes of very many iterations no more for each than of a few', () => {
    const [before, after] = [taken(shape(few), few), taken(shape(many), many)];
    expect(after.effort / before.effort).toBeLessThan(most);
    expect(after.journal / before.journal).toBeLessThan(most);
    expect(after.journal).toBeLessThan(4_000);
    expect(after.shown).toBeLessThan(100_000);
  });
});
