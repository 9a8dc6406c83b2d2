import { describe, expect, it } from 'vitest';
import { warningsOf } from '../../../src/workflow/machine/view.ts';
import type { LaunchWork } from '../../../src/workflow/machine/launch.ts';
import { World } from './world.ts';

const minute = 60_000;

function argvOf(work: LaunchWork): readonly string[] {
  return work.kind === 'command' ? work.argv : [];
}

describe('conditions', () => {
  it('leave free what comes after, unless it is a gate', () => {
    const world = new World(`
      a
      b <- a : when="steps.a.values.v == 1"
      c <- b
      g <- a : gate=1h when="steps.a.values.v == 1"
      d <- g
    `);
    world.done('a', { values: { v: 2 } });
    expect(world.running).toEqual(['c']);
    world.done('c');
    expect(world.statuses).toBe('a SUCCEEDED, b SKIPPED, c SUCCEEDED, g SKIPPED, d SKIPPED');
    expect(world.state.status).toBe('SUCCEEDED');
  });

  const asked = `
    a
    ok <- a : gate=1h when="steps.a.values.risky"
    deploy <- a ok : when="!steps.a.values.risky || steps.ok.status == 'SUCCEEDED'"
  `;

  it('that read the status of a gate decide what its own condition means: ask only if risky', () => {
    const safe = new World(asked);
    safe.done('a', { values: { risky: false } });
    expect(safe.status('ok')).toBe('SKIPPED');
    expect(safe.running).toEqual(['deploy']);

    const risky = new World(asked);
    risky.done('a', { values: { risky: true } });
    risky.judge('ok', 'approve');
    expect(risky.running).toEqual(['deploy']);
  });

  it('open nothing behind a gate that was rejected, or never reached', () => {
    const rejected = new World(asked);
    rejected.done('a', { values: { risky: true } });
    rejected.judge('ok', 'reject');
    expect(rejected.status('deploy')).toBe('SKIPPED');

    const unreached = new World(`
      first : gate=1h
      ok <- first : gate=1h
      deploy <- ok : when="steps.ok.status == 'SKIPPED'"
    `);
    unreached.judge('first', 'reject');
    expect(unreached.statuses).toBe('first FAILED, ok SKIPPED, deploy SKIPPED');
  });

  it('that do not read its status stay behind a gate that was skipped', () => {
    const world = new World(`
      a
      ok <- a : gate=1h when="steps.a.values.risky"
      deploy <- a ok : when="!steps.a.values.risky"
    `);
    world.done('a', { values: { risky: false } });
    expect(world.statuses).toBe('a SUCCEEDED, ok SKIPPED, deploy SKIPPED');
  });

  it('read what is absent as null', () => {
    const world = new World(`
      a : continue
      b <- a : when="steps.a.values.v == null"
    `);
    world.fails('a');
    expect(world.running).toEqual(['b']);
  });

  it('of edges count where any is enough', () => {
    const world = new World(`
      a
      b
      c <- a?steps.a.values.v==1 b?steps.b.values.v==1 : any
      d <- c
    `);
    world.done('a', { values: { v: 1 } });
    expect(world.running).toEqual(['b']);
    world.done('b', { values: { v: 2 } });
    expect(world.running).toEqual(['c']);
  });

  it('of which none counts skip the step and what comes after it', () => {
    const world = new World(`
      a
      c <- a?steps.a.values.v==1 : any
      d <- c
    `);
    world.done('a');
    expect(world.statuses).toBe('a SUCCEEDED, c SKIPPED, d SKIPPED');
  });
});

describe('what is absent', () => {
  it('is empty in a text and null in an expression', () => {
    const world = new World(`
      a : continue
      b <- a : say="got \${{ steps.a.values.v }}."
      c <- a : say="\${{ steps.a.values.v == null }} \${{ parameters.p }}"
      d <- a : say="got \${{ default(steps.a.values.v, 1) }}"
      g <- a : gate=1h say="Ship \${{ steps.a.values.v }}?"
    `);
    world.fails('a');
    expect(world.running).toEqual(['b', 'c', 'd']);
    expect(world.launch('b').work).toMatchObject({ argv: ['got .'] });
    expect(world.launch('c').work).toMatchObject({ argv: ['true '] });
    expect(world.launch('d').work).toMatchObject({ argv: ['got 1'] });
    expect(world.state.steps.get('g')?.phase).toMatchObject({ is: 'asked' });
  });

  it.each([
    ['an artifact', 'b <- a : input=a', 'it requires the artifact `out` of `a`, which is absent'],
    ['a value', 'b <- a : say="${{ required(steps.a.values.v) }}"', '`steps.a.values.v` has no value'],
    ['a list', 'b <- a : each=steps.a.values.v\n  c', '`steps.a.values.v` has no value'],
    ['a variable', 'b <- a : say="${{ env.NONE }}"', '`env.NONE` has no value'],
    ['a value of the context', 'b <- a : say="${{ context.none }}"', '`context.none` has no value'],
  ])('fails the step that requires %s', (_, step, text) => {
    const world = new World(`a : continue out\n${step}`);
    world.done('a', { artifacts: [] });
    expect(world.state).toMatchObject({ status: 'FAILED', reason: { code: 'E_VAR_MISSING', text } });
    expect(world.state.steps.get('b')?.phase).toMatchObject({ status: 'FAILED', class: 'NON_RETRYABLE' });
  });

  it('is a warning of a run that continues without the step', () => {
    const world = new World('a : continue out\nb <- a : input=a continue');
    world.done('a', { artifacts: [] });
    expect(world.state.status).toBe('SUCCEEDED');
    expect(warningsOf(world.state)).toEqual(['b: it requires the artifact `out` of `a`, which is absent']);
  });
});

describe('gates', () => {
  const text = `
    a
    ship <- a : gate=1h/abort
    b <- ship
    c <- a
  `;

  it('open by an approval, once', () => {
    const world = new World(text);
    world.done('a');
    world.judge('ship', 'approve');
    expect(world.running).toEqual(['c', 'b']);
    world.judge('ship', 'reject');
    expect(world.status('ship')).toBe('SUCCEEDED');
  });

  it('that are rejected close what comes after, and fail the run when the rest is done', () => {
    const world = new World(text);
    world.done('a');
    world.judge('ship', 'reject');
    expect(world.running).toEqual(['c']);
    world.done('c');
    expect(world.statuses).toBe('a SUCCEEDED, ship FAILED, b SKIPPED, c SUCCEEDED');
    expect(world.state.status).toBe('FAILED');
  });

  it.each([
    ['abort', 'FAILED', 'c CANCELLED'],
    ['reject', 'RUNNING', 'c RUNNING'],
    ['approve', 'RUNNING', 'c RUNNING'],
  ])('whose time is over: %s', (policy, status, c) => {
    const world = new World(text.replace('abort', policy));
    world.done('a');
    world.pass(60 * minute);
    expect(world.state.status).toBe(status);
    expect(world.statuses).toContain(c);
    expect(world.status('b')).toBe(policy === 'approve' ? 'RUNNING' : 'SKIPPED');
  });

  it('count an approval that was said in time and seen late', () => {
    const world = new World(text);
    world.done('a');
    const deadline = world.now + 60 * minute;
    world.now = deadline + 5;
    world.judge('ship', 'approve', deadline - 1);
    expect(world.status('ship')).toBe('SUCCEEDED');
  });

  it('refuse an approval that was said too late', () => {
    const world = new World(text);
    world.done('a');
    world.now += 61 * minute;
    world.judge('ship', 'approve');
    expect(world.status('ship')).toBe('FAILED');
  });

  it('let the clock of the run stand still', () => {
    const world = new World('ship : gate=48h/abort', { workflow: { timeout: minute } });
    world.pass(24 * 60 * minute);
    expect(world.state.status).toBe('RUNNING');
    world.judge('ship', 'approve');
    expect(world.state.status).toBe('SUCCEEDED');
  });
});

describe('loops', () => {
  const text = `
    each : each=[1,2,3] concurrency=2
      lint
      fix <- lint : say="\${{ item }}/\${{ loop.index }}/\${{ x }}"
    after <- each : say="\${{ toJSON(steps.each.values) }}"
  `;

  it('run their steps for each item, some at once, and give their values by index', () => {
    const world = new World(text);
    expect(world.running).toEqual(['each/0/lint', 'each/1/lint']);
    world.done('each/1/lint', { values: { v: 'b' } });
    expect(world.launch('each/1/fix').work).toMatchObject({ argv: ['2/1/2'] });
    world.done('each/1/fix');
    expect(world.running).toEqual(['each/0/lint', 'each/2/lint']);
    for (const index of [0, 2]) {
      world.done(`each/${String(index)}/lint`, { values: { v: index } });
      world.done(`each/${String(index)}/fix`);
    }
    const [said] = argvOf(world.launch('after').work);
    expect(JSON.parse(said ?? '')).toMatchObject([
      { lint: { v: 0 } },
      { lint: { v: 'b' } },
      { lint: { v: 2 } },
    ]);
  });

  it('abort when an item fails', () => {
    const world = new World(text);
    world.fails('each/0/lint');
    expect(world.state.status).toBe('FAILED');
    expect(world.statuses).toBe('each FAILED, after SKIPPED');
    expect(world.status('each/1/lint')).toBe('CANCELLED');
  });

  it('start the other items after a failure with `continue`', () => {
    const world = new World(`
      each : each=[1,2] continue
        lint
      after <- each
    `);
    world.fails('each/0/lint');
    expect(world.running).toEqual(['each/1/lint']);
    world.done('each/1/lint');
    world.done('after');
    expect(world.statuses).toBe('each FAILED, after SUCCEEDED');
    expect(world.state.status).toBe('SUCCEEDED');
  });

  it('try a failed item again, and no other', () => {
    const world = new World(`
      each : each=[1,2] retry=1
        a
        b <- a
    `);
    world.done('each/0/a');
    world.fails('each/0/b');
    expect(world.running).toEqual(['each/0/b']);
    world.done('each/0/b');
    world.done('each/1/a');
    world.fails('each/1/b');
    world.fails('each/1/b');
    expect(world.state.status).toBe('FAILED');
  });

  it('take their items from an expression, and fail without a list', () => {
    const expression = `
      a
      each <- a : each="fromJSON(steps.a.values.v)"
        b
    `;
    const world = new World(expression);
    world.done('a', { values: { v: '[7]' } });
    expect(world.running).toEqual(['each/0/b']);
    const wrong = new World(expression);
    wrong.done('a', { values: { v: '{}' } });
    expect(wrong.state).toMatchObject({ status: 'FAILED', reason: { code: 'E_EXPRESSION' } });
    const none = new World(expression);
    none.done('a', { values: { v: '[]' } });
    expect(none.state.status).toBe('SUCCEEDED');
  });
});

describe('sub-workflows', () => {
  const text = `
    child : child with="\${{ 1 }}" exports=make
      make : say="p=\${{ parameters.p }}"
    after <- child : say="\${{ steps.child.artifacts.made }}"
  `;

  it('get parameters, and export artifacts', () => {
    const world = new World(text);
    expect(world.launch('child/make').work).toMatchObject({ argv: ['p=1'] });
    world.done('child/make', { artifacts: ['out'] });
    expect(world.state.steps.get('child')?.artifacts).toEqual([
      { name: 'made', path: 'made/out.txt', type: null },
    ]);
    expect(world.launch('after').work).toMatchObject({ argv: ['context/child/made/out.txt'] });
  });

  it('fail their step, whose policy counts', () => {
    const world = new World(text.replace('child with', 'child continue with'));
    world.fails('child/make');
    expect(world.statuses).toBe('child FAILED, after RUNNING');
    world.done('after');
    expect(world.state.status).toBe('SUCCEEDED');
  });

  it('end when their time is over, and not the run', () => {
    const world = new World(`
      child : child limit=1m continue
        make
      other
    `);
    world.pass(minute);
    expect(world.statuses).toBe('child FAILED, other RUNNING');
    expect(world.status('child/make')).toBe('CANCELLED');
  });

  it('bound how many of their steps run at once', () => {
    const world = new World(`
      child : child concurrency=1
        a
        b
      c
    `);
    expect(world.running).toEqual(['c', 'child/a']);
  });
});

describe('sequences', () => {
  const text = `
    build : ok=test fail=_end
    test : ok=_end fail=fix
    fix : ok=test fail=_error
  `;

  it('go where their steps point, and count visits', () => {
    const world = new World(text);
    world.done('build');
    world.fails('test');
    world.done('fix');
    expect(world.running).toEqual(['test#2']);
    world.done('test#2');
    expect(world.state.status).toBe('SUCCEEDED');
  });

  it('fail where they say so', () => {
    const world = new World(text);
    world.done('build');
    world.fails('test');
    world.fails('fix', { text: 'no way' });
    expect(world.state).toMatchObject({ status: 'FAILED', reason: { text: 'no way' } });
  });

  it('end with what is fatal, and continue with that step', () => {
    const world = new World(text);
    world.done('build');
    world.fails('test', { class: 'FATAL', text: 'disk full' });
    expect(world.state).toMatchObject({ status: 'FAILED', reason: { text: 'disk full' } });
    world.happens({ type: 'resumed', by: 'person' });
    expect(world.running).toEqual(['test']);
  });

  it('do not go round forever', () => {
    const world = new World(text);
    world.done('build');
    for (const visit of ['', '#2', '#3', '#4']) {
      world.fails(`test${visit}`);
      if (world.state.endedAt === null) world.done(`fix${visit}`);
    }
    expect(world.state).toMatchObject({ status: 'FAILED', reason: { code: 'E_STEP' } });
  });

  it('end an item, or the loop, early', () => {
    const world = new World(`
      each : each=[1,2,3]
        a : ok=_continue fail=_break
        b : ok=_end
    `);
    world.done('each/0/a');
    expect(world.running).toEqual(['each/1/a']);
    world.fails('each/1/a', { text: 'enough' });
    expect(world.state).toMatchObject({ status: 'FAILED', reason: { text: 'each/1/a: enough' } });
    expect(world.state.scopes.has('each/2')).toBe(false);
  });
});
