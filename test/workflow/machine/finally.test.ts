import { describe, expect, it } from 'vitest';
import { World } from './world.ts';

const definition = `
  a
  b <- a
  last : finally
    clean : say="\${{ run.status }} \${{ run.reason }} \${{ join(run.failed, ', ') }} \${{ steps.a.status }}"
    report <- clean
`;

function said(world: World, name = 'last/clean'): string {
  const { work } = world.launch(name);
  return work.kind === 'command' ? (work.argv[0] ?? '') : '';
}

const ends: [string, (world: World) => void, string, string][] = [
  ['succeeds', (world) => world.allDone('a', 'b'), 'SUCCEEDED', 'SUCCEEDED   SUCCEEDED'],
  ['fails', (world) => world.fails('a'), 'FAILED', 'FAILED a: it broke a FAILED'],
  [
    'is cancelled',
    (world) => world.happens({ type: 'cancelled', by: 'ada', command: null }),
    'CANCELLED',
    'CANCELLED cancelled by ada  CANCELLED',
  ],
  [
    'times out',
    (world) => world.pass(600_000),
    'TIMED_OUT',
    'TIMED_OUT the time of the run is over  CANCELLED',
  ],
];

describe('steps that run finally', () => {
  it.each(ends)('run once when a run %s, see how, and leave its end', (_how, end, status, seen) => {
    const world = new World(definition, { workflow: { timeout: 600_000 } });
    end(world);
    expect(world.running).toEqual(['last/clean']);
    expect(said(world)).toBe(seen);
    // The time of the run does not bound them.
    world.pass(900_000);
    world.allDone('last/clean', 'last/report');
    expect(world.state.status).toBe(status);
    expect(world.status('last')).toBe('SUCCEEDED');
  });

  it.each(ends.slice(0, 2))('that fail make a run that %s fail', (how, end) => {
    const world = new World(definition);
    end(world);
    world.fails('last/clean', { text: 'no broom' });
    expect(world.state.status).toBe('FAILED');
    expect(world.state.reason?.text).toBe(how === 'fails' ? 'it broke' : 'last/clean: no broom');
    expect(world.status('last/report')).toBe('SKIPPED');
  });

  it('run whatever becomes of the others that they do not depend on', () => {
    const world = new World(
      'a\nlast : finally\n  one\n  after <- one\n  two\n  no : fails="not tidy"\n  three <- two',
    );
    world.done('a');
    world.fails('last/one', { text: 'no broom' });
    expect(world.status('last/after')).toBe('SKIPPED');
    expect(world.running).toEqual(['last/two']);
    world.done('last/two');
    world.done('last/three');
    expect(world.state.status).toBe('FAILED');
  });

  it('see what a sequence says of its end, and so does who asks why', () => {
    const clean = 'last : finally\n  clean : say="${{ run.reason }}"';
    const world = new World(`a : ok=_end fail="_failed:no \${{ steps.a.status }}"\n${clean}`);
    world.fails('a');
    expect(said(world)).toBe('no FAILED');
    world.done('last/clean');
    expect(world.state.reason?.text).toBe('no FAILED');
  });

  const newer = { type: 'cancelled', by: 'the newer run b', command: null, newer: 'b' } as const;

  it('run when a newer run cancels it, however often, and leave the end of one that has only these left', () => {
    const world = new World(definition);
    world.happens(newer);
    expect(world.running).toEqual(['last/clean']);
    world.happens(newer);
    world.allDone('last/clean', 'last/report');
    expect([world.state.status, world.state.reason?.text]).toEqual([
      'CANCELLED',
      'cancelled by the newer run b',
    ]);
    const done = new World(definition);
    done.allDone('a', 'b');
    done.happens(newer);
    done.allDone('last/clean', 'last/report');
    expect(done.state.status).toBe('SUCCEEDED');
    // Resumed, it has steps again.
    const again = new World(definition);
    again.fails('a');
    again.allDone('last/clean', 'last/report');
    again.happens({ type: 'resumed', by: 'person' });
    again.happens(newer);
    expect(again.running).toEqual(['last/clean']);
  });

  it('end when the run is cancelled while they run', () => {
    const world = new World(definition);
    world.fails('a');
    world.happens({ type: 'cancelled', by: 'ada', command: null });
    expect(world.status('last/clean')).toBe('CANCELLED');
    expect(world.state.status).toBe('FAILED');
  });

  it('begin after a sequence, wherever it ends', () => {
    const world = new World('a : ok=_end fail=_error\nb : ok=_end fail=_end\nlast : finally\n  clean');
    world.fails('a');
    expect(world.running).toEqual(['last/clean']);
    world.done('last/clean');
    expect(world.state.status).toBe('FAILED');
    expect(world.state.steps.has('b')).toBe(false);
  });

  it('run again on a resume only where what comes before them does', () => {
    const failed = new World(definition);
    failed.fails('a');
    failed.allDone('last/clean', 'last/report');
    failed.crash();
    expect(failed.running).toEqual(['a']);
    failed.allDone('a', 'b');
    expect(said(failed)).toContain('SUCCEEDED');
    failed.allDone('last/clean', 'last/report');
    expect(failed.state.status).toBe('SUCCEEDED');

    const own = new World(definition);
    own.allDone('a', 'b', 'last/clean');
    own.fails('last/report');
    own.crash();
    expect(own.running).toEqual(['last/report']);
    own.done('last/report');
    expect(own.state.status).toBe('SUCCEEDED');
  });

  const nested = `
    each : each=[1,2] concurrency=2
      sub : child
        x
        y <- x
        last : finally
          tidy : say="\${{ run.status }} \${{ steps.x.status }}"
    last : finally
      clean
  `;

  it('of sub-workflows run when the run is cancelled, before those of the run', () => {
    const world = new World(nested);
    world.happens({ type: 'cancelled', by: 'ada', command: null });
    expect(world.running).toEqual(['each/0/sub/last/tidy', 'each/1/sub/last/tidy']);
    expect(said(world, 'each/0/sub/last/tidy')).toBe('CANCELLED CANCELLED');
    world.allDone('each/0/sub/last/tidy', 'each/1/sub/last/tidy');
    expect(world.running).toEqual(['last/clean']);
    world.done('last/clean');
    expect(world.state.status).toBe('CANCELLED');
    for (const path of ['each', 'each/0/sub', 'each/1/sub']) expect(world.status(path)).toBe('CANCELLED');
  });

  it('of a sub-workflow have their own time', () => {
    const world = new World('sub : child limit=5m\n  x\n  last : finally\n    tidy');
    world.pass(300_000);
    expect(world.running).toEqual(['sub/last/tidy']);
    world.pass(300_000);
    world.done('sub/last/tidy');
    expect(world.state.steps.get('sub')?.phase).toMatchObject({ reason: { code: 'E_TIMEOUT' } });
  });

  it('are not run for one step alone', () => {
    const world = new World(definition, { given: { only: 'a' } });
    world.done('a');
    expect(world.state.status).toBe('SUCCEEDED');
    expect(world.status('last')).toBe('SKIPPED');
  });
});
