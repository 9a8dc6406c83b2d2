import fc, { runs } from '../../support/fast-check.ts';
import { describe, expect, it } from 'vitest';
import type { Workflow } from '../../../src/workflow/model.ts';
import { parseWorkflow } from '../../../src/languages/parse.ts';
import { nowhere } from '../../support/nowhere.ts';
import {
  Interpreter,
  type Condition,
  type End,
  type Played,
  type Script,
  type Stage,
  type Status,
} from './swdl-interpreter.ts';
import { failure, result, World } from '../../workflow/machine/world.ts';

/** Nothing is as good as 0, as everywhere in these expressions. */
const given = fc.integer({ min: 1, max: 2 });
const statuses: readonly Status[] = ['success', 'failed', 'timed_out', 'skipped'];

function conditions(stages: readonly string[], depth = 2): fc.Arbitrary<Condition> {
  const stage = fc.constantFrom(...stages);
  const simple: fc.Arbitrary<Condition>[] = [
    fc.record({ stage, is: fc.constantFrom(...statuses) }),
    fc.record({ stage, output: fc.constant('n' as const), equals: given }),
  ];
  if (depth === 0) return fc.oneof(...simple);
  const inner = conditions(stages, depth - 1);
  return fc.oneof(...simple, fc.record({ not: inner }), fc.record({ any: fc.tuple(inner, inner) }));
}

/** Stages in which each depends on some before it, and reads nothing else. */
const drawnStages: fc.Arbitrary<Stage[]> = fc.integer({ min: 1, max: 7 }).chain((count) => {
  const all = Array.from({ length: count }, (_none, index) =>
    fc
      .subarray(Array.from({ length: index }, (_each, before) => `s${before}`))
      .chain((needs) => stageAt(index, needs)),
  );
  return fc.tuple(...all);
});

/**
 * Milliseconds of a gate's timeout or a stage's interval. A stage waits 0, 1 or 3 times this long (twice as long the second
 * time) after stages before it: in base 4 no two sums are the same, so no two stages do anything at the same time.
 */
function ownTime(index: number): number {
  return 10 * 4 ** index;
}

function stageAt(index: number, needs: readonly string[]): fc.Arbitrary<Stage> {
  const before = needs.length === 0 ? null : fc.constantFrom(...needs);
  const reads = before === null ? fc.constant(null) : fc.record({ stage: before, required: fc.boolean() });
  const work: fc.Arbitrary<Stage['work']>[] = [
    fc.record({ kind: fc.constant('agent' as const), reads: fc.option(reads, { nil: null }) }),
    fc.record({ kind: fc.constant('agent' as const), reads }),
    fc.record({
      kind: fc.constant('gate' as const),
      timeout: fc.constant(ownTime(index)),
      onTimeout: fc.constantFrom('halt', 'auto_approve', 'reject'),
    }),
    fc.record({ kind: fc.constant('fan_out' as const), items: fc.nat(3) }),
  ];
  return fc.record({
    id: fc.constant(`s${index}`),
    needs: fc.constant(needs),
    condition: needs.length === 0 ? fc.constant(null) : fc.option(conditions(needs), { nil: null }),
    work: fc.oneof(...work),
    attempts: fc.integer({ min: 1, max: 3 }),
    interval: fc.constant(ownTime(index)),
    never: fc.subarray(['no', 'timeout']),
    policy: fc.constantFrom('halt', 'continue', 'continue', 'skip_dependents', 'skip_dependents', 'rollback'),
  });
}

function conditionText(condition: Condition): string {
  if ('not' in condition) return `!(${conditionText(condition.not)})`;
  if ('any' in condition) return condition.any.map((each) => `(${conditionText(each)})`).join(' || ');
  const { stage } = condition;
  if ('is' in condition) return `stages.${stage}.status == '${condition.is}'`;
  return `stages.${stage}.outputs.n == ${condition.equals}`;
}

/** The file that says it. A gate and a fan-out have no output `n`. */
function textOf(list: readonly Stage[]): string {
  const declared = { outputs: { n: { type: 'integer' } }, roles: { primary: { artifact: 'agent:a' } } };
  const written = list.map((stage) => {
    const { id, needs, condition, work, attempts, interval, never, policy } = stage;
    const failing = policy === 'rollback' ? {} : { on_failure: policy };
    const retry = { max_attempts: attempts, initial_interval: `${interval}ms`, non_retryable_errors: never };
    const common = { id, depends_on: needs, condition: condition && `\${{ ${conditionText(condition)} }}` };
    if (work.kind === 'gate') {
      const gate = { kind: 'manual_approval', timeout: `${work.timeout}ms`, on_timeout: work.onTimeout };
      return { ...common, type: 'gate', gate };
    }
    const error_policy = { ...failing, retry };
    if (work.kind === 'fan_out') {
      const source = `\${{ fromJSON('${JSON.stringify(Array.from({ length: work.items }, () => 0))}') }}`;
      return { ...common, type: 'fan_out', fan_out: { source, stage_template: declared }, error_policy };
    }
    const { reads } = work;
    const told = reads && {
      n: { type: 'integer', source: `\${{ stages.${reads.stage}.outputs.n }}`, required: reads.required },
    };
    return { ...common, ...declared, ...(told && { inputs: told }), error_policy };
  });
  const workflow = { id: 'w', name: 'W', version: '1.0.0' };
  return JSON.stringify({ workflow, stages: written, error_policy: { on_stage_failure: 'rollback' } });
}

/** What is asked of an output that a stage has not is asked of nothing. */
function readable(list: readonly Stage[]): Stage[] {
  const makers = new Set(list.filter(({ work }) => work.kind === 'agent').map(({ id }) => id));
  const kept = (condition: Condition): Condition => {
    if ('not' in condition) return { not: kept(condition.not) };
    if ('any' in condition) return { any: [kept(condition.any[0]), kept(condition.any[1])] };
    if ('is' in condition || makers.has(condition.stage)) return condition;
    return { stage: condition.stage, is: 'success' };
  };
  return list.map((stage) => {
    const { work, condition } = stage;
    const isRead = work.kind !== 'agent' || work.reads === null || makers.has(work.reads.stage);
    return {
      ...stage,
      condition: condition && kept(condition),
      work: isRead ? work : { kind: 'agent', reads: null },
    };
  });
}

function lowered(text: string): Workflow {
  const files = {
    read: (path: string) => (path === 'agents/a/role.md' ? 'A.' : null),
    list: () => [],
    tracked: [],
  };
  const read = parseWorkflow(text, 'test.json', { ...nowhere, files });
  if (!read.ok) throw new Error(JSON.stringify(read.problems));
  return read.value;
}

const words: Readonly<Record<string, Status>> = {
  SUCCEEDED: 'success',
  SKIPPED: 'skipped',
  CANCELLED: 'cancelled',
};

/** The lowered machine: what ends, in the order of the file, and what the run came to. */
function played(workflow: Workflow, script: Script): Played {
  const world = new World(workflow, { watched: false });
  const trace: string[] = [];
  const starts = new Map<string, number>();
  for (let round = 0; world.state.endedAt === null; round += 1) {
    if (round > 5_000) throw new Error('the run does not end');
    const [path] = world.running.toSorted();
    if (path === undefined) {
      world.pass((world.decision.wake ?? Infinity) - world.now);
      continue;
    }
    const launch = world.launch(path);
    const name = path.replace(/^(\w+)\/(\d+)\/\w+$/, '$1/$2');
    const start = starts.get(name) ?? 0;
    starts.set(name, start + 1);
    const told = launch.promptInputs.find((taken) => taken.name === 'n')?.value;
    trace.push(`${name} ${told === undefined ? '-' : JSON.stringify(told)}`);
    world.happens({ type: 'ended', key: launch.key, result: ended(script(name, start), trace.length) });
  }
  const stages = [...world.rules.root.steps.keys()].map((id) => [id, statusOf(world, id)] as const);
  const status = world.state.status === 'SUCCEEDED' ? 'success' : 'failed';
  return { trace, status, stages: Object.fromEntries(stages) };
}

function statusOf(world: World, id: string): Status {
  const phase = world.state.steps.get(id)?.phase;
  const timedOut = phase?.is === 'settled' && phase.status === 'FAILED' && phase.reason?.code === 'E_TIMEOUT';
  return timedOut ? 'timed_out' : (words[world.status(id)] ?? 'failed');
}

function letters(number: number): string {
  return String.fromCharCode(
    ...String(number)
      .split('')
      .map((digit) => 97 + Number(digit)),
  );
}

/** No two failures say the same: several that do would end any run. */
function ended(end: End, number: number): ReturnType<typeof result> {
  if ('n' in end) return result({ is: 'done' }, { values: { n: end.n } });
  const failed = failure({
    timedOut: end.fails === 'timeout',
    text: `it broke, and this is ${letters(number)}`,
  });
  if (failed.outcome.is !== 'failed') return failed;
  if (end.fails === 'timeout') return { ...failed, exitCode: 124 };
  return { ...failed, outcome: { ...failed.outcome, reported: end.fails } };
}

const ends = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: fc.record({ n: given }) },
    {
      weight: 2,
      arbitrary: fc.record({ fails: fc.constantFrom('busy' as const, 'no' as const, 'timeout' as const) }),
    },
  ),
  { minLength: 16, maxLength: 16 },
);

/** Whatever a stage is called and however often it runs, it ends so. */
function scriptOf(drawn: readonly End[]): Script {
  return (name, start) => {
    const number = name.split('').reduce((sum, letter) => sum * 7 + letter.charCodeAt(0), 0);
    return drawn[(number + start * 5) % drawn.length]!;
  };
}

/** A stage that requires an input of a skipped stage: it fails, and its policy halts a stage that runs. */
const requiresOfSkipped: Stage[] = (() => {
  const common = { needs: [], condition: null, attempts: 1, interval: 1_000, never: [] };
  const agent = { kind: 'agent' as const, reads: null };
  return [
    { ...common, id: 's0', work: { kind: 'fan_out', items: 1 }, policy: 'continue' },
    {
      ...common,
      id: 's1',
      needs: ['s0'],
      condition: { stage: 's0', is: 'success' },
      work: agent,
      policy: 'halt',
    },
    { ...common, id: 's2', work: agent, policy: 'halt' },
    {
      ...common,
      id: 's3',
      needs: ['s0', 's1'],
      work: { kind: 'agent', reads: { stage: 's1', required: true } },
      policy: 'halt',
    },
  ];
})();

describe('a workflow of swdl', () => {
  it('does what a direct interpreter of the language does', () => {
    fc.assert(
      fc.property(drawnStages, ends, (drawn, told) => {
        const list = readable(drawn);
        const script = scriptOf(told);
        const direct = new Interpreter(list, script).play();
        const workflow = lowered(textOf(list));
        expect(played(workflow, script)).toEqual(direct);
      }),
      { numRuns: runs(20), examples: [[requiresOfSkipped, [{ fails: 'busy' }]]] },
    );
  });
});
