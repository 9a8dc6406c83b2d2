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
  const changes = (paths: readonly string[], untracked: readonly string[] = []) => ({ paths, untracked });
  const paths = Array.from({ length: 12 }, (_, index) => `f${String(index)}`);

  it('is none without changes beyond what is owed', () => {
    expect(
      judgeChanges(changes(['plan.md']), ['plan.md'], { worktree: true, shared: false, tests: false }),
    ).toEqual({ is: 'none' });
  });

  it('fails a turn alone in a worktree, and names what it can', () => {
    const judged = judgeChanges(changes(paths), [], { worktree: true, shared: false, tests: false });
    expect(judged).toMatchObject({ is: 'failed', reason: { code: 'E_PERMISSIONS' } });
    expect(JSON.stringify(judged)).toMatch(/`f0`, .*`f9` and 2 more/);
  });

  it('is assumed alone in a worktree that git cannot compare', () => {
    expect(judgeChanges('no git', ['a'], { worktree: true, shared: false, tests: false })).toMatchObject({
      is: 'failed',
    });
  });

  it.each([
    { worktree: false, shared: false, tests: false },
    { worktree: true, shared: true, tests: false },
  ])('is only reported where others may have made it: %j', (where) => {
    expect(judgeChanges(changes(['a']), [], where)).toEqual({
      is: 'reported',
      text: 'while it ran, files were changed without permission: `a`',
    });
    expect(judgeChanges('no git', ['a'], where)).toMatchObject({
      is: 'reported',
      text: expect.stringMatching(/: no git$/),
    });
  });

  it.each([
    [['src/a.ts', 'coverage/x'], 'failed', 'it changed without permission: `src/a.ts`'],
    [['coverage/x'], 'reported', 'it left files that git does not track: `coverage/x`'],
  ])('of tests is what git tracks: %j is %s', (changed, is, text) => {
    const where = { worktree: true, shared: false, tests: true };
    const judged = judgeChanges(changes(changed, ['coverage/x']), [], where);
    expect(judged).toEqual(is === 'failed' ? { is, reason: { code: 'E_PERMISSIONS', text } } : { is, text });
  });

  it('without tests is what git does not track, too', () => {
    const where = { worktree: true, shared: false, tests: false };
    expect(judgeChanges(changes(['a'], ['a']), [], where)).toMatchObject({ is: 'failed' });
  });
});
