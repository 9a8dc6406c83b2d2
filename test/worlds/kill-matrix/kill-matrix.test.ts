import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { containmentsHere, describeCrash, type Crash } from '../killing/matrix.ts';
import type { Moment } from '../killing/effects.ts';
import type { Operation } from '../killing/operation.ts';
import type { ContainmentName, LeftOut } from '../killing/order.ts';
import { playAll } from '../killing/plan.ts';
import { buildProgram } from '../killing/program.ts';
import { render } from '../killing/report.ts';
import { Stage } from '../killing/stage.ts';
import { classify } from './classify.ts';
import type { EffectName } from './effects.ts';
import { kinds, type MailKind } from './kinds.ts';
import { mail } from './mail.ts';

/** How many projects are worked on at once: most of the time they wait. */
const most = 4;

let stage: Stage<MailKind>;
let containments: ContainmentName[];
let remove: () => void;

beforeAll(async () => {
  const built = await buildProgram(new URL('controller.ts', import.meta.url));
  remove = built.remove;
  stage = new Stage(mail, built.program);
  containments = await containmentsHere();
}, 60_000);

afterAll(async () => {
  await stage.close();
  remove();
});

type More = Partial<Crash<MailKind>>;

function crashOf(
  kind: string,
  name: EffectName,
  nth: number,
  moment: Moment,
  more: More = {},
): Crash<MailKind> {
  const found = kinds.find((each) => each.name === kind);
  if (!found) throw new Error(`there is no kind ${kind}`);
  const containment = containments[0] ?? 'group';
  return { kind: found, containment, kill: { name, nth, moment }, powerLoss: false, ...more };
}

const group = { containment: 'group' } as const;
const outage = { ...group, powerLoss: true };

describe('the kill matrix', () => {
  it('holds in a sample of crashes', { timeout: 180_000 }, async () => {
    const crashes = [
      crashOf('delivery', 'accept.keep', 1, 'before'),
      crashOf('turn running', 'turn.release', 1, 'after'),
      crashOf('turn committing', 'journal.append', 5, 'during'),
      crashOf('trail commit', 'trail.ref', 1, 'during'),
      crashOf('rotation', 'journal.remove', 1, 'before', outage),
      crashOf('rotation', 'summary.write', 1, 'after', outage),
      crashOf('recovery', 'journal.sync', 2, 'before'),
      crashOf('torn line', 'journal.cut', 1, 'after', group),
    ];
    const verdicts = await playAll(stage, crashes, most);
    const failed = verdicts.filter(({ problems, unreached }) => unreached || problems.length > 0);
    expect(failed.map(({ crash, problems }) => [describeCrash(crash), ...problems])).toEqual([]);
  });
});

describe('the kill matrix notices a controller that leaves out', () => {
  const crashes: readonly (readonly [string, LeftOut, () => Crash<MailKind>, string])[] = [
    ['a sync', 'sync', () => crashOf('correction', 'person.notify', 1, 'before', outage), 'launched twice'],
    [
      'the launch gate',
      'gate',
      () => crashOf('correction', 'journal.append', 4, 'before', group),
      'launched twice',
    ],
    ['the sweep', 'sweep', () => crashOf('turn running', 'turn.release', 1, 'after', group), 'left running'],
  ];

  it.each(crashes)('%s', { timeout: 120_000 }, async (_what, leftOut, crash, problem) => {
    const [whole, broken] = await Promise.all([stage.play(crash()), stage.play(crash(), leftOut)]);
    expect(whole).toEqual({ problems: [], unreached: false });
    expect(broken.problems.join('\n')).toContain(problem);
  });
});

describe('the table of places', () => {
  it.each<[string, Operation]>([
    ['a file of the project that is no mail', { kind: 'begin', path: 'src/a.ts' }],
    ['a write over a waiting message', { kind: 'write', path: 'agents/a/inbox/b.md' }],
    ['a move out of the journal', { kind: 'rename', path: '.mailroom/journal/1.log', to: '.mailroom/x' }],
    ['a program', { kind: 'spawn', argv: ['curl'], mark: null, gated: false, forgotten: false }],
    ['an unknown order to git', spawnGit('push')],
    ['a signal that is no end', { kind: 'signal', signal: 'SIGSTOP', starting: false }],
  ])('has no name for %s', (_what, operation) => {
    expect(classify(operation)).toBeNull();
  });

  it('tells the sweep from the end of a turn, and agents from gates', () => {
    const spawn = { kind: 'spawn', argv: ['sh'], mark: 'mailroom', forgotten: false } as const;
    expect(classify({ kind: 'signal', signal: 'SIGKILL', starting: true })).toBe('sweep.kill');
    expect(classify({ kind: 'signal', signal: 'SIGKILL', starting: false })).toBe('turn.kill');
    expect(classify({ ...spawn, gated: true })).toBe('turn.spawn');
    expect(classify({ ...spawn, gated: false })).toBe('gate.spawn');
    expect(classify(spawnGit('-c', 'a.b=c', 'fast-import', '--quiet'))).toBe('trail.import');
    expect(classify(spawnGit('rev-parse', 'HEAD'))).toBe('inward');
  });
});

function spawnGit(...words: string[]): Operation {
  return { kind: 'spawn', argv: ['git', ...words], mark: null, gated: false, forgotten: false };
}

it('draws a cell with a cross where anything did not hold', () => {
  const crash = crashOf('recovery', 'journal.cut', 1, 'before');
  const cells = (...problems: string[][]): unknown =>
    render(
      'Head',
      mail,
      problems.map((each) => ({ crash, problems: each, unreached: false })),
      'all',
    )
      .split('\n')
      .find((line) => line.includes('`journal.cut`'))
      ?.match(/✓|✗/g);
  expect(cells([], ['lost'])).toEqual(['✗']);
  expect(cells([])).toEqual(['✓']);
});
