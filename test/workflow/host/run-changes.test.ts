import { describe, expect, it } from 'vitest';
import { describeOneOfRuns, describeRunEvent } from '../../../src/workflow/runs/changes.ts';
import type { RunEvent } from '../../../src/workflow/machine/event.ts';
import { World } from '../machine/world.ts';

/** All that is told of a run. */
function told(world: World): (string | undefined)[] {
  const changes = world.history.map((event) => describeRunEvent(event, world.state, world.rules));
  return changes.filter((change) => change !== null).map(({ text }) => text);
}

describe('what is reported of a run', () => {
  it('says how to open a gate, by the end of the id, and who did', () => {
    const run = '01a2016e-6cf7-73bd-a8ca-4cdc87d98434';
    const world = new World('ship : gate=1h say="Ship it?"', { given: { run } });
    world.judge('ship', 'approve');
    expect(told(world)).toEqual([
      'ship asks: Ship it? (`mailroom approve d98434 ship`)',
      'ship is approved by ada',
      'ship SUCCEEDED in 0.0s',
    ]);
  });

  it('names the approvers in the command that approves', () => {
    const world = new World('ship : gate=1h', { given: { run: '01a2016e-6cf7-73bd-a8ca-4cdc87d98434' } });
    const asked = world.history.find(({ type }) => type === 'asked') as Extract<RunEvent, { type: 'asked' }>;
    const commandFor = (...approvers: string[]) =>
      describeRunEvent({ ...asked, approvers }, world.state, world.rules)?.text.match(/`(.*)`/)?.[1];
    expect(commandFor('ada')).toBe('mailroom approve d98434 ship --as ada');
    expect(commandFor('ada', 'bob')).toBe("mailroom approve d98434 ship --as 'ada|bob'");
    expect(commandFor()).toBe('mailroom approve d98434 ship');
  });

  it('says what was refused, to whom no one may have said it', () => {
    const world = new World('a', { given: { run: '01a2016e-6cf7-73bd-a8ca-4cdc87d98434' } });
    const refusal = { code: 'E_REFUSED', text: 'a is not a waiting gate' } as const;
    world.record({ type: 'controlled', id: 'c', by: 'ada', verb: 'approve', refusal });
    const refused = 'approve by ada is refused: a is not a waiting gate';
    expect(told(world)).toEqual(['a', refused]);
    const oneOfMany = world.history.flatMap((event) => describeOneOfRuns(event, world.state)?.text ?? []);
    expect(oneOfMany.at(-1)).toBe(`run …d98434 of ${world.state.given?.workflow ?? ''}: ${refused}`);
  });

  it('gives the reason of a failure once', () => {
    const world = new World('a');
    world.fails('a', { class: 'NON_RETRYABLE', text: 'it broke' });
    expect(told(world)).toEqual(['a', 'a FAILED in 0.0s: it broke; the run ends']);
  });
});

describe('what is reported of a worker', () => {
  it('that is tried again gives the reason and the pause', () => {
    const world = new World('a : retry=1');
    world.fails('a', { text: 'exit code 1: no luck' });
    const [, again] = told(world);
    expect(again).toMatch(/^a is tried again in [\d.]+m?s: exit code 1: no luck$/);
  });

  it('that is checked asks whether it is complete', () => {
    const world = new World('a : check=2');
    world.done('a');
    expect(told(world)).toEqual(['a', 'a: is it complete?']);
  });
});

describe('what is reported of one of many runs', () => {
  const given = { run: '01a2016e-6cf7-73bd-a8ca-4cdc87d98434', trigger: { name: 'nightly' } };
  const fromAfar = ({ history, state }: World) =>
    history.flatMap((event) => describeOneOfRuns(event, state)?.text ?? []);

  it('says that it begins and why, what it asks, and how it ends; nothing of its steps', () => {
    const world = new World('a\nask <- a : gate=1h say="Ship it?"', { given, workflow: { name: 'ship' } });
    world.done('a');
    world.judge('ask', 'approve');
    expect(fromAfar(world)).toEqual([
      'run …d98434 of ship begins: nightly',
      'run …d98434 of ship: ask asks: Ship it? (`mailroom approve d98434 ask`)',
      'run …d98434 of ship: ask is approved by ada',
      'run …d98434 of ship SUCCEEDED in 0.0s',
    ]);
  });

  it('gives the reason of its failure', () => {
    const world = new World('a', { given });
    world.crash('up');
    world.fails('a', { class: 'NON_RETRYABLE', text: 'it broke' });
    expect(fromAfar(world).slice(1)).toEqual([
      expect.stringMatching(/continues$/),
      expect.stringMatching(/FAILED in 0\.0s: a: it broke$/),
    ]);
  });

  it('names the item of a loop that failed, once', () => {
    const world = new World('each : each=[1,2]\n  a', { given });
    world.done('each/0/a');
    world.fails('each/1/a', { class: 'NON_RETRYABLE', text: 'it broke' });
    expect(fromAfar(world).at(-1)).toMatch(/FAILED in 0\.0s: each\/1\/a: it broke$/);
  });
});
