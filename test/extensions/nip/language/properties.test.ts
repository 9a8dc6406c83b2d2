import fc, { runs } from '../../../support/fast-check.ts';
import { describe, expect, it } from 'vitest';
import type { Json } from '../../../../src/kernel/json.ts';
import type { Workflow } from '../../../../src/workflow/model.ts';
import {
  ancestors,
  conditionText,
  interpret,
  sourceText,
  type Condition,
  type Pick,
  type Plan,
  type Played,
  type Script,
  type Source,
} from './interpreter.ts';
import { nip } from './nip.ts';
import { World } from '../../../workflow/machine/world.ts';

const ways = [[], ['n'], ['s'], ['deep', 'n'], ['missing'], ['missing', 'deeper']];

/** Sources that a step can name, by where they come from. */
function sources(outputs: readonly string[]): fc.Arbitrary<Source> {
  const made = fc.record({ of: fc.constantFrom('input', ...outputs), way: fc.constantFrom(...ways) });
  return made.map(({ of, way }) => (of === 'input' ? { of, way: ['text'] } : { of, way }));
}

function conditions(outputs: readonly string[], depth = 2): fc.Arbitrary<Condition> {
  const source = sources(outputs);
  const operator = fc.constantFrom('==', '!=', '<', '>', '<=', '>=') as fc.Arbitrary<'=='>;
  const literal = fc.constantFrom(0, 1, 2.5, 'b', 'B', '1', true, false, null);
  const simple: fc.Arbitrary<Condition>[] = [
    fc.record({ is: fc.constant('holds' as const), source }),
    fc.record({ is: fc.constant('compares' as const), source, operator, literal }),
  ];
  if (depth === 0) return fc.oneof(...simple);
  const inner = conditions(outputs, depth - 1);
  return fc.oneof(
    ...simple,
    fc.record({ is: fc.constant('not' as const), part: inner }),
    fc.record({ is: fc.constantFrom('and' as const, 'or' as const), parts: fc.tuple(inner, inner) }),
  );
}

/** Which pairs of steps have an edge, an earlier one to a later one; a step without any is no part of a definition. */
const shapes = fc.integer({ min: 2, max: 6 }).chain((count) => {
  const pairs = Array.from({ length: count }, (_none, to) =>
    Array.from({ length: to }, (_no, from) => [from, to] as const),
  ).flat();
  return fc
    .subarray(pairs, { minLength: 1 })
    .map((edges) => ({ count, edges }))
    .filter(({ edges }) =>
      Array.from({ length: count }, (_none, at) => edges.some((edge) => edge.includes(at))).every(Boolean),
    );
});

const plans: fc.Arbitrary<Plan> = shapes.chain(({ count, edges }) => {
  const ids = Array.from({ length: count }, (_none, index) => `s${String(index)}`);
  const plain = edges.map(([from, to]) => ({
    from: ids[from]!,
    to: ids[to]!,
    condition: { is: 'always' } as const,
  }));
  // Some make what others make, too.
  return fc
    .array(fc.constantFrom('a', 'b', 'c', 'd'), { minLength: count, maxLength: count })
    .chain((outputs) => {
      const skeleton = { steps: [], edges: plain };
      const seen = (id: string) => [...ancestors(skeleton, id)].map((each) => outputs[ids.indexOf(each)]!);
      const steps = ids.map((id, index) =>
        fc.record({
          id: fc.constant(id),
          output: fc.constant(outputs[index]!),
          takes: fc.array(sources(seen(id)), { maxLength: 2 }),
          policy: fc.constantFrom('abort' as const, 'skip' as const, 'retry' as const),
          retries: fc.nat(2),
        }),
      );
      const conditional = plain.map((edge) =>
        fc
          .oneof(fc.constant(edge.condition), conditions(seen(edge.to)))
          .map((condition) => ({ ...edge, condition })),
      );
      return fc.record({ steps: fc.tuple(...steps), edges: fc.tuple(...conditional) });
    });
});

function definition({ steps, edges }: Plan): Workflow {
  return nip(
    ['input', 'text', 'string', 'true'],
    ...steps.map(({ id, output, takes, policy, retries }) => [
      'step',
      id,
      '5100',
      ...takes.map((source, index) => `input:x${String(index)}=${sourceText(source)}`),
      `output:${output}`,
      `policy:${policy}`,
      ...(policy === 'retry' ? [`retries:${String(retries)}`] : []),
    ]),
    ...edges.map(({ from, to, condition }) => ['edge', from, to, conditionText(condition)]),
  );
}

const input = { text: 'b' };

interface Seen extends Played {
  /** With each launch the role that was chosen. */
  readonly roles: readonly string[];
}

/** The machine: every launch with what it was given, what had settled before the end, and how the run ended. */
function played(workflow: Workflow, script: Script, pick: Pick): Seen {
  const year = 31_536_000_000;
  const given = { parameters: input, timeout: year };
  const world = new World({ ...workflow, timeout: year }, { given, watched: false });
  const launched = new Map<string, number>();
  const launches: string[][] = [];
  const roles: string[] = [];
  const look = () => {
    const together: string[] = [];
    for (const { key } of world.decision.processes) {
      if (launched.get(key.path) === key.attempt) continue;
      launched.set(key.path, key.attempt);
      const { work } = world.launch(key.path);
      const { instructions, role } = work.kind === 'role' ? work : { instructions: '', role: '' };
      const taken = JSON.parse(/```json\n(.*)\n```$/s.exec(instructions)?.[1] ?? 'null') as object;
      together.push(`${key.path} ${JSON.stringify(Object.values(taken))}`);
      roles.push(role);
    }
    if (together.length > 0) launches.push(together.toSorted());
  };
  look();
  for (let round = 0; world.state.endedAt === null;) {
    if (world.running.length === 0) world.pass(30_000);
    else {
      const step = pick(world.running.toSorted(), round);
      round += 1;
      const value = script(step, launched.get(step) ?? 0);
      const [output = ''] = Object.keys(world.rules.root.steps.get(step)!.step.values);
      if (value === undefined) world.fails(step);
      else world.done(step, { values: { [output]: value } });
    }
    look();
  }
  return {
    launches,
    roles,
    settled: settledOf(world),
    status: world.state.status === 'SUCCEEDED' ? 'completed' : 'failed',
  };
}

const words = { SUCCEEDED: 'completed', SKIPPED: 'skipped', FAILED: 'failed' } as const;

/** Steps that were over before the run was: those that its end has stopped or kept from starting left out. */
function settledOf(world: World): Played['settled'] {
  const entries = [...world.state.steps.values()].flatMap(({ path, phase }) => {
    if (phase.is !== 'settled' || phase.skipped?.why === 'run-ended' || phase.status === 'CANCELLED')
      return [];
    return [[path, words[phase.status as keyof typeof words]] as const];
  });
  return Object.fromEntries(entries);
}

const values: fc.Arbitrary<Json> = fc.record({
  n: fc.constantFrom(0, 1, 2.5),
  s: fc.constantFrom('', 'b', '1'),
  deep: fc.record({ n: fc.constantFrom(0, 1, 3) }),
});
const ends = fc.array(fc.option(values, { nil: undefined, freq: 3 }), { minLength: 11, maxLength: 11 });
const order = fc.array(fc.nat(5), { minLength: 7, maxLength: 7 });

function scriptOf(all: readonly (Json | undefined)[]): Script {
  return (step, launch) => all[(Number(step.slice(1)) * 3 + launch * 5) % all.length];
}

function pickOf(numbers: readonly number[]): Pick {
  return (running, round) => running[(numbers[round % numbers.length] ?? 0) % running.length]!;
}

describe('a workflow of the language nip', () => {
  it('does what a direct interpreter of the language does: no dependency, condition or policy is lost', () => {
    fc.assert(
      fc.property(plans, ends, order, (plan, all, numbers) => {
        const [script, pick] = [scriptOf(all), pickOf(numbers)];
        const { launches, settled, status } = played(definition(plan), script, pick);
        expect({ launches, settled, status }).toEqual(interpret(plan, input, script, pick));
      }),
      { numRuns: runs(50) },
    );
  });
});
