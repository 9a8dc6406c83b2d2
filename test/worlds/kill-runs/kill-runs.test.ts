import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Moment } from '../killing/effects.ts';
import { containmentsHere, describeCrash, type Crash } from '../killing/matrix.ts';
import type { ContainmentName, LeftOut } from '../killing/order.ts';
import { playAll } from '../killing/plan.ts';
import { buildProgram } from '../killing/program.ts';
import { Stage } from '../killing/stage.ts';
import { classify } from './classify.ts';
import type { EffectName } from './effects.ts';
import { kinds, type RunKind } from './kinds.ts';
import { runs } from './runs.ts';

/** How many projects are worked on at once: most of the time they wait. */
const most = 4;

let stage: Stage<RunKind>;
let containments: ContainmentName[];
let remove: () => void;

beforeAll(async () => {
  const built = await buildProgram(new URL('controller.ts', import.meta.url));
  remove = built.remove;
  stage = new Stage(runs, built.program);
  containments = await containmentsHere();
}, 60_000);

afterAll(async () => {
  await stage.close();
  remove();
});

type More = Partial<Crash<RunKind>>;

function crashOf(
  kind: string,
  name: EffectName,
  nth: number,
  moment: Moment,
  more: More = {},
): Crash<RunKind> {
  const found = kinds.find((each) => each.name === kind);
  if (!found) throw new Error(`there is no kind ${kind}`);
  const containment = containments[0] ?? 'group';
  return { kind: found, containment, kill: { name, nth, moment }, powerLoss: false, ...more };
}

const group = { containment: 'group' } as const;
const outage = { ...group, powerLoss: true };

describe('the kill matrix of runs', () => {
  it('holds in a sample of crashes', { timeout: 300_000 }, async () => {
    const sample = [
      crashOf('command', 'hook.spawn', 1, 'during'),
      crashOf('script', 'artifact.place', 1, 'before', outage),
      crashOf('script', 'values.hide', 1, 'before', group),
      crashOf('script', 'values.hide', 1, 'after'),
      crashOf('agent', 'answer.write', 1, 'after'),
      crashOf('role', 'letter.take', 1, 'before'),
      crashOf('check', 'check.spawn', 2, 'during'),
      crashOf('retry', 'dead.write', 1, 'before'),
      crashOf('for_each', 'journal.sync', 3, 'before', outage),
      crashOf('gate', 'control.remove', 1, 'before'),
      crashOf('workflow', 'meta.write', 1, 'after', outage),
      crashOf('cancelling', 'step.kill', 1, 'before', group),
      crashOf('rollback', 'rollback.restore', 1, 'before', outage),
      crashOf('rollback', 'meta.write', 2, 'before', group),
      crashOf('recovery', 'journal.append', 1, 'during'),
    ];
    const verdicts = await playAll(stage, sample, most);
    const failed = verdicts.filter(({ problems, unreached }) => unreached || problems.length > 0);
    expect(failed.map(({ crash, problems }) => [describeCrash(crash), ...problems])).toEqual([]);
  });
});

describe('the kill matrix of runs notices a host that', () => {
  const crashes: readonly (readonly [string, LeftOut, () => Crash<RunKind>, string])[] = [
    [
      'leaves out the sync of the journal',
      'sync',
      () => crashOf('command', 'step.spawn', 2, 'after', outage),
      'one was asked again after two',
    ],
    [
      'leaves out the sync of an artifact',
      'copy sync',
      () => crashOf('script', 'step.spawn', 2, 'during', outage),
      'half of',
    ],
    [
      'leaves out the sweep',
      'sweep',
      () => crashOf('recovery', 'lock.take', 1, 'before', group),
      'left running',
    ],
    [
      'forgets what is finished',
      'memory',
      () => crashOf('command', 'step.spawn', 2, 'after', group),
      'one was asked again after two',
    ],
  ];

  it.each(crashes)('%s', { timeout: 180_000 }, async (_what, leftOut, crash, problem) => {
    const [whole, broken] = await Promise.all([stage.play(crash()), stage.play(crash(), leftOut)]);
    expect(whole).toEqual({ problems: [], unreached: false });
    expect(broken.problems.join('\n')).toContain(problem);
  });
});

it('has no name for what it does not know', () => {
  expect(classify({ kind: 'write', path: 'context/one/_meta.json' })).toBeNull();
  expect(classify({ kind: 'rename', path: 'context/one/made', to: 'elsewhere' })).toBeNull();
  expect(classify({ kind: 'spawn', argv: ['curl'], mark: null, gated: false, forgotten: false })).toBeNull();
});
