import { withLast } from '../../../../src/languages/native/read.ts';
import { usualChoices } from '../../../../src/workflow/reserved.ts';
import type { Check, Stall, Step, Target, Work, Workflow } from '../../../../src/workflow/model.ts';
import type { StepCheckout } from '../../../../src/workflow/git-work.ts';
import type { Random } from '../random.ts';
import { anyValue, step, template, tree, workflow } from '../../../workflow/machine/graph.ts';

/** The one artifact that a step of these definitions may have: a folder of two files that say the same. */
export const artifact = 'made';
/** The variable that tells a worker where to make it, in its workspace, and those that tell where its inputs lie. */
export const outVariable = 'SIMULATED_OUT';
export const inVariable = 'SIMULATED_IN';
/** Where its check writes the decision. */
export const decisionVariable = 'SIMULATED_DECISION';

/** What some gates ask for. */
const risk = { ...anyValue, type: 'string', enum: ['low', 'high'], required: true } as const;

type Where = 'run' | 'loop' | 'child';

/** Where steps stand: what they write is named by the step around them, since all of them share a workspace. */
interface Home {
  readonly where: Where;
  readonly owner: string;
}

/** A workflow with everything that a run can be made of, but for roles; small enough to be read when it fails. */
export function randomWorkflow(random: Random): Workflow {
  const steps: Step[] = [];
  const count = 1 + random.below(7);
  for (let index = 0; index < count; index += 1)
    steps.push(randomStep(random, `s${String(index)}`, steps, { where: 'run', owner: 'run' }));
  return workflow(withLast({ kind: 'graph', steps }, random.chance(0.25) ? last(random) : null), {
    concurrency: random.pick([null, null, 1, 2]),
    timeout: random.pick([null, null, 1_800_000]),
    contextDir: './context',
  });
}

/** What runs finally. */
function last(random: Random): Step {
  const tidy = (id: string): Step =>
    step(id, {
      work: { kind: 'command', argv: [template('work')], capabilities: null },
      retry: { ...step('x').retry, base: 200, max: random.below(2) },
      timeout: 120_000,
      onFailure: random.pick(['abort', 'continue', 'retry']),
    });
  const steps = random.chance(0.5)
    ? [tidy('t0')]
    : [tidy('t0'), { ...tidy('t1'), needs: [{ step: 't0', when: null }] }];
  const work = { kind: 'finally', body: { kind: 'graph', steps } } as const;
  return step('last', { work, join: 'all_done', onFailure: 'skip-dependents' });
}

function randomStep(random: Random, id: string, before: readonly Step[], { where, owner }: Home): Step {
  const own = randomWork(random, where, id);
  const needs = before.filter(() => random.chance(2 / (before.length + 1))).slice(0, 3);
  const { work, checkout } = where === 'run' ? inGit(random, own, needs) : { work: own, checkout: null };
  const isWorker = work.kind === 'command' || work.kind === 'script' || work.kind === 'agent';
  const makes = isWorker && checkout === null && random.chance(0.5);
  const sources = isWorker && checkout === null ? needs.filter(({ outputs }) => outputs.length > 0) : [];
  const input = random.chance(0.7) ? sources[0] : undefined;
  const policy = random.pick(['abort', 'abort', 'continue', 'retry', 'skip-dependents'] as const);
  const decision = where === 'loop' ? null : random.pick([null, `decision-${owner}-${id}`]);
  const isChecked = work.kind === 'workflow' ? random.chance(0.5) : isWorker && random.chance(0.2);
  const check = isChecked ? randomCheck(random, policy === 'continue', decision) : null;
  const place = where === 'loop' ? `${owner}-${id}-\${{ loop.index }}` : `${owner}-${id}`;
  return step(id, {
    work,
    ...(checkout && { checkout }),
    needs: needs.map((need) => ({ step: need.id, when: null })),
    join: random.pick(['all', 'all', 'all', 'any', 'one_success', 'none_failed', 'all_done']),
    when: randomCondition(random, needs[0]?.id ?? null),
    onFailure: policy,
    retry: {
      ...step('x').retry,
      base: isWorker ? 200 : 0,
      max: policy === 'retry' ? 1 + random.below(2) : 0,
      jitter: random.chance(0.5),
    },
    timeout: isWorker ? random.pick([null, 20_000, 120_000]) : null,
    ...(isWorker && random.chance(0.1) && { stall: randomStall(random) }),
    check,
    outputs: makes
      ? [{ name: artifact, path: template(`out/${place}`), type: null, required: random.chance(0.3) }]
      : [],
    inputs: input
      ? [{ from: input.id, artifact, as: `in-${owner}-${id}`, required: random.chance(0.3) && isSure(input) }]
      : [],
    env: {
      ...(makes ? { [outVariable]: template(`out/${place}`) } : {}),
      ...(input ? { [inVariable]: template(`in-${owner}-${id}`) } : {}),
      ...(check?.decisionFile == null ? {} : { [decisionVariable]: template(check.decisionFile) }),
    },
  });
}

/** Some workers have a git worktree; where steps before have left commits, some steps merge or land them. */
function inGit(
  random: Random,
  work: Work,
  needs: readonly Step[],
): { readonly work: Work; readonly checkout: StepCheckout | null } {
  const merges = needs.filter(({ checkout }) => checkout !== undefined).map(({ id }) => id);
  const isWorker = work.kind === 'command' || work.kind === 'script' || work.kind === 'agent';
  if (merges.length > 0 && random.chance(0.3))
    return { work: { kind: 'merge' }, checkout: { per: 'step', merges } };
  if (merges.length === 1 && needs.length === 1 && random.chance(0.3))
    return { work: { kind: 'land', branch: 'main', by: 'merge' }, checkout: null };
  return { work, checkout: isWorker && random.chance(0.25) ? { per: 'step', merges: null } : null };
}

function randomStall(random: Random): Stall {
  return { after: 10_000, policy: random.pick(['fail', 'retry', 'incomplete']) };
}

/** Whether a step has made its artifact whenever what comes after it runs: without a required input no step can succeed. */
function isSure({ when, onFailure, stall, outputs }: Step): boolean {
  const isKept = when === null && onFailure !== 'continue' && stall?.policy !== 'incomplete';
  return isKept && outputs.every(({ required }) => required);
}

/** What an earlier step said, or whether a file is there that somebody has made. */
function randomCondition(random: Random, need: string | null): Step['when'] {
  const dice = random.next();
  if (dice < 0.06) return tree(`exists('out') || ${String(random.chance(0.5))}`);
  return need !== null && dice < 0.18 ? tree(`steps.${need}.values.v == 1`) : null;
}

function randomWork(random: Random, where: Where, id: string): Work {
  const dice = random.next();
  if (dice < 0.45) return { kind: 'command', argv: [template('work')], capabilities: null };
  if (dice < 0.6) return { kind: 'script', script: { text: 'work', variables: {} }, capabilities: [] };
  if (dice < 0.75) return agent(random);
  if (dice < 0.83)
    return {
      kind: 'gate',
      message: template('Go on?'),
      approvers: random.pick([[], ['ada']]),
      choices: random.pick([usualChoices, ['approve', 'changes', 'reject']]),
      fields: random.pick([{}, { risk }]),
      timeout: random.pick([null, 3_600_000]),
      onTimeout: random.pick(['abort', 'approve', 'reject']),
    };
  if (where !== 'run') return { kind: 'command', argv: [template('work')], capabilities: null };
  if (dice < 0.86)
    return {
      kind: 'while',
      condition: tree(`loop.iteration < ${String(random.below(3))} && !exists('never')`),
      maxIterations: 2,
      body: innerBody(random, { where: 'loop', owner: id }),
    };
  if (dice < 0.93)
    return {
      kind: 'for-each',
      items: Array.from({ length: random.below(4) }, (_none, index) => index),
      as: 'x',
      concurrency: 1 + random.below(2),
      body: innerBody(random, { where: 'loop', owner: id }),
    };
  const inner = innerBody(random, { where: 'child', owner: id });
  return {
    kind: 'workflow',
    workflow: workflow(withLast(inner, random.chance(0.25) ? last(random) : null)),
    with: {},
    exports: [],
  };
}

function agent(random: Random): Extract<Work, { kind: 'agent' }> {
  const provider = random.pick(['claude', 'codex']);
  const rest = { model: null, maxSteps: null, maxCommandTime: null };
  return { kind: 'agent', provider, instructions: template('work'), capabilities: ['READ'], ...rest };
}

function innerBody(random: Random, home: Home): Workflow['body'] {
  const steps: Step[] = [];
  const count = 1 + random.below(3);
  for (let index = 0; index < count; index += 1)
    steps.push(randomStep(random, `b${String(index)}`, steps, home));
  if (random.chance(0.75)) return { kind: 'graph', steps };
  const sequence = steps.map((each, index): Step => ({
    ...each,
    needs: [],
    when: null,
    inputs: [],
    env: Object.fromEntries(Object.entries(each.env).filter(([name]) => name !== inVariable)),
    next: {
      success: next(index === steps.length - 1 ? null : `b${String(index + 1)}`),
      failure: random.pick<Target>([
        next('b0'),
        { to: 'error', message: null },
        next(null),
        { to: home.where === 'loop' ? 'continue' : 'end' },
        ...(home.where === 'loop' ? ([{ to: 'break' }] as const) : []),
      ]),
      timeout: null,
    },
  }));
  return { kind: 'sequence', steps: sequence, maxVisits: 4 };
}

function next(id: string | null): Target {
  return id === null ? { to: 'end' } : { to: 'step', step: id };
}

/** `goesOn`: a check that is never complete does not fail its step, so that its policy alone says what becomes of it. */
function randomCheck(random: Random, goesOn: boolean, decisionFile: string | null): Check {
  return {
    work: random.chance(0.3)
      ? agent(random)
      : { kind: 'command', argv: [template('check')], capabilities: null },
    timeout: 60_000,
    decisionFile,
    maxIterations: 2 + random.below(2),
    onExhausted: goesOn ? 'continue' : random.pick(['abort', 'continue']),
    budget: null,
    convergence: null,
  };
}
