import fc, { runs } from '../../support/fast-check.ts';
import { describe, expect, it } from 'vitest';
import type { Workflow } from '../../../src/workflow/model.ts';
import { withVisits } from '../../../src/workflow/machine/run-start.ts';
import type { ConditionInput, StepInput } from '../../../src/languages/orchestrate/schema.ts';
import { Interpreter, maxVisits, type Script } from './orchestrate-interpreter.ts';
import { orchestrate, played } from './orchestrate.ts';

const context = { a: 'one', b: 'two' };
const key = fc.constantFrom('a', 'b');

function conditions(names: readonly string[], depth = 2): fc.Arbitrary<ConditionInput> {
  const name = fc.constantFrom(...names);
  const simple: fc.Arbitrary<ConditionInput>[] = [
    fc.record({ step_ok: name }),
    fc.record({
      exit_code: fc.record({
        step: name,
        op: fc.constantFrom('==' as const, '>' as const),
        value: fc.nat(2),
      }),
    }),
    fc.record({
      equals: fc.record({
        left: key.map((each) => `\${context.${each}}`),
        right: fc.constantFrom('one', 'two', '${context.b}', 'x1'),
      }),
    }),
  ];
  if (depth === 0) return fc.oneof(...simple);
  const inner = conditions(names, depth - 1);
  return fc.oneof(
    ...simple,
    fc.record({ not: inner }),
    fc.record({ all: fc.array(inner, { maxLength: 2 }) }),
    fc.record({ any: fc.array(inner, { maxLength: 2 }), step_ok: name }),
  );
}

/** Steps of a body; `above`: the names of those around it. */
function bodies(prefix: string, above: readonly string[], depth: number): fc.Arbitrary<StepInput[]> {
  return fc.integer({ min: 1, max: depth === 0 ? 2 : 4 }).chain((count) => {
    const names = Array.from({ length: count }, (_none, index) => `${prefix}${String(index)}`);
    return fc.tuple(...names.map((name) => steps(name, names, [...above, ...names], depth)));
  });
}

function steps(
  name: string,
  here: readonly string[],
  seen: readonly string[],
  depth: number,
): fc.Arbitrary<StepInput> {
  const inLoop = name.length > 2;
  const special = ['_end', '_error', '_start', ...(inLoop ? ['_loop_break', '_loop_continue'] : [])];
  const target = fc.record({ goto: fc.constantFrom(...here, ...here, ...special) });
  const on = fc.record(
    { success: target, failure: target, timeout: target },
    { requiredKeys: ['success', 'failure'] },
  );
  const command = fc.constantFrom<string[]>(
    [name],
    [name, '${context.a}'],
    [name, '-${context.b}-', ...(inLoop ? ['${item}'] : [])],
  );
  const works: fc.Arbitrary<Partial<StepInput>>[] = [
    fc.record({ command }),
    fc.record({ command, retry: fc.record({ attempts: fc.integer({ min: 1, max: 3 }) }) }),
    fc.record({ set_context: fc.dictionary(key, fc.constantFrom('x1', 'x-${context.a}'), { minKeys: 1 }) }),
  ];
  const inner = depth === 0 ? null : bodies(`${name}i`, seen, depth - 1);
  const items = fc.array(fc.constantFrom('p', 'q'), { maxLength: 3 });
  if (inner !== null) works.push(fc.record({ for_each: fc.record({ items, steps: inner }) }));
  if (inner !== null)
    works.push(
      inner.chain((body) =>
        fc.record({
          while: fc.record({
            condition: conditions([...seen, ...body.map((each) => each.name)], 1),
            max_iterations: fc.integer({ min: 1, max: 3 }),
            steps: fc.constant(body),
          }),
        }),
      ),
    );
  const when = fc.option(conditions(seen), { nil: undefined, freq: 3 });
  return fc.tuple(fc.oneof(...works), on, when).map(([work, transitions, condition]) => ({
    name,
    ...work,
    on: transitions,
    ...(condition === undefined ? {} : { when: condition }),
  }));
}

/** Items are there in a `for_each` only: in a while loop nothing is called so. */
function withoutItems(list: readonly StepInput[], isThere: boolean): StepInput[] {
  return list.map((step) => ({
    ...step,
    ...(step.command && !isThere ? { command: step.command.filter((text) => text !== '${item}') } : {}),
    ...(step.for_each
      ? { for_each: { ...step.for_each, steps: withoutItems(step.for_each.steps, true) } }
      : {}),
    ...(step.while ? { while: { ...step.while, steps: withoutItems(step.while.steps, isThere) } } : {}),
  }));
}

function lowered(list: readonly StepInput[]): Workflow {
  return withVisits(orchestrate(list, { context }), maxVisits);
}

const codes = fc.array(fc.constantFrom(0, 0, 0, 1, 2, 124, 7), { minLength: 16, maxLength: 16 });

/** Whatever a step is called and however often it runs, it ends with one of these codes. */
function scriptOf(ends: readonly number[]): Script {
  return (name, start) => {
    const number = name.split('').reduce((sum, letter) => sum + letter.charCodeAt(0), 0);
    return ends[(number + start * 5) % ends.length] ?? 0;
  };
}

describe('a workflow of orchestrate', () => {
  it('does what a direct interpreter of the language does: no way, condition or policy is lost', () => {
    fc.assert(
      fc.property(bodies('s', [], 2), codes, (generated, ends) => {
        const list = withoutItems(generated, false);
        const script = scriptOf(ends);
        const direct = new Interpreter(context, script);
        const status = direct.run(list);
        expect(played(lowered(list), script)).toEqual({
          trace: direct.trace,
          status,
          context: direct.context,
        });
      }),
      { numRuns: runs(75) },
    );
  });
});
