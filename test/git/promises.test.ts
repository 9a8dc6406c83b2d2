import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { commitOf, project } from './roles-at-work.ts';

const paths = vi.hoisted(() => ({ synced: new Set<string>() }));
/** The command lines of git, in their order. */
const asked = vi.hoisted((): string[] => []);
vi.mock(import('../../src/git/git.ts'), async (original) => {
  const real = await original();
  const git: typeof real.git = (args, options) => {
    asked.push(args.join(' '));
    return real.git(args, options);
  };
  return { ...real, git };
});
vi.mock(import('node:fs'), async (original) => {
  const real = await original();
  const fsync = (file: number, done: (error: Error | null) => void) => {
    paths.synced.add(real.readlinkSync(`/proc/self/fd/${String(file)}`));
    real.fsync(file, done);
  };
  return { ...real, fsync: fsync as typeof real.fsync };
});

describe('work of a role', () => {
  it('is on the disk with all of its objects before anybody names its commit', async () => {
    const { root, git, role, main } = project();
    const one = role('one');
    const entered = commitOf(await one.enter());
    one.put('deep/new.txt', 'new\n');
    paths.synced.clear();
    const commit = commitOf(await one.leave(entered));
    const objects = git('rev-list', '--objects', commit, '--not', main)
      .split('\n')
      .map((line) => line.split(' ')[0] ?? '');
    // The commit, two folders and the file.
    expect(objects).toHaveLength(4);
    const files = objects.map((id) => join(root, '.git/objects', id.slice(0, 2), id.slice(2)));
    for (const path of [...files, ...files.map((file) => dirname(file))])
      expect(paths.synced).toContain(path);
  });

  it('has refs and objects that git itself syncs before it ends', async () => {
    asked.length = 0;
    await project().role('one').does({ 'new.txt': 'new\n' });
    const writing = asked.filter((line) => / (?:commit-tree|update-ref) /.test(line));
    expect(writing.length).toBeGreaterThan(1);
    for (const line of writing) expect(line).toMatch(/^-c core\.fsync=(?=\S*reference)(?=\S*loose-object)/);
  });

  it('touches neither the index nor the checkout, the stash and the reflog of a person', async () => {
    const { root, git, put, role } = project();
    put('kept.txt', 'stashed\n');
    git('stash', 'push', '-q');
    put('staged.txt', 'staged\n');
    git('add', 'staged.txt');
    put('kept.txt', 'changed\n');
    put('new.txt', 'new\n');
    const theirs = () => [
      readFileSync(join(root, '.git/index')).toString('hex'),
      readFileSync(join(root, '.git/logs/HEAD'), 'utf8'),
      git('stash', 'list', '--format=%H'),
      git('for-each-ref', 'refs/heads/main', 'refs/stash'),
      git('symbolic-ref', 'HEAD'),
      git('status', '--porcelain'),
    ];
    const before = theirs();
    const one = await role('one').does({ 'one.txt': 'one\n', 'kept.txt': 'by one\n' });
    const two = await role('two').does({ 'two.txt': 'two\n' });
    await role('three').does({ 'three.txt': 'three\n' }, [one, two]);
    expect(theirs()).toEqual(before);
    expect([
      readFileSync(join(root, 'kept.txt'), 'utf8'),
      readFileSync(join(root, 'new.txt'), 'utf8'),
    ]).toEqual(['changed\n', 'new\n']);
  });

  it('stays beside the caches that lie in its checkout', async () => {
    const { role } = project();
    const [one, two] = [role('one'), role('two')];
    const entered = commitOf(await two.enter());
    two.put('cache.log', 'expensive\n');
    two.put('two.txt', 'two\n');
    await two.leave(entered);
    await two.enter([await one.does({ 'one.txt': 'one\n' })]);
    expect([two.read('cache.log'), two.read('one.txt')]).toEqual(['expensive\n', 'one\n']);
  });
});
