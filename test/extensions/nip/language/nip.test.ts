import { describe, expect, it } from 'vitest';
import { nip } from './nip.ts';
import { World } from '../../../workflow/machine/world.ts';

const a = ['step', 'a', '5200', 'output:one'];
const b = ['step', 'b', '5200', 'output:two'];
const c = ['step', 'c', '5200', 'output:three'];

/** What a role is given for a step. */
function given(world: World, step: string): unknown {
  const { work } = world.launch(step);
  const text = work.kind === 'role' ? work.instructions : '';
  return JSON.parse(/```json\n(.*)\n```$/s.exec(text)?.[1] ?? 'null');
}

describe('the inputs of a step', () => {
  const input = ['input', 'text', 'string', 'true'];
  const optional = ['input', 'more', 'object'];

  it.each<[string, unknown]>([
    ['input:$input.text', { text: 'hello' }],
    ['input:words=$input.text', { words: 'hello' }],
    ['input:$one', { one: { list: [1, { deep: 'x' }], flag: false } }],
    ['input:$one.list[1].deep', { deep: 'x' }],
    ["input:$one['list'][0]", { list: 1 }],
    ['input:$.one.flag', { flag: false }],
    ['input:$one.constructor', { constructor: null }],
    ['input:$one.list.length', { length: null }],
    ['input:$input.more', { more: null }],
    ['input:all=$input', { all: { text: 'hello' } }],
    ['input:plain words', { input: 'plain words' }],
    ['input:count=7', { count: 7 }],
    ['input:which=[1,"two"]', { which: [1, 'two'] }],
    ['input:text="7"', { text: '7' }],
  ])('%s', (part, expected) => {
    const steps = [a, ['step', 'b', '5200', part, 'output:two'], ['edge', 'a', 'b', 'always']];
    const world = new World(nip(...steps, input, optional), { given: { parameters: { text: 'hello' } } });
    world.done('a', { values: { one: { list: [1, { deep: 'x' }], flag: false } } });
    expect(given(world, 'b')).toEqual(expected);
  });

  it('of a step that was skipped are null', () => {
    const skipped = [...a, 'policy:skip'];
    const world = new World(
      nip(skipped, ['step', 'b', '5200', 'input:$one', 'output:two'], ['edge', 'a', 'b']),
    );
    world.fails('a', { class: 'NON_RETRYABLE', text: 'no' });
    expect(world.status('a')).toBe('SKIPPED');
    expect(given(world, 'b')).toEqual({ one: null });
    world.done('b');
    expect(world.state.status).toBe('SUCCEEDED');
  });

  it('are those of the branch that ran, where several make them', () => {
    const x = ['step', 'x', '5200', 'output:same'];
    const y = ['step', 'y', '5200', 'output:same'];
    const end = ['step', 'end', '5200', 'input:$same', 'output:end'];
    const edges = [
      ['edge', 'a', 'x', '$one.big == true'],
      ['edge', 'a', 'y', '!$one.big'],
      ['edge', 'x', 'end'],
      ['edge', 'y', 'end'],
    ];
    const world = new World(nip(a, x, y, end, ...edges));
    world.done('a', { values: { one: { big: true } } });
    expect(world.running).toEqual(['x']);
    world.done('x', { values: { same: 'from x' } });
    expect(world.status('y')).toBe('SKIPPED');
    expect(given(world, 'end')).toEqual({ same: 'from x' });
  });
});

describe('a condition', () => {
  const one = { n: 5, s: 'yes', t: true, z: 0, list: [1, 2], none: null };

  it.each<[string, boolean]>([
    ['always', true],
    ['$.one.n == 5', true],
    ['$one.n != 5', false],
    ['$.one.n > 4.5', true],
    ['$.one.n >= 6', false],
    ['$.one.n < 6', true],
    ['$.one.n <= 5', true],
    ['$.one.n == "5"', false],
    ["$.one.s == 'yes'", true],
    ['$.one.s == "yes"', true],
    ['$.one.s == yes', true],
    ['$.one.s == YES', false],
    ['$.one.t', true],
    ['$.one.z', false],
    ['!$.one.z', true],
    ['$.one.t == true && $.one.n > 4', true],
    ['$.one.z || $.one.n == 5', true],
    ['!($.one.t && $.one.z)', true],
    ['$.one.list[1] == 2', true],
    ['$.one.list[7] == 2', false],
    ['$.one.missing', false],
    ['$.one.missing.deeper == 1', false],
    ['$.one.missing > 0', false],
    ['!$.one.missing', true],
    ['$.one.__proto__', false],
    ['$.input.limit < $.one.n', true],
  ])('%s is %s', (condition, holds) => {
    const input = ['input', 'limit', 'number', 'true'];
    const workflow = nip(a, b, ['edge', 'a', 'b', condition], input);
    const world = new World(workflow, { given: { parameters: { limit: 3 } } });
    world.done('a', { values: { one } });
    expect(world.running).toEqual(holds ? ['b'] : []);
    expect(world.status('b')).toBe(holds ? 'RUNNING' : 'SKIPPED');
  });
});

describe('edges', () => {
  it('let what does not depend on each other run at once, and wait for all sources', () => {
    const world = new World(nip(a, b, c, ['edge', 'a', 'c'], ['edge', 'b', 'c', '$two.go']));
    expect(world.running).toEqual(['a', 'b']);
    world.done('a');
    expect(world.running).toEqual(['b']);
    world.done('b', { values: { two: { go: false } } });
    expect(world.running).toEqual(['c']);
  });

  it('skip in a cascade what none of them leads to', () => {
    const d = ['step', 'd', '5200', 'output:four'];
    const edges = [
      ['edge', 'a', 'b', '$one.go'],
      ['edge', 'b', 'c', 'always'],
      ['edge', 'c', 'd', 'always'],
    ];
    const world = new World(nip(a, b, c, d, ...edges));
    world.done('a', { values: { one: 5 } });
    expect(['b', 'c', 'd'].map((id) => world.status(id))).toEqual(['SKIPPED', 'SKIPPED', 'SKIPPED']);
    expect(world.state.status).toBe('SUCCEEDED');
  });
});

describe('a failure', () => {
  it('aborts, and keeps what was done', () => {
    const world = new World(nip(a, b, c, ['edge', 'a', 'b'], ['edge', 'b', 'c']));
    world.done('a', { values: { one: 1 } });
    world.fails('b', { text: 'no' });
    expect(['a', 'b', 'c'].map((id) => world.status(id))).toEqual(['SUCCEEDED', 'FAILED', 'SKIPPED']);
    expect(world.state.status).toBe('FAILED');
    expect(world.state.steps.get('a')?.values).toEqual({ one: 1 });
  });

  it('is tried again after 1 s, 2 s, 4 s, as often as the step says, and then aborts', () => {
    const world = new World(nip([...a, 'policy:retry', 'retries:3']));
    for (const pause of [1_000, 2_000, 4_000]) {
      world.fails('a');
      world.pass(pause - 1);
      expect(world.running).toEqual([]);
      world.pass(1);
      expect(world.running).toEqual(['a']);
    }
    world.fails('a');
    expect(world.state.status).toBe('FAILED');
  });
});

describe('who does a step', () => {
  const many = (id: string, ...more: string[]) => ['step', id, '5100', `output:${id}`, ...more];
  const roleOf = (world: World, step: string) => {
    const { work } = world.launch(step);
    return work.kind === 'role' ? work.role : null;
  };

  it('is whoever has least to do', () => {
    const world = new World(nip(many('x'), many('y'), many('z'), many('w')));
    expect(['x', 'y', 'z', 'w'].map((step) => roleOf(world, step))).toEqual(['one', 'two', 'three', 'one']);
  });

  it('is the cheapest of those, as far as prices are known', () => {
    const edges = ['x', 'y', 'z'].map((step) => ['edge', step, 'last']);
    const world = new World(nip(many('x'), many('y'), many('z'), many('last'), ...edges));
    world.done('x', { usd: 0.5 });
    world.done('y', { usd: 0.2 });
    world.done('z', { usd: 0.3 });
    expect(roleOf(world, 'last')).toBe('two');
  });

  it('is another one after a failure, even one that the same would repeat', () => {
    const world = new World(nip(many('x', 'policy:retry')));
    expect(roleOf(world, 'x')).toBe('one');
    world.fails('x', { class: 'NON_RETRYABLE' });
    world.pass(1_000);
    expect(roleOf(world, 'x')).toBe('two');
    world.fails('x', { class: 'NON_RETRYABLE' });
    world.pass(2_000);
    expect(roleOf(world, 'x')).toBe('three');
    world.fails('x', { class: 'NON_RETRYABLE' });
    expect(world.state.status).toBe('FAILED');
  });
});
