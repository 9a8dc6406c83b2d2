import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { afterEach, describe, expect, it } from 'vitest';
import { isPassing } from '../../src/kernel/passing.ts';
import { temporaryFolder } from '../process/support.ts';
import { commitOf, problemOf, project } from './roles-at-work.ts';

const home = process.env['HOME'];
afterEach(() => {
  process.env['HOME'] = home;
});

/** Settings of the user, for every git of this test. */
function configureUser(text: string): void {
  const folder = temporaryFolder();
  writeFileSync(join(folder, '.gitconfig'), text);
  process.env['HOME'] = folder;
}

describe('a turn in a repository', () => {
  it('with a filter whose program is not installed waits for it, and loses nothing', async () => {
    const { git, put, role } = project();
    put('.gitattributes', '*.big filter=large\n');
    put('one.big', 'one\n');
    git('add', '-A');
    git('commit', '-qm', 'large');
    const one = role('one');
    const entered = commitOf(await one.enter());
    one.put('two.big', 'two\n');
    for (const command of ['no-such-program %f', 'no-such-program']) {
      configureUser(`[filter "large"]\n\tclean = ${command}\n\tsmudge = ${command}\n\trequired = true\n`);
      for (const worked of [await one.leave(entered), await role('other').enter()]) {
        const problem = problemOf(worked);
        expect(problem).toContain('git needs a program that is not installed: no-such-program');
        expect(isPassing(problem)).toBe(true);
      }
    }
    configureUser('');
    expect(git('show', `${commitOf(await one.leave(entered))}:two.big`)).toBe('two');
    expect(commitOf(await role('other').enter())).toBe(entered);
  });

  it('with large files keeps every byte of them', async () => {
    const { git, role } = project();
    const bytes = randomBytes(24 * 1024 * 1024);
    const one = role('one');
    const entered = commitOf(await one.enter());
    writeFileSync(join(one.path, 'large.bin'), bytes);
    const commit = commitOf(await one.leave(entered));
    expect(git('cat-file', '-s', `${commit}:large.bin`)).toBe(String(bytes.length));
    const two = role('two');
    await two.enter([commit]);
    expect(readFileSync(join(two.path, 'large.bin')).equals(bytes)).toBe(true);
  });
});
