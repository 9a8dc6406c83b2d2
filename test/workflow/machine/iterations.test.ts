import { describe, expect, it } from 'vitest';
import { World } from './world.ts';

/* What the iterations of loops see of each other, and hand on. */

/** What a step is told to do: its only argument. */
function told(world: World, name: string): string {
  const { work } = world.launch(name);
  return work.kind === 'command' ? (work.argv[0] ?? '') : '';
}

describe('the iteration before', () => {
  const loop = `
    a : rounds=3 while="steps.review.values.v != 1"
      work : say="\${{ loop.index }}:\${{ previous.steps.review.values.v }}"
      review <- work`;

  it('is seen by the steps of the next, and absent in the first', () => {
    const world = new World(loop);
    expect(told(world, 'a/0/work')).toBe('0:');
    world.done('a/0/work');
    world.done('a/0/review', { values: { v: 7 } });
    expect(told(world, 'a/1/work')).toBe('1:7');
    world.done('a/1/work');
    world.done('a/1/review', { values: { v: 8 } });
    expect(told(world, 'a/2/work')).toBe('2:8');
  });

  it('is that of the innermost while, also in a loop inside it', () => {
    const world = new World(`
      a : rounds=2 while="true"
        each : each=[1]
          one : say="\${{ previous.steps.last.values.v }}"
        last <- each`);
    world.done('a/0/each/0/one');
    world.done('a/0/last', { values: { v: 'seen' } });
    expect(told(world, 'a/1/each/0/one')).toBe('seen');
  });

  it('has no values of a step that failed or was skipped', () => {
    const world = new World(`
      a : rounds=2 while="true"
        odd : continue
        work <- odd : say="\${{ previous.steps.odd.status }} \${{ previous.steps.odd.values.v }}"`);
    world.fails('a/0/odd', { values: { v: 1 } });
    world.done('a/0/work');
    world.done('a/1/odd');
    expect(told(world, 'a/1/work')).toBe('FAILED ');
  });
});

describe('the artifacts of a loop', () => {
  const loop = `
    each : each=[1,2,3] concurrency=3
      make : out continue
    use <- each : input=each say="\${{ toJSON(steps.each.artifacts) }}"`;

  it('are a list by iteration, and an input with a folder for each that made it', () => {
    const world = new World(loop);
    world.done('each/0/make', { artifacts: ['out'] });
    world.fails('each/1/make');
    world.done('each/2/make', { artifacts: ['out'] });
    const [first, , third] = ['context/each/0/make/out/out.txt', '', 'context/each/2/make/out/out.txt'];
    expect(JSON.parse(told(world, 'use'))).toEqual([
      { out: first, make: { out: first } },
      {},
      { out: third, make: { out: third } },
    ]);
    expect(world.launch('use').inputs).toMatchObject([
      { from: 'each/0/make', artifact: 'out', as: 'in/0' },
      { from: 'each/2/make', artifact: 'out', as: 'in/2' },
    ]);
  });

  it('are absent when no iteration made them', () => {
    const world = new World(loop);
    for (const index of [0, 1, 2]) world.fails(`each/${String(index)}/make`);
    expect(world.state.steps.get('use')).toMatchObject({ phase: { reason: { code: 'E_VAR_MISSING' } } });
  });

  it('are lists of lists of a loop inside a loop', () => {
    const world = new World(`
      outer : each=[1]
        inner : each=[1,2]
          make : out
      use <- outer : input=outer`);
    world.done('outer/0/inner/0/make', { artifacts: ['out'] });
    world.done('outer/0/inner/1/make', { artifacts: ['out'] });
    expect(world.launch('use').inputs.map(({ from, as }) => `${from} ${as}`)).toEqual([
      'outer/0/inner/0/make in/0/0',
      'outer/0/inner/1/make in/0/1',
    ]);
  });
});

it('makes a loop of the files that match, asked of the host and remembered', () => {
  const world = new World(`a : each="glob('src/*.ts')"\n  one : say="\${{ item }}"`, {
    files: ['src/b.ts', 'src/a.ts'],
  });
  expect(world.history.flatMap((event) => (event.type === 'looked' ? [event.answer] : []))).toEqual([
    ['src/a.ts', 'src/b.ts'],
  ]);
  world.files.clear();
  expect(told(world, 'a/0/one')).toBe('src/a.ts');
  world.done('a/0/one');
  expect(told(world, 'a/1/one')).toBe('src/b.ts');
});
