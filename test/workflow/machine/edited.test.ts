import { describe, expect, it } from 'vitest';
import { editOf, resumptionOf, updated } from '../../../src/workflow/machine/resumption.ts';
import { compile } from '../../../src/workflow/machine/rules.ts';
import { placeOf } from '../../../src/workflow/files/layout.ts';
import fc, { runs } from '../../support/fast-check.ts';
import { graph, workflow } from './graph.ts';
import { graphText, sequenceText } from './random-graph.ts';
import { finish, play } from './random-run.ts';
import { World } from './world.ts';

const permanently = { class: 'NON_RETRYABLE' } as const;

/** The run of a world continues with another definition. */
function continued(before: World, text: string, options = {}): World {
  const after = new World(text, options);
  after.rewind(before.history);
  const edit = editOf(after.state, before.rules, after.rules);
  after.record({ type: 'resumed', by: 'person' });
  after.happens(updated(edit, null));
  return after;
}

/** `path does: why`, a line each. */
function explained(before: World, text: string): string[] {
  const rules = compile(workflow(graph(text)));
  const rows = resumptionOf(before.state, rules, editOf(before.state, before.rules, rules));
  return rows.map(({ path, does, why }) => `${path} ${does}: ${why}`);
}

/** Every path of its state is one of its definition. */
function expectPlaces({ state, rules }: World): void {
  for (const path of state.steps.keys()) expect(() => placeOf(rules.workflow, path)).not.toThrow();
}

const gone = 'gone: the edited workflow does not have it';

describe('a run continued with an edited workflow', () => {
  it('forgets a finished step that was renamed, and runs the new one', () => {
    const world = new World('a\nb <- a');
    world.done('a');
    world.fails('b', permanently);
    const text = 'aa\nb <- aa';
    expect(explained(world, text)).toEqual([
      'aa runs: it was not run yet',
      'b runs: FAILED: it broke',
      `a ${gone}`,
    ]);
    const after = continued(world, text, { watched: false });
    expect([after.running, after.state.steps.has('a')]).toEqual([['aa'], false]);
    finish(after);
    expect(after.statuses).toBe('aa SUCCEEDED, b SUCCEEDED');
  });

  it.each([
    ['the failed one', 'a', `a reused: SUCCEEDED|b ${gone}`, 'a SUCCEEDED'],
    ['a finished one', 'b', `b runs: FAILED: it broke|a ${gone}`, 'b SUCCEEDED'],
    ['all', 'z', `z runs: it was not run yet|a ${gone}|b ${gone}`, 'z SUCCEEDED'],
  ])('forgets a step that was removed: %s', (_, text, rows, statuses) => {
    const world = new World('a\nb');
    world.done('a');
    world.fails('b', permanently);
    expect(explained(world, text)).toEqual(rows.split('|'));
    const after = continued(world, text, { watched: false });
    finish(after);
    expect([after.statuses, after.state.status]).toEqual([statuses, 'SUCCEEDED']);
    expectPlaces(after);
  });

  it('forgets a step of a failed iteration, and runs the new one in every iteration', () => {
    const world = new World('e : each=[1,2]\n  x\n  y <- x');
    world.allDone('e/0/x', 'e/0/y', 'e/1/x');
    world.fails('e/1/y', permanently);
    const text = 'e : each=[1,2]\n  x\n  z <- x';
    expect(explained(world, text)).toContain(`e/1/y ${gone}`);
    const after = continued(world, text, { watched: false });
    expect(after.running).toEqual(['e/0/z', 'e/1/z']);
    finish(after);
    expectPlaces(after);
  });

  it('runs a loop again from its start that is not over and has other items now', () => {
    const world = new World('e : each=[1,2]\n  x\nlast <- e');
    world.done('e/0/x');
    world.fails('e/1/x', permanently);
    const text = 'e : each=[3,1,2]\n  x\nlast <- e';
    expect(explained(world, text)).toContain('e runs: changed: loop');
    const after = continued(world, text);
    for (const index of [0, 1, 2]) after.done(`e/${String(index)}/x`);
    after.done('last');
    expect(after.state.status).toBe('SUCCEEDED');
    // With the same items it continues with what is left.
    expect(continued(world, 'e : each=[1,2]\n  x : retry=1\nlast <- e').running).toEqual(['e/1/x']);
  });

  it('runs a step that was added to a finished loop, and what comes after the loop', () => {
    const world = new World('e : each=[1]\n  x\nlast <- e\nbad <- last');
    world.allDone('e/0/x', 'last');
    world.fails('bad', permanently);
    const text = 'e : each=[1]\n  xx\nlast <- e\nbad <- last';
    expect(explained(world, text)).toEqual([
      'e runs: a step in it runs again',
      'last runs: what it comes after runs again',
      'bad runs: what it comes after runs again',
      'e/0/xx runs: added: it was not run yet',
      `e/0/x ${gone}`,
    ]);
    expect(continued(world, text, { watched: false }).running).toEqual(['e/0/xx']);
  });

  it.each([
    ['a loop', 'e : each=[1]\n  x', 'e/0/x'],
    ['a sub-workflow', 'e : child\n  x', 'e/x'],
  ])('starts %s again that became a plain step', (_, text, inner) => {
    const world = new World(text);
    world.fails(inner, permanently);
    expect(explained(world, 'e')).toEqual(['e runs: changed: the kind of step']);
    const after = continued(world, 'e', { watched: false });
    expect([after.running, [...after.state.steps.keys()]]).toEqual([['e'], ['e']]);
  });

  it('does not wait for a person any more where a gate became a plain step', () => {
    const after = continued(new World('g : gate=1h'), 'g', { watched: false });
    expect(after.running).toEqual(['g']);
  });

  it.each([
    ['the step that a sequence is at', 's0 : ok=s2 fail=_error\ns2 : ok=_end fail=_error', ['s2']],
    ['all steps of a sequence', 't0 : ok=_end fail=_error', ['t0']],
    ['the sequence', 's0\nt', ['s0', 't']],
  ])('continues where %s went away', (_, text, running) => {
    const world = new World('s0 : ok=s1 fail=_error\ns1 : ok=_end fail=_error');
    world.done('s0');
    world.fails('s1', permanently);
    const after = continued(world, text, { watched: false });
    expect(after.running).toEqual(running);
    finish(after);
    expect(after.state.status).toBe('SUCCEEDED');
    expectPlaces(after);
  });

  it('of a single step runs no step that was added', () => {
    const world = new World('a\nb', { given: { only: 'b' } });
    world.fails('b', permanently);
    const after = continued(world, 'a\nb\nc', { watched: false, given: { only: 'b' } });
    expect(after.running).toEqual(['b']);
    after.done('b');
    expect(after.state.status).toBe('SUCCEEDED');
  });

  const anyText = fc.oneof(graphText, sequenceText);

  it('comes to an end, and knows only its own steps, whatever the two definitions are', () => {
    fc.assert(
      fc.property(
        anyText,
        anyText,
        fc.array(fc.nat({ max: 1_000 }), { maxLength: 60 }),
        fc.nat(),
        (before, text, tape, cut) => {
          const world = play(before, tape, { watched: false });
          world.rewind(world.history.slice(0, 1 + (cut % world.history.length)));
          const rows = explained(world, text);
          expect(new Set(rows.map((row) => row.split(' ')[0])).size).toBe(rows.length);
          const after = continued(world, text, { watched: false });
          expectPlaces(after);
          finish(after);
          expectPlaces(after);
        },
      ),
      { numRuns: runs(300) },
    );
  });
});
