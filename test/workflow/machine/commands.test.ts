import { describe, expect, it } from 'vitest';
import { hasVerdict } from '../../../src/kernel/commands.ts';
import { refusal, type RunCommand } from '../../../src/workflow/machine/commands.ts';
import { automaticApprover } from '../../../src/workflow/reserved.ts';
import { graph, workflow } from './graph.ts';
import { World } from './world.ts';

function refused(world: World, verb: RunCommand['verb'], path = '', by = 'ada'): string | null {
  return (
    refusal(world.state, world.rules, { verb, path, by, choice: null, fields: {}, at: world.now })?.text ??
    null
  );
}

/** A gate that Ada and Grace may open, and a step that failed. */
function gated(): World {
  const { steps, ...body } = graph('ask : gate=1h\nsoft : continue\nafter <- ask');
  const [ask, ...others] = steps;
  if (ask?.work.kind !== 'gate') throw new Error('the first step is no gate');
  const work = { ...ask.work, approvers: ['ada', 'grace'] };
  const world = new World(workflow({ ...body, steps: [{ ...ask, work }, ...others] }));
  world.fails('soft');
  return world;
}

describe('a gate', () => {
  it('is opened by those who may, while it waits, once', () => {
    const world = gated();
    for (const verb of ['approve', 'reject'] as const)
      expect(refused(world, verb, 'ask', 'bob')).toBe(
        `bob must not ${verb} the gate ask: its approvers are ada, grace`,
      );
    expect(refused(world, 'reject', 'ask', 'grace')).toBeNull();
    world.judge('ask', 'approve');
    expect(refused(world, 'approve', 'ask')).toBe('ask is over already: SUCCEEDED');
  });

  it('is not answered after its time, which no host has looked at yet', () => {
    const world = gated();
    world.now += 3_600_000;
    expect(refused(world, 'approve', 'ask')).toBeNull();
    world.now += 1;
    expect(refused(world, 'approve', 'ask')).toBe('the time of the gate ask is over');
  });

  it('is answered by none in the name of its timeout', () => {
    expect(refused(new World('ask : gate=1h'), 'reject', 'ask', automaticApprover)).toBe(
      `\`${automaticApprover}\` stands for a timeout; answer under your own name`,
    );
  });

  it('is not every step, whatever has become of it', () => {
    expect(refused(gated(), 'approve', 'soft')).toBe('`soft` is not a gate; there is `ask`');
  });

  it('is named by its path: the nearest one, else those that wait, are told', () => {
    expect(refused(gated(), 'approve', 'aks')).toBe('`aks` is not a waiting gate; did you mean `ask`?');
    expect(refused(gated(), 'approve', 'production')).toBe(
      '`production` is not a waiting gate; there is `ask`',
    );
  });

  it('in a loop is named by the loop and the number of the item, too', () => {
    const world = new World('l : each=[1,2] concurrency=2\n  ask : gate=1h');
    expect(refused(world, 'approve', 'l/1/ask')).toBeNull();
    world.judge('l/1/ask', 'approve');
    expect([world.status('l/0/ask'), world.status('l/1/ask')]).toEqual(['RUNNING', 'SUCCEEDED']);
  });
});

it('only what has failed is tried again', () => {
  expect(refused(gated(), 'retry', 'soft')).toBeNull();
  expect(refused(gated(), 'retry', 'ask')).toBe('ask has not failed: there is nothing to be tried again');
  expect(refused(gated(), 'retry', 'x')).toBe('`x` is not a step that was started; there is `soft`');
});

it('nothing is tried again in a run that is being cancelled', () => {
  const world = gated();
  world.record({ type: 'cancelled', by: 'ada', command: null });
  expect(refused(world, 'retry', 'soft')).toBe('the run is being cancelled: try it again when that is over');
  world.settle();
  expect([world.state.status, refused(world, 'retry', 'soft')]).toEqual(['CANCELLED', null]);
});

it('a run is cancelled until it is over', () => {
  const world = gated();
  expect(refused(world, 'cancel')).toBeNull();
  world.happens({ type: 'cancelled', by: 'ada', command: null });
  expect(refused(world, 'cancel')).toBe('the run is over: CANCELLED');
});

describe('the commands that a run remembers', () => {
  /** As the ids of commands are, oldest first. */
  const timed = (index: number) => `01960000-${index.toString(16).padStart(4, '0')}-7000-8000-000000000000`;
  const ids = Array.from({ length: 1_100 }, (_, index) => timed(index));
  const later = timed(ids.length);

  /** A run that has refused these. */
  function remembering(those: readonly string[]): ReadonlySet<string> {
    const world = new World('a', { watched: false });
    const reason = { code: 'E_REFUSED', text: 'it is over' } as const;
    for (const id of those)
      world.record({ type: 'controlled', id, by: 'ada', verb: 'retry', refusal: reason });
    return world.state.commands;
  }

  it('are those that it has followed and those that it has refused', () => {
    const world = gated();
    world.record({ type: 'paused', on: true, by: 'ada', command: timed(1) });
    world.record({ type: 'judged', path: 'ask', choice: 'approve', ...said, command: timed(2) });
    expect([...world.state.commands]).toEqual([timed(1), timed(2)]);
    expect([...remembering([timed(3)])]).toEqual([timed(3)]);
  });

  it('are the last thousand, and an older one counts as followed', () => {
    const commands = remembering(ids);
    expect([...commands]).toEqual(ids.slice(-1_000));
    expect(ids.filter((id) => !hasVerdict(commands, id))).toEqual([]);
    expect(hasVerdict(commands, later)).toBe(false);
  });

  it('are all up to a thousand, and one that comes late is followed', () => {
    const commands = remembering(ids.slice(1, 1_000));
    expect([commands.size, hasVerdict(commands, timed(0))]).toEqual([999, false]);
  });

  it('may have ids that are no times: they hold up no other', () => {
    const repeatable = ids.map((_, index) => `once-${String(index).padStart(4, '0')}`);
    expect(hasVerdict(remembering(repeatable), later)).toBe(false);
    const both = remembering([...repeatable, later]);
    expect([timed(0), later, 'once-0999', 'once-9999'].map((id) => hasVerdict(both, id))).toEqual([
      true,
      true,
      true,
      false,
    ]);
  });
});

const said = { by: 'ada', comment: null, fields: {}, said: 0 };
