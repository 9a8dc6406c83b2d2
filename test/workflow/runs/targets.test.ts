import { describe, expect, it } from 'vitest';
import { aboutRun, findNamed, namedIn, type Directory } from '../../../src/workflow/runs/targets.ts';

const message = '019f2c4b-7d3e-7a51-9c08-5b1e8d0f6a27';
const other = '019f2c4b-9b42-7f10-b6de-0c7f5a8812d3';
const run = '019f2c4b-a1aa-7c2d-8f00-3d2b90c4e511';
const directory: Directory = {
  roles: ['qa'],
  turns: [],
  threads: [{ id: message, about: 'thread: Parser' }],
  messages: [
    { id: message, about: 'user → qa: task — Parser' },
    { id: other, about: 'qa → user: question — Which?' },
  ],
  runs: [aboutRun({ run, workflow: 'ship', startedAt: Date.UTC(2026, 10, 21, 20, 45) })],
};

describe('a word for something with an id', () => {
  it.each([run, 'c4e511', '…c4e511', 'C4E511', 'c4e5', '90c4e511', '019f2c4b-a1'])(
    'finds a run by %s',
    (word) => {
      expect(findNamed(word, directory, ['message', 'run'])).toEqual({ kind: 'run', run });
    },
  );

  it('lists what it could be, with subjects, across messages and runs', () => {
    expect(() => namedIn('019f2c4b', directory, ['message', 'thread', 'run'])).toThrow(
      [
        '`019f2c4b` may be any of these:',
        `  ${message}  user → qa: task — Parser`,
        `  ${other}  qa → user: question — Which?`,
        `  ${run}  run of ship, started 2026-11-21 20:45 UTC`,
      ].join('\n'),
    );
  });

  it('is nothing where it fits nothing of these kinds', () => {
    expect(namedIn('c4e511', directory, ['message'])).toBeNull();
    expect(namedIn('c4e', directory, ['run'])).toBeNull();
  });
});
