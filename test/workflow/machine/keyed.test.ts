import { describe, expect, it } from 'vitest';
import { keysOf, numberedPath } from '../../../src/workflow/machine/keyed-path.ts';
import { World } from './world.ts';

function said(world: World, name: string): string {
  const { work } = world.launch(name);
  return work.kind === 'command' ? (work.argv[0] ?? '') : '';
}

const say = (text: string) => `say="${text.replaceAll('{{', '${{')}"`;

it('a path may name items by their keys, and a number in range is one', () => {
  const inner = '  inner : each=[1,0] concurrency=2 key="${{ x }}"\n    a';
  const keys = ['eu/west', 'us'];
  const world = new World(`each : each=${JSON.stringify(keys)} concurrency=2 key="\${{ x }}"\n${inner}`);
  const { state } = world;
  for (const [word, path] of [
    ['each/us/inner', 'each/1/inner'],
    ['each/eu/west/inner/0/a', 'each/0/inner/0/a'],
    ['each/1/inner/1/a', 'each/1/inner/1/a'],
    ['each/asia/inner', 'each/asia/inner'],
    ['other/1', 'other/1'],
  ] as const)
    expect(numberedPath(state, word)).toBe(path);
  expect(keysOf(state, 'each/1/inner/0/a')).toEqual(['us', '1']);
});

describe('a loop whose items have keys', () => {
  const definition = `
    each : each=["eu","us"] concurrency=2 continue key="\${{ x }}-1"
      a
    after <- each : ${say("{{ steps.each.values['us-1'].a.v }} {{ steps.each.errors['eu-1'] }} {{ steps.each.failed }} {{ steps.each.errors['us-1'] }}")}
  `;

  it('hands on results and errors by them', () => {
    const world = new World(definition);
    world.fails('each/0/a', { class: 'NON_RETRYABLE', text: 'no boat' });
    world.done('each/1/a', { values: { v: 7 } });
    expect(said(world, 'after')).toBe('7 no boat 1 ');
    world.done('after');
    expect(world.state.steps.get('each')?.phase).toMatchObject({
      reason: { text: '1 of 2 items failed, first each/0/a: no boat' },
    });
  });

  it('hands on values by them where all went well', () => {
    const world = new World(definition);
    world.done('each/0/a', { values: { v: 6 } });
    world.done('each/1/a', { values: { v: 7 } });
    expect(world.state.steps.get('each')?.values).toMatchObject({
      'eu-1': { a: { v: 6 } },
      'us-1': { a: { v: 7 } },
    });
    expect(said(world, 'after')).toBe('7  0 ');
  });

  it.each([
    ['[1,1]', '${{ x }}', 'two items have the key `1`'],
    ['["a",""]', '${{ x }}', 'item 1 has an empty key'],
  ])('fails before the first item if the keys of %s do not name them', (items, key, text) => {
    const world = new World(`each : each=${items} key="${key}"\n  a`);
    expect(world.state.reason?.text).toBe(text);
    expect(world.running).toEqual([]);
  });

  it('is a list without keys, with null for what went well', () => {
    const world = new World(`
      each : each=[1,2,3] concurrency=3 continue
        a
      after <- each : ${say('{{ steps.each.errors[2] }} of {{ length(steps.each.errors) }}: {{ steps.each.failed }}')}
    `);
    world.done('each/0/a');
    world.fails('each/1/a', { class: 'NON_RETRYABLE' });
    world.fails('each/2/a', { class: 'NON_RETRYABLE', text: 'sunk' });
    expect(said(world, 'after')).toBe('sunk of 3: 2');
  });

  it('counts no item as failed that was ended with the others', () => {
    const world = new World('each : each=[1,2] concurrency=2\n  a');
    world.fails('each/1/a', { class: 'NON_RETRYABLE' });
    expect(world.state.reason?.text).toBe('each/1/a: it broke');
  });
});
