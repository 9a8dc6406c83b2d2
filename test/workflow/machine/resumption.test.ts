import { describe, expect, it } from 'vitest';
import { apply } from '../../../src/workflow/machine/apply.ts';
import { decide } from '../../../src/workflow/machine/decide.ts';
import type { Step, Workflow } from '../../../src/workflow/model.ts';
import { editedLimits, editOf, resumptionOf, type Edit } from '../../../src/workflow/machine/resumption.ts';
import { compile } from '../../../src/workflow/machine/rules.ts';
import { anyValue, graph, step, template, workflow } from './graph.ts';
import { World } from './world.ts';

/** `path does: why`, a line each. */
function told(world: World, edit: Edit | null = null, rules = world.rules): string[] {
  return resumptionOf(world.state, rules, edit).map(({ path, does, why }) => `${path} ${does}: ${why}`);
}

/** The run as a journal leaves it whose last event is this one of a step. */
function cut(world: World, type: 'ended' | 'settled', path: string): void {
  const last = world.history.findIndex(
    (event) => event.type === type && (event.type === 'ended' ? event.key.path : event.path) === path,
  );
  world.rewind(world.history.slice(0, last + 1));
}

/** The same definition with one step replaced or added. */
function edited(definition: Workflow, id: string, changes: Partial<Step>): Workflow {
  const { body } = definition;
  const known = body.steps.find((each) => each.id === id) ?? step(id);
  const others = body.steps.filter((each) => each.id !== id);
  return { ...definition, body: { ...body, steps: [...others, { ...known, ...changes }] } };
}

describe('continuing with a run', () => {
  it('says what is reused, what runs, and why', () => {
    const world = new World(`
      a
      n : when="1 == 2"
      o : continue
      b <- a
      c <- b
    `);
    world.done('a');
    world.fails('o', { text: 'gone' });
    world.fails('b', { class: 'NON_RETRYABLE', text: 'it broke' });
    expect(told(world)).toEqual([
      'a reused: SUCCEEDED',
      'n reused: SKIPPED',
      'o reused: FAILED',
      'b runs: FAILED: it broke',
      'c runs: SKIPPED: the run ended first',
    ]);
    world.happens({ type: 'resumed', by: 'person' });
    expect(world.running).toEqual(['b']);
  });

  it('says what was in progress, and what waits for a person', () => {
    const world = new World(`
      a
      g : gate=1h
      b <- a g
    `);
    expect(told(world)).toEqual([
      'a runs: it was running',
      'g runs: it waits for a person',
      'b runs: it was not run yet',
    ]);
  });

  it('says that what was in progress in an iteration that has failed ends with it', () => {
    const world = new World('l : each=[1] continue\n  a\n  b <- a\n  c', { watched: false });
    world.fails('l/0/c', { class: 'NON_RETRYABLE' });
    cut(world, 'ended', 'l/0/c');
    expect(told(world)).toEqual([
      'l runs: steps in it are left',
      'l/0/a ends: what it is part of ends',
      'l/0/c runs: it was running',
    ]);
    world.happens({ type: 'resumed', by: 'person' });
    expect([world.status('l/0/a'), world.state.status]).toEqual(['CANCELLED', 'SUCCEEDED']);
  });

  it('says that a failed step may run again whose iteration has attempts left, when it leaves the others', () => {
    const world = new World('l : each=[1] retry=1\n  a\n  c : skip-dependents', { watched: false });
    world.fails('l/0/c');
    cut(world, 'settled', 'l/0/c');
    expect(told(world)).toEqual([
      'l runs: steps in it are left',
      'l/0/a runs: it was running',
      'l/0/c may run: FAILED; it runs again if its iteration is tried again',
    ]);
    world.happens({ type: 'resumed', by: 'person' });
    expect(world.running).toEqual(['l/0/a']);
    world.done('l/0/a');
    expect(world.running).toEqual(['l/0/c']);
  });
});

describe('an edited definition', () => {
  const definition = workflow(graph('a\nb <- a\nc\nd <- b c'));

  it('has a finished step run again when what it does is another thing, and what came after it', () => {
    const world = new World(definition);
    for (const name of ['a', 'c', 'b']) world.done(name);
    world.fails('d', { class: 'NON_RETRYABLE' });
    const next = compile(
      edited(definition, 'b', { work: { kind: 'command', argv: [template('other')], capabilities: null } }),
    );
    const edit = editOf(world.state, world.rules, next);
    expect(told(world, edit, next)).toEqual([
      'a reused: SUCCEEDED',
      'c reused: SUCCEEDED',
      'd runs: what it comes after runs again',
      'b runs: changed: command',
    ]);
  });

  it('leaves finished steps alone for what does not change what they do', () => {
    const world = new World(definition);
    for (const name of ['a', 'c', 'b']) world.done(name);
    const next = compile(
      edited(definition, 'a', { description: 'the first', timeout: 5_000, onFailure: 'continue' }),
    );
    expect([...editOf(world.state, world.rules, next).changes]).toEqual([]);
  });

  const agent = {
    kind: 'agent',
    provider: 'claude',
    model: null,
    instructions: template('Do it.'),
    capabilities: ['READ'],
    maxSteps: null,
    maxCommandTime: null,
  } as const;
  const build = { ...step('b'), needs: [{ step: 'a', when: null }], work: agent };
  const input = { from: 'a', artifact: 'x', as: 'x', required: false };

  it.each<[string, Partial<Step>]>([
    ['definition', { needs: [] }],
    ['definition', { values: { n: anyValue } }],
    ['worker', { work: { ...agent, provider: 'codex' } }],
    ['worker', { work: { ...agent, capabilities: ['READ', 'EDIT'] } }],
    ['model', { work: { ...agent, model: 'large' } }],
    ['instructions', { work: { ...agent, instructions: template('Do more.') } }],
    [
      'worker, model, instructions, role',
      { work: { kind: 'role', role: 'maker', others: [], instructions: [] } },
    ],
    ['inputs', { inputs: [input] }],
    ['workspace', { workspace: { path: template('sub'), outside: false } }],
    ['variables', { env: { LEVEL: template('info') } }],
  ])('says that it is the %s that changed', (what, changes) => {
    const { body } = definition;
    const steps = body.steps.map((each) => (each.id === 'b' ? build : each));
    const before = { ...definition, body: { ...body, steps } };
    const world = new World(before);
    world.done('a', { artifacts: ['x'] });
    world.done('b');
    const next = compile(edited(before, 'b', changes));
    expect([...editOf(world.state, world.rules, next).changes]).toEqual([['b', `changed: ${what}`]]);
  });

  it('runs all of a loop again that runs again', () => {
    const world = new World(`
      a
      l <- a : each=[1,2]
        i
    `);
    world.done('a');
    world.done('l/0/i');
    expect(told(world, { changes: new Map([['a', 'changed: command']]), gone: [] })).toEqual([
      'a runs: changed: command',
      'l runs: what it comes after runs again',
      'l/0/i runs: what it is part of runs again',
      'l/1/i runs: what it is part of runs again',
    ]);
  });

  it('runs what changed and what is new, and nothing else', () => {
    const world = new World(definition, { watched: false });
    for (const name of ['a', 'c', 'b', 'd']) world.done(name);
    expect(world.state.status).toBe('SUCCEEDED');
    const more = edited(definition, 'e', { needs: [{ step: 'a', when: null }] });
    const next = compile(
      edited(more, 'c', { work: { kind: 'command', argv: [template('other')], capabilities: null } }),
    );
    const steps = [...editOf(world.state, world.rules, next).changes.keys()];
    let { state } = world;
    state = apply(state, { type: 'updated', steps, limits: null, at: world.now });
    for (;;) {
      const decision = decide(state, next, world.now);
      for (const fact of decision.facts) state = apply(state, { ...fact, at: world.now });
      if (decision.facts.length > 0) continue;
      expect(decision.processes.map(({ path }) => path).toSorted()).toEqual(['c', 'e']);
      return;
    }
  });

  it('is bounded by the edited definition, and still by what the command line said', () => {
    const world = new World('a');
    const before = { ...world.rules.workflow, budget: { usd: 1, tokens: 2000 }, timeout: 60 };
    const given = { budget: { usd: 1, tokens: 500 }, timeout: 60 };
    const raised = { ...before, budget: { usd: 3, tokens: 4000 }, timeout: 90 };
    const limits = editedLimits(given, before, raised);
    expect(limits).toEqual({ budget: { usd: 3, tokens: 500 }, timeout: 90 });
    const unbounded = { ...before, budget: { usd: null, tokens: null } };
    expect(editedLimits(given, before, unbounded).budget).toEqual({ usd: null, tokens: 500 });
    const { state } = world;
    expect(apply(state, { type: 'updated', steps: [], limits, at: world.now }).given).toMatchObject(limits);
  });
});
