import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from '../support/fast-check.ts';
import { describe, expect, it } from 'vitest';
import { isPlainIndex } from '../../src/git/plain-index.ts';
import { temporaryFolder } from '../process/support.ts';
import { gitIn } from './roles-at-work.ts';

const sha1 = 20;

/** A repository with files of many lengths of name, and what its index says. */
function indexed(format = 'sha1') {
  const root = join(temporaryFolder(), 'project');
  execFileSync('git', ['init', '-q', `--object-format=${format}`, root]);
  const names = [
    'a',
    'ab/c.txt',
    'ä ö\nü.txt',
    'x'.repeat(200),
    ...'123456789'.split('').map((n) => 'n'.repeat(Number(n))),
  ];
  names.push(`${'d'.repeat(250)}/${'e'.repeat(250)}/`.repeat(8).concat('deep'));
  for (const name of names) {
    mkdirSync(join(root, name, '..'), { recursive: true });
    writeFileSync(join(root, name), 'x\n');
  }
  const git = (...args: string[]) => gitIn(root, ...args);
  git('add', '-A');
  git('commit', '-qm', 'first');
  return { git, index: () => readFileSync(join(root, '.git/index')) };
}

describe('an index', () => {
  it.each(['2', '3', '4'])('of version %s is plain without marks, and not with them', (version) => {
    const { git, index } = indexed();
    git('update-index', '--index-version', version);
    const [plain, marks] = [isPlainIndex(index(), sha1), ['assume-unchanged', 'skip-worktree']];
    const marked = marks.map((mark) => {
      git('update-index', `--${mark}`, 'n'.repeat(9));
      const found = isPlainIndex(index(), sha1);
      git('update-index', `--no-${mark}`, 'n'.repeat(9));
      return [found, isPlainIndex(index(), sha1)];
    });
    expect([plain, marked]).toEqual([true, marks.map(() => [false, true])]);
  });

  it('of a repository with SHA-256 is read by the length of its names', () => {
    const { index } = indexed('sha256');
    expect([isPlainIndex(index(), 32), isPlainIndex(index(), sha1)]).toEqual([true, false]);
  });

  it.each<[string, (git: (...args: string[]) => string) => void]>([
    ['a submodule', (git) => git('update-index', '--add', '--cacheinfo', `160000,${'1'.repeat(40)},lib`)],
    ['entries in another file', (git) => git('update-index', '--split-index')],
    [
      'a folder of a sparse checkout',
      (git) => git('sparse-checkout', 'set', '--cone', '--sparse-index', 'ab'),
    ],
  ])('with %s is not plain', (_what, change) => {
    const { git, index } = indexed();
    change(git);
    expect(isPlainIndex(index(), sha1)).toBe(false);
  });

  it('that is cut off or overwritten is not taken for plain by an error, whatever lies there', () => {
    const whole = indexed().index();
    for (let length = 0; length < whole.length; length += 7)
      expect(isPlainIndex(whole.subarray(0, length), sha1)).toBe(false);
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), fc.nat(whole.length - 300), (bytes, at) => {
        const broken = Buffer.from(whole);
        broken.set(bytes, at);
        expect(typeof isPlainIndex(broken, sha1)).toBe('boolean');
      }),
    );
  });
});
