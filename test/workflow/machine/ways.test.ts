import { describe, expect, it } from 'vitest';
import { graph, workflow } from './graph.ts';
import { World } from './world.ts';

/** How a parent ends, and what makes it. */
const parents = {
  SUCCEEDED: ['p', (world: World) => world.done('p')],
  INCOMPLETE: [
    'p : check=1 go-on',
    (world: World) => {
      world.done('p');
      world.incomplete('p');
    },
  ],
  'FAILED, continue': ['p : continue', (world: World) => world.fails('p', { class: 'NON_RETRYABLE' })],
  'FAILED, skip_dependents': [
    'p : skip-dependents',
    (world: World) => world.fails('p', { class: 'NON_RETRYABLE' }),
  ],
  'FAILED, skip': ['p : skip', (world: World) => world.fails('p', { class: 'NON_RETRYABLE' })],
  'SKIPPED by its condition': ['p : when="false"', () => {}],
  'SKIPPED by a parent': ['q : skip-dependents\np <- q', (world: World) => world.fails('q')],
  'a gate that is rejected': ['p : gate=1h', (world: World) => world.judge('p', 'reject')],
} as const;

type Parent = keyof typeof parents;

/** Whether a child with this one parent runs; the table of docs/workflow-reference.md says the same. */
const table: Record<string, Record<Parent, boolean>> = {
  all: {
    SUCCEEDED: true,
    INCOMPLETE: true,
    'FAILED, continue': true,
    'FAILED, skip_dependents': false,
    'FAILED, skip': true,
    'SKIPPED by its condition': true,
    'SKIPPED by a parent': false,
    'a gate that is rejected': false,
  },
  one_success: {
    SUCCEEDED: true,
    INCOMPLETE: true,
    'FAILED, continue': false,
    'FAILED, skip_dependents': false,
    'FAILED, skip': false,
    'SKIPPED by its condition': false,
    'SKIPPED by a parent': false,
    'a gate that is rejected': false,
  },
  none_failed: {
    SUCCEEDED: true,
    INCOMPLETE: true,
    'FAILED, continue': false,
    'FAILED, skip_dependents': false,
    'FAILED, skip': false,
    'SKIPPED by its condition': true,
    'SKIPPED by a parent': true,
    'a gate that is rejected': false,
  },
  all_done: {
    SUCCEEDED: true,
    INCOMPLETE: true,
    'FAILED, continue': true,
    'FAILED, skip_dependents': true,
    'FAILED, skip': true,
    'SKIPPED by its condition': true,
    'SKIPPED by a parent': true,
    'a gate that is rejected': true,
  },
};

const cases = Object.entries(table).flatMap(([join, row]) =>
  Object.entries(row).map(([parent, runs]) => [join, parent as Parent, runs] as const),
);

describe('a join', () => {
  it.each(cases)('%s after a parent that is %s: the child runs: %s', (join, parent, runs) => {
    const [definition, ends] = parents[parent];
    const world = new World(`${definition}\nchild <- p : ${join}`);
    ends(world);
    expect(world.status('p')).toBe(
      parent.startsWith('a gate')
        ? 'FAILED'
        : parent.split(/[, ]/)[0]!.replace(/^FAILED$/, parent === 'FAILED, skip' ? 'SKIPPED' : 'FAILED'),
    );
    expect(world.status('child')).toBe(runs ? 'RUNNING' : 'SKIPPED');
  });

  it.each([
    ['any', true],
    ['one_success', true],
    ['none_failed', false],
    ['all_done', true],
  ])('%s of three, of which one failed, waits for all: the child runs: %s', (join, runs) => {
    const world = new World(`
      a
      b : continue
      c
      child <- a b c : ${join}
    `);
    world.done('a');
    world.fails('b', { class: 'NON_RETRYABLE' });
    expect(world.running).toEqual(['c']);
    world.done('c');
    expect(world.status('child')).toBe(runs ? 'RUNNING' : 'SKIPPED');
  });

  it('counts a parent only if its condition is true', () => {
    const world = new World(`
      a
      b
      one <- a?steps.a.values.v==1 b?steps.b.values.v==1 : one_success
      all <- a?steps.a.values.v==1 b : all_done
    `);
    world.done('a', { values: { v: 2 } });
    world.done('b', { values: { v: 1 } });
    expect(world.running).toEqual(['one']);
    expect(world.status('all')).toBe('SKIPPED');
  });
});

describe('a step that fails', () => {
  it('ends the run with its reason, also after steps that continue', () => {
    const world = new World(`
      a : continue
      b
      verdict <- a : when="steps.a.status == 'FAILED'" fails="a came to \${{ steps.a.exit_code }}"
    `);
    world.fails('a', { class: 'NON_RETRYABLE' });
    expect(world.state.status).toBe('FAILED');
    expect(world.state.reason?.text).toBe('a came to 1');
    expect(world.statuses).toBe('a FAILED, b CANCELLED, verdict FAILED');
  });

  it('is skipped where its condition is not met', () => {
    const world = new World(`a : continue\nverdict <- a : when="steps.a.status == 'FAILED'" fails="over"`);
    world.done('a');
    expect(world.state.status).toBe('SUCCEEDED');
  });

  it('says that its reason is empty', () => {
    const world = new World('a : fails="${{ steps.none.output }}"');
    expect(world.state).toMatchObject({
      status: 'FAILED',
      reason: { text: 'its `fail` gives an empty reason' },
    });
  });

  it('says that the message of an end is empty', () => {
    const definition = workflow(graph('a : ok=_end fail=_end'));
    const [a] = definition.body.steps;
    const success = { to: 'fail', message: [] } as const;
    const next = { success, failure: success, timeout: null };
    const world = new World({ ...definition, body: { ...definition.body, steps: [{ ...a!, next }] } });
    world.done('a');
    expect(world.state).toMatchObject({ status: 'FAILED', reason: { text: 'its `message` is empty' } });
  });

  it('fails its item of a loop', () => {
    const world = new World('each : each=[1,2] continue\n  a\n  no <- a : when="x == 1" fails="one is odd"');
    world.done('each/0/a');
    world.done('each/1/a');
    expect(world.status('each')).toBe('FAILED');
    expect(world.state.steps.get('each')?.phase).toMatchObject({
      reason: { text: '1 of 2 items failed, first each/0/no: one is odd' },
    });
    expect(world.state.status).toBe('SUCCEEDED');
  });

  it('ends a sequence', () => {
    const world = new World('a : ok=no fail=_end\nno : fails="done for"\nb');
    world.done('a');
    expect(world.state.status).toBe('FAILED');
    expect(world.state.reason?.text).toBe('done for');
  });
});

describe('a route', () => {
  const rounds = `
    review
    choose : route="steps.review.values.score < 3->revise; steps.review.values.score == 9->_end; publish"
    revise : ok=review fail=_error
    publish
  `;

  it('continues by the first way whose condition is true', () => {
    const world = new World(rounds);
    world.done('review', { values: { score: 1 } });
    expect(world.running).toEqual(['revise']);
    world.done('revise');
    world.done('review#2', { values: { score: 3 } });
    expect(world.running).toEqual(['publish']);
    world.done('publish');
    expect(world.state.status).toBe('SUCCEEDED');
    expect(world.statuses).not.toContain('FAILED');
  });

  it('ends the sequence where it says so', () => {
    const world = new World(rounds);
    world.done('review', { values: { score: 9 } });
    expect(world.state.status).toBe('SUCCEEDED');
    expect(world.state.steps.has('publish')).toBe(false);
  });

  it('continues with the next step where no way is taken', () => {
    const world = new World('a\nchoose : route="steps.a.values.v == 1->a"\nb');
    world.done('a');
    expect(world.running).toEqual(['b']);
  });

  it('enters no step more often than the limit', () => {
    const world = new World('a\nchoose : route="a"');
    for (const visit of ['a', 'a#2', 'a#3', 'a#4']) world.done(visit);
    expect(world.state.status).toBe('FAILED');
    expect(world.state.reason?.text).toContain('`a` was entered 4 times');
  });

  it('that ended a run as failed is chosen again on a resume, and nothing below it runs', () => {
    const world = new World('choose : route="_failed"\ndeploy');
    expect(world.state.status).toBe('FAILED');
    world.crash();
    expect(world.state.status).toBe('FAILED');
    expect(world.state.steps.has('deploy')).toBe(false);
  });

  it('that ended a run keeps its end where only what runs finally is repeated', () => {
    const world = new World('choose : route="_run"\ndeploy\nlast : finally\n  clean\n  report');
    world.done('last/clean');
    world.fails('last/report');
    expect(world.state.status).toBe('FAILED');
    world.crash();
    expect(world.running).toEqual(['last/report']);
    world.done('last/report');
    expect(world.state.status).toBe('SUCCEEDED');
    expect(world.state.steps.has('deploy')).toBe(false);
  });
});

describe('an end of the run', () => {
  const loops = {
    loop: (to: string) => `l : each=[1,2]POLICY\n  x : ok=${to} fail=_error\nnext <- l`,
    'sub-workflow': (to: string) => `l : childPOLICY\n  x : ok=${to} fail=_error\nnext <- l`,
  };

  it.each(Object.keys(loops) as (keyof typeof loops)[])(
    'in a %s of a graph is the end of that step',
    (kind) => {
      const first = kind === 'loop' ? 'l/0/x' : 'l/x';
      const play = (to: string, policy: string) => {
        const world = new World(loops[kind](to).replace('POLICY', policy));
        world.done(first);
        return world;
      };
      const ended = play('_run', '');
      expect(ended.status('l')).toBe('SUCCEEDED');
      expect(ended.running).toEqual(['next']);
      const failed = play('_failed', '');
      expect(failed.status('l')).toBe('FAILED');
      expect(failed.state.status).toBe('FAILED');
      expect(failed.status('next')).toBe('SKIPPED');
      expect(play('_failed', ' continue').running).toEqual(['next']);
      const lenient = play('_failed', ' skip-dependents');
      expect(lenient.status('next')).toBe('SKIPPED');
      expect(lenient.status('l')).toBe('FAILED');
    },
  );

  it('in a loop of a sequence ends that, also on a resume', () => {
    const world = new World(
      'l : each=[1,2] ok=next fail=_error\n  x : ok=_run fail=_error\nnext : ok=_end fail=_error\nlast : finally\n  clean',
    );
    world.done('l/0/x');
    expect(world.running).toEqual(['last/clean']);
    world.fails('last/clean');
    world.crash();
    expect(world.running).toEqual(['last/clean']);
    world.done('last/clean');
    expect(world.state.status).toBe('SUCCEEDED');
    expect(world.state.steps.has('next')).toBe(false);
  });
});
