import { describe, expect, it } from 'vitest';
import { beyondPermissions, judgeChanges, mayChange } from '../../src/kernel/permissions.ts';

describe('the permissions to a workspace', () => {
  it.each([
    [[], false],
    [['READ', 'RUN_TESTS'], false],
    [['EDIT'], true],
    [['RUN_COMMANDS'], true],
  ] as const)('of %j', (capabilities, may) => {
    expect(mayChange(capabilities)).toBe(may);
  });

  it('leave out what is owed, with everything below it and nothing beside it', () => {
    const changed = ['plan.md', 'plan.md.bak', 'out/a/b.txt', 'output.txt', 'src/x.ts'];
    expect(beyondPermissions(changed, ['./plan.md', 'out/'])).toEqual([
      'plan.md.bak',
      'output.txt',
      'src/x.ts',
    ]);
    expect(beyondPermissions(changed, ['.'])).toEqual([]);
  });
});

describe('a breach', () => {
  const paths = Array.from({ length: 12 }, (_, index) => `f${String(index)}`);

  it('is none without changes beyond what is owed', () => {
    expect(judgeChanges(['plan.md'], ['plan.md'], { worktree: true, shared: false })).toEqual({ is: 'none' });
  });

  it('fails a turn alone in a worktree, and names what it can', () => {
    const judged = judgeChanges(paths, [], { worktree: true, shared: false });
    expect(judged).toMatchObject({ is: 'failed', reason: { code: 'E_PERMISSIONS' } });
    expect(JSON.stringify(judged)).toMatch(/`f0`, .*`f9` and 2 more/);
  });

  it('is assumed alone in a worktree that git cannot compare', () => {
    expect(judgeChanges('no git', ['a'], { worktree: true, shared: false })).toMatchObject({ is: 'failed' });
  });

  it.each([
    { worktree: false, shared: false },
    { worktree: true, shared: true },
  ])('is only reported where others may have made it: %j', (where) => {
    expect(judgeChanges(['a'], [], where)).toEqual({
      is: 'reported',
      text: 'while it ran, files were changed without permission: `a`',
    });
    expect(judgeChanges('no git', ['a'], where)).toMatchObject({
      is: 'reported',
      text: expect.stringMatching(/: no git$/),
    });
  });
});
