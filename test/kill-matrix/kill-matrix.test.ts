import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { classify, type Operation } from './classify.ts';
import { effectNames, type EffectName, type Moment } from './effects.ts';
import { kinds } from './kinds.ts';
import { containmentsHere, describeRun, playAll } from './matrix.ts';
import type { Census, ContainmentName, LeftOut } from './order.ts';
import { buildProgram } from './program.ts';
import { Stage, type Run } from './play.ts';
import { render } from './report.ts';

/** How many projects are worked on at once: most of the time they wait. */
const together = 4;

let stage: Stage;
let containments: ContainmentName[];
let remove: () => void;

beforeAll(async () => {
  const built = await buildProgram();
  remove = built.remove;
  stage = new Stage(built.program);
  containments = await containmentsHere();
}, 60_000);

afterAll(async () => {
  await stage.close();
  remove();
});

function runOf(kind: string, name: EffectName, nth: number, moment: Moment, more: Partial<Run> = {}): Run {
  const found = kinds.find((each) => each.name === kind);
  if (!found) throw new Error(`there is no kind ${kind}`);
  const containment = containments[0] ?? 'group';
  return { kind: found, containment, kill: { name, nth, moment }, powerLoss: false, ...more };
}

const group = { containment: 'group' } as const;
const outage = { ...group, powerLoss: true };

describe('the kill matrix', () => {
  it('comes to every place of its table', { timeout: 180_000 }, async () => {
    const queue = [...kinds];
    const censuses: Census[] = [];
    const work = async (): Promise<void> => {
      for (let kind = queue.shift(); kind; kind = queue.shift())
        censuses.push(await stage.census(kind, 'group'));
    };
    await Promise.all(Array.from({ length: together }, work));
    const reached = new Set(censuses.flatMap((census) => Object.keys(census)));
    expect(effectNames.filter((name) => !reached.has(name))).toEqual([]);
  });

  it('holds in a sample of crashes', { timeout: 180_000 }, async () => {
    const runs = [
      runOf('delivery', 'accept.keep', 1, 'before'),
      runOf('turn running', 'turn.release', 1, 'after'),
      runOf('turn committing', 'journal.append', 5, 'during'),
      runOf('trail commit', 'trail.ref', 1, 'during'),
      runOf('rotation', 'journal.remove', 1, 'before', outage),
      runOf('recovery', 'journal.sync', 2, 'before'),
      runOf('torn line', 'journal.cut', 1, 'after', group),
    ];
    const verdicts = await playAll(stage, runs, together);
    const failed = verdicts.filter(({ problems }) => problems.length > 0);
    expect(failed.map(({ run, problems }) => [describeRun(run), ...problems])).toEqual([]);
  });
});

describe('the kill matrix notices a controller that leaves out', () => {
  const crashes: readonly (readonly [string, LeftOut, () => Run, string])[] = [
    ['a sync', 'sync', () => runOf('correction', 'person.notify', 1, 'before', outage), 'launched twice'],
    [
      'the launch gate',
      'gate',
      () => runOf('correction', 'journal.append', 4, 'before', group),
      'launched twice',
    ],
    ['the sweep', 'sweep', () => runOf('turn running', 'turn.release', 1, 'after', group), 'left running'],
  ];

  it.each(crashes)('%s', { timeout: 120_000 }, async (_what, leftOut, crash, problem) => {
    const [whole, broken] = await Promise.all([stage.play(crash()), stage.play({ ...crash(), leftOut })]);
    expect(whole).toEqual({ problems: [], unreached: false });
    expect(broken.problems.join('\n')).toContain(problem);
  });
});

describe('the table of places', () => {
  it.each<[string, Operation]>([
    ['a file of the project that is no mail', { kind: 'begin', path: 'src/a.ts' }],
    ['a write over a waiting message', { kind: 'write', path: 'agents/a/inbox/b.md' }],
    ['a move out of the journal', { kind: 'rename', path: '.mailroom/journal/1.log', to: '.mailroom/x' }],
    ['a program', { kind: 'spawn', argv: ['curl'], marked: false, gated: false, forgotten: false }],
    ['an unknown order to git', spawnGit('push')],
    ['a signal that is no end', { kind: 'signal', signal: 'SIGSTOP', starting: false }],
  ])('has no name for %s', (_what, operation) => {
    expect(classify(operation)).toBeNull();
  });

  it('tells the sweep from the end of a turn, and agents from gates', () => {
    const spawn = { kind: 'spawn', argv: ['sh'], marked: true, forgotten: false } as const;
    expect(classify({ kind: 'signal', signal: 'SIGKILL', starting: true })).toBe('sweep.kill');
    expect(classify({ kind: 'signal', signal: 'SIGKILL', starting: false })).toBe('turn.kill');
    expect(classify({ ...spawn, gated: true })).toBe('turn.spawn');
    expect(classify({ ...spawn, gated: false })).toBe('gate.spawn');
    expect(classify(spawnGit('-c', 'a.b=c', 'fast-import', '--quiet'))).toBe('trail.import');
    expect(classify(spawnGit('rev-parse', 'HEAD'))).toBe('inward');
  });
});

function spawnGit(...words: string[]): Operation {
  return { kind: 'spawn', argv: ['git', ...words], marked: false, gated: false, forgotten: false };
}

it('draws a cell with a cross where anything did not hold', () => {
  const run = runOf('recovery', 'journal.cut', 1, 'before');
  const text = render(
    [
      { run, problems: [] },
      { run, problems: ['lost'] },
    ],
    'all',
  );
  const row = text.split('\n').find((line) => line.includes('`journal.cut`')) ?? '';
  expect(row.match(/✓|✗/g)).toEqual(['✗']);
  expect(render([{ run, problems: [] }], 'all')).toContain('✓');
});
