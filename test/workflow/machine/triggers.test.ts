import { describe, expect, it } from 'vitest';
import type { Trigger } from '../../../src/workflow/automation.ts';
import { coolingUntil } from '../../../src/workflow/machine/triggers/decide.ts';
import { triggerStatus } from '../../../src/workflow/runs/run-status.ts';
import { tree } from './graph.ts';
import { everyMinutes, TriggerWorld } from './trigger-world.ts';

const minute = 60_000;
const sources: Trigger = {
  name: 'sources',
  kind: 'files',
  globs: ['src/**'],
  debounce: 5_000,
  cooldown: minute,
};
const head: Trigger = { name: 'head', kind: 'command', argv: ['git'], every: minute, on: 'change' };
const hook: Trigger = { name: 'hook', kind: 'webhook', path: '/hooks/ship', secret: 'KEY' };

describe('a trigger with `by: person`', () => {
  const asking: Trigger = { ...sources, by: 'person' };

  it('starts a run once a person has confirmed it, and not what was asked for since', () => {
    const world = new TriggerWorld([asking]);
    world.change('sources', 'src/a');
    world.pass(minute);
    expect(world.started).toEqual([]);
    world.said = ({ count }) => (count === 1 ? 'yes' : null);
    world.memory = { ...world.memory };
    world.change('sources', 'src/b');
    expect(world.started.map(({ count, data }) => [count, data])).toEqual([[1, { files: ['src/a'] }]]);
    world.end();
    world.said = () => null;
    world.pass(2 * minute);
    expect(world.started).toHaveLength(1);
  });

  it('forgets a run that a person has refused, and holds back no other trigger', () => {
    const world = new TriggerWorld([asking, everyMinutes('clock', 10)]);
    world.change('sources', 'src/a');
    world.pass(11 * minute);
    expect(world.started.map(({ trigger }) => trigger)).toEqual(['clock']);
    world.said = () => 'no';
    world.look();
    expect(world.memory.triggers['sources']?.waiting).toBeNull();
    world.said = () => 'yes';
    world.end();
    world.pass(minute);
    expect(world.started).toHaveLength(1);
  });
});

describe('a crontab trigger', () => {
  it('starts a run at each of its times', () => {
    const world = new TriggerWorld([everyMinutes('clock', 10)]);
    world.pass(9 * minute);
    expect(world.started).toEqual([]);
    world.pass(2 * minute);
    expect(world.started.map(({ at, data }) => [at, data])).toEqual([
      [10 * minute, { scheduled: '1970-01-01T00:10:00.000Z' }],
    ]);
    world.end();
    world.pass(10 * minute);
    expect(world.started).toHaveLength(2);
  });

  it('makes up once for what the machine slept through', () => {
    const world = new TriggerWorld([everyMinutes('clock', 10)]);
    world.now = 45 * minute;
    world.look();
    world.end();
    expect(world.started).toHaveLength(1);
    expect(world.wake).toBe(50 * minute);
  });

  it('makes up for nothing that came while there was no host', () => {
    const world = new TriggerWorld([everyMinutes('clock', 10)]);
    world.now = 45 * minute;
    world.restart();
    expect(world.started).toEqual([]);
    expect(world.wake).toBe(50 * minute);
  });

  it('takes no time twice when the clock is set back a little, and waits for none that went far away', () => {
    const world = new TriggerWorld([everyMinutes('clock', 10)]);
    world.pass(10 * minute);
    world.end();
    world.now = 10 * minute - 2_000;
    world.look();
    world.pass(5_000);
    expect(world.started).toHaveLength(1);
    world.now = 1_000_000 * minute;
    world.look();
    world.end();
    world.now = 25 * minute;
    world.look();
    expect(world.wake).toBe(30 * minute);
  });
});

describe('a files trigger', () => {
  it('starts when nothing more has changed for a while, with all that changed', () => {
    const world = new TriggerWorld([sources]);
    world.change('sources', 'src/b.ts');
    world.pass(4_000);
    world.change('sources', 'src/a.ts', 'src/b.ts');
    world.pass(4_999);
    expect(world.started).toEqual([]);
    world.pass(1);
    expect(world.started.map(({ data }) => data)).toEqual([{ files: ['src/a.ts', 'src/b.ts'] }]);
  });

  it('gathers what changes while its run continues until the cooldown after it is over', () => {
    const world = new TriggerWorld([sources]);
    world.change('sources', 'src/a.ts');
    world.pass(5_000);
    world.change('sources', 'src/b.ts');
    world.pass(10 * minute);
    expect(world.started).toHaveLength(1);
    world.end();
    world.pass(minute - 1);
    expect(world.started).toHaveLength(1);
    world.pass(1);
    expect(world.started.map(({ data }) => data['files'])).toEqual([['src/a.ts'], ['src/b.ts']]);
  });

  it('does not wait for a time before the clock was set back', () => {
    const world = new TriggerWorld([sources]);
    world.now = 1_000 * minute;
    world.change('sources', 'src/a.ts');
    world.now = minute;
    world.look();
    world.pass(5_000);
    expect(world.started).toHaveLength(1);
  });
});

const kept = {
  due: null,
  taken: null,
  changed: null,
  printed: null,
  unfiltered: null,
  ended: null,
  last: null,
  waiting: { run: 'run-1', trigger: 'hook', at: 0, count: 1, data: {} },
};

describe('a cooldown', () => {
  const cool = { cooldown: 30 * minute };
  const ran = (world: TriggerWorld) => world.started.map(({ trigger, count }) => [trigger, count]);

  it('lets times within it become one run, which begins after it', () => {
    const world = new TriggerWorld([{ ...everyMinutes('clock', 10), ...cool }]);
    world.pass(10 * minute);
    world.pass(minute);
    world.end();
    world.pass(30 * minute - 1);
    expect(ran(world)).toEqual([['clock', 1]]);
    world.pass(1);
    expect(ran(world)).toEqual([
      ['clock', 1],
      ['clock', 3],
    ]);
  });

  it('says until when what came within it waits, and nothing else', () => {
    const trigger: Trigger = { ...hook, ...cool };
    const world = new TriggerWorld([trigger]);
    const until = () => coolingUntil(trigger, world.memory, world.now);
    world.ask('hook', {});
    world.ask('hook', {});
    // It waits for the run in progress.
    expect(until()).toBeNull();
    world.pass(minute);
    world.end();
    expect(until()).toBe(31 * minute);
    world.pass(30 * minute);
    expect(until()).toBeNull();
    world.end();
    expect(until()).toBeNull();
    expect(
      triggerStatus('w.yaml', trigger, {
        holder: { triggers: true },
        changed: null,
        said: () => null,
        now: 61 * minute,
        memory: { ...world.memory, triggers: { hook: { ...kept, ended: 61 * minute } } },
      }),
    ).toMatchObject({ active: true, cools_until: '1970-01-01T01:31:00.000Z' });
  });

  it('counts for its own trigger alone', () => {
    const world = new TriggerWorld([{ ...hook, ...cool }, everyMinutes('clock', 20)]);
    world.ask('hook', {});
    world.end();
    world.ask('hook', {});
    world.pass(20 * minute);
    world.end();
    expect(ran(world)).toEqual([
      ['hook', 1],
      ['clock', 1],
    ]);
    world.pass(10 * minute);
    expect(ran(world).slice(2)).toEqual([['hook', 1]]);
  });

  it('does not wait for a time before the clock was set back', () => {
    const world = new TriggerWorld([{ ...hook, ...cool }]);
    world.now = 1_000 * minute;
    world.ask('hook', {});
    world.end();
    world.now = minute;
    world.ask('hook', {});
    world.pass(30 * minute);
    expect(ran(world)).toHaveLength(2);
  });
});

describe('a command trigger', () => {
  it('is run again and again, and starts a run when it prints something else', () => {
    const world = new TriggerWorld([head]);
    expect(world.polls).toEqual(['head']);
    world.print('head', 'one');
    world.pass(minute);
    world.print('head', 'one');
    expect(world.started).toEqual([]);
    world.pass(minute);
    world.print('head', 'two');
    expect(world.polls).toHaveLength(3);
    expect(world.started.map(({ data }) => data)).toEqual([{ output: 'two', previous: 'one' }]);
  });

  it('still knows after a restart what it printed last', () => {
    const world = new TriggerWorld([head]);
    world.print('head', 'one');
    world.restart();
    world.print('head', 'two');
    expect(world.started).toHaveLength(1);
  });

  it('starts a run at each success where that is wanted', () => {
    const world = new TriggerWorld([{ ...head, on: 'success' }]);
    world.print('head', 'one');
    expect(world.started.map(({ data }) => data)).toEqual([{ output: 'one', previous: null }]);
  });

  it('is run soon again when the clock was set back', () => {
    const world = new TriggerWorld([head]);
    world.now = 1_000 * minute;
    world.look();
    world.now = minute;
    world.look();
    expect(world.polls).toHaveLength(3);
    expect(world.wake).toBe(2 * minute);
  });
});

describe('what comes while a run continues', () => {
  it('waits once for each trigger, and what follows becomes part of it under the same run', () => {
    const world = new TriggerWorld([hook, everyMinutes('clock', 10)]);
    for (const body of ['1', '2', '3']) world.ask('hook', { body });
    world.pass(30 * minute);
    expect(world.started.map(({ trigger, count }) => [trigger, count])).toEqual([['hook', 1]]);
    const waiting = world.memory.triggers['hook']?.waiting;
    world.end();
    expect(world.started.at(-1)).toEqual({ ...waiting, count: 2, data: { body: '3' } });
    world.end();
    expect(world.started.map(({ trigger, count }) => [trigger, count]).at(-1)).toEqual(['clock', 3]);
    world.end();
    expect(world.started).toHaveLength(3);
  });

  it('is kept over the end of the host, with the run that continues', () => {
    const world = new TriggerWorld([hook]);
    world.ask('hook', { body: '1' });
    world.ask('hook', { body: '2' });
    const { going } = world.memory;
    world.restart();
    expect(world.memory.going).toEqual(going);
    expect(world.started).toHaveLength(1);
    world.end();
    expect(world.started.at(-1)?.data).toEqual({ body: '2' });
  });
});

describe('a trigger with an interval', () => {
  const often: Trigger = { name: 'often', kind: 'interval', every: 10 * minute };

  it('starts a run one interval after a host began, and each one after that', () => {
    const world = new TriggerWorld([often]);
    world.pass(10 * minute - 1);
    expect(world.started).toEqual([]);
    world.pass(1);
    expect(world.started.map(({ at, data }) => [at, data])).toEqual([
      [10 * minute, { scheduled: '1970-01-01T00:10:00.000Z' }],
    ]);
    world.end();
    world.pass(20 * minute);
    expect(world.memory.triggers['often']?.waiting).toMatchObject({ count: 1 });
  });

  it('makes up for nothing that came while there was no host, and for sleep once', () => {
    const world = new TriggerWorld([often]);
    world.now = 45 * minute;
    world.restart();
    expect(world.started).toEqual([]);
    expect(world.wake).toBe(55 * minute);
    world.now = 99 * minute;
    world.look();
    expect(world.started).toHaveLength(1);
    expect(world.wake).toBe(109 * minute);
  });

  it('waits no longer than an interval when the clock is set back', () => {
    const world = new TriggerWorld([often]);
    world.now = 1_000 * minute;
    world.look();
    world.now = 5 * minute;
    world.look();
    expect(world.wake).toBe(15 * minute);
    expect(world.started).toHaveLength(1);
  });
});

describe('a trigger with a filter', () => {
  const filtered = (text: string): Trigger => ({ ...hook, filter: tree(text) });

  it('starts a run for what its filter is true of, and forgets the rest', () => {
    const world = new TriggerWorld([filtered("trigger.ref == 'main' && trigger.kind == 'webhook'")]);
    world.ask('hook', { ref: 'topic' });
    world.ask('hook', { other: 'main' });
    expect(world.started).toEqual([]);
    world.ask('hook', { ref: 'main' });
    expect(world.started).toMatchObject([{ count: 1, data: { ref: 'main' } }]);
  });

  it('starts none when its filter cannot be evaluated, and says so until it can', () => {
    const world = new TriggerWorld([filtered('fromJSON(trigger.body).ok')]);
    world.ask('hook', { body: 'not JSON' });
    expect(world.started).toEqual([]);
    expect(world.memory.triggers['hook']?.unfiltered).toContain('fromJSON');
    world.ask('hook', { body: '{"ok": true}' });
    expect(world.started).toHaveLength(1);
    expect(world.memory.triggers['hook']?.unfiltered).toBeNull();
  });

  it('does not count what it refuses among what waits', () => {
    const world = new TriggerWorld([filtered("trigger.ref == 'main'")]);
    for (const ref of ['main', 'main', 'topic', 'main']) world.ask('hook', { ref });
    expect(world.memory.triggers['hook']?.waiting).toMatchObject({ count: 2 });
  });
});

describe('a workflow whose runs cancel older ones', () => {
  const cancelsOlder = { cancelsOlder: true };

  it('has the run in progress cancelled for the next, which starts when that has ended', () => {
    const world = new TriggerWorld([hook], cancelsOlder);
    world.ask('hook', { body: '1' });
    expect(world.next).toBeNull();
    world.ask('hook', { body: '2' });
    const { next } = world;
    expect(next).toMatchObject({ data: { body: '2' } });
    expect(world.started).toHaveLength(1);
    world.restart();
    expect(world.next).toEqual(next);
    world.end();
    expect(world.started.at(-1)).toEqual(next);
    expect(world.next).toBeNull();
  });

  it('does so for files, after the cooldown, and for what a person has confirmed, unless it is older', () => {
    const files: Trigger = { name: 'files', kind: 'files', globs: ['*'], debounce: 100, cooldown: minute };
    const asks: Trigger = { ...hook, name: 'asks', by: 'person' };
    const world = new TriggerWorld([files, asks], cancelsOlder);
    world.change('files', 'a');
    world.pass(100);
    world.ask('asks', { body: '1' });
    world.change('files', 'b');
    world.pass(100);
    expect(world.next).toMatchObject({ trigger: 'files', data: { files: ['b'] } });
    world.end();
    expect(world.started).toHaveLength(1);
    world.pass(minute);
    expect(world.started).toHaveLength(2);
    world.said = () => 'yes';
    world.look();
    expect(world.next).toBeNull();
    world.end();
    expect(world.started.at(-1)).toMatchObject({ trigger: 'asks' });
  });
});
