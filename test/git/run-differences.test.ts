import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { changeFinder, ownFiles } from '../../src/workflow/host/changes.ts';
import type { Launch } from '../../src/workflow/machine/launch.ts';
import { changedFiles, patchFromBase } from '../../src/git/run-differences.ts';
import { RunFiles } from '../../src/workflow/files/run-files.ts';
import { workflow } from '../workflow/files/samples.ts';
import { begin, filesOf } from '../workflow/host/hosted-run.ts';
import { temporaryFolder } from '../process/support.ts';

const none = { ignored: [], ours: [] };

function git(cwd: string, ...args: string[]): string {
  const identity = ['-c', 'user.name=a', '-c', 'user.email=a@example.org'];
  return execFileSync('git', [...identity, ...args], { cwd, encoding: 'utf8', stdio: 'pipe' });
}

function repository(): string {
  const root = temporaryFolder();
  git(root, 'init', '-q');
  for (const name of ['kept.txt', 'edited.txt', 'removed.txt', 'sub/inner.txt']) put(root, name, 'old\n');
  put(root, '.gitignore', '*.log\n');
  git(root, 'add', '-A');
  git(root, 'commit', '-qm', 'first');
  put(root, 'edited.txt', 'new\n');
  rmSync(join(root, 'removed.txt'));
  put(root, 'sub/un tracked/é\n.txt', 'untracked\n');
  put(root, 'noise.log', 'ignored by git\n');
  return root;
}

function put(root: string, name: string, content: string | Uint8Array): void {
  mkdirSync(join(root, name, '..'), { recursive: true });
  writeFileSync(join(root, name), content);
}

describe('changedFiles', () => {
  it('tells tracked and untracked files, and leaves the index of the person alone', async () => {
    const workspace = repository();
    put(workspace, 'staged.txt', 'staged\n');
    git(workspace, 'add', 'staged.txt');
    const index = readFileSync(join(workspace, '.git/index'));
    const changed = ['edited.txt', 'removed.txt', 'staged.txt', 'sub/un tracked/é\n.txt'];
    expect(await changedFiles({ workspace, base: 'HEAD' }, none)).toEqual({ ok: true, changed });
    expect(readFileSync(join(workspace, '.git/index'))).toEqual(index);
  });

  it('looks at the workspace alone, from where it is', async () => {
    const workspace = join(repository(), 'sub');
    const changes = await changedFiles({ workspace, base: 'HEAD' }, none);
    expect(changes).toEqual({ ok: true, changed: ['un tracked/é\n.txt'] });
  });

  it('leaves out what does not count, and only that', async () => {
    const workspace = repository();
    put(workspace, 'context/a/_meta.json', '{}');
    put(workspace, 'lib/deep/.hidden.ts', 'x');
    put(workspace, 'lib/.shown.ts', 'x');
    const globs = { ignored: ['con*', './lib/deep/'], ours: ['removed.txt', 'li', 'sub/un'] };
    expect(await changedFiles({ workspace, base: 'HEAD' }, globs)).toEqual({
      ok: true,
      changed: ['edited.txt', 'lib/.shown.ts', 'sub/un tracked/é\n.txt'],
    });
  });

  it('sees an edit that left size and time of a file as the index has them', async () => {
    const workspace = repository();
    const instant = new Date('2026-01-01T00:00:00Z');
    const file = join(workspace, 'kept.txt');
    utimesSync(file, instant, instant);
    git(workspace, '-c', 'core.trustctime=false', 'add', 'kept.txt');
    git(workspace, 'config', 'core.trustctime', 'false');
    put(workspace, 'kept.txt', 'ne!\n');
    utimesSync(file, instant, instant);
    utimesSync(join(workspace, '.git/index'), instant, instant);
    expect(
      await changedFiles({ workspace, base: 'HEAD' }, { ignored: ['sub', '*ed.txt'], ours: [] }),
    ).toEqual({
      ok: true,
      changed: ['kept.txt'],
    });
  });

  it.each(['--assume-unchanged', '--skip-worktree'])('believes no flag %s of the index', async (flag) => {
    const workspace = repository();
    git(workspace, 'add', '-A');
    git(workspace, 'commit', '-qm', 'second');
    git(workspace, 'update-index', flag, 'kept.txt', 'edited.txt', 'sub/inner.txt');
    expect(await changedFiles({ workspace, base: 'HEAD' }, none)).toEqual({ ok: true, changed: [] });
    put(workspace, 'kept.txt', 'changed\n');
    rmSync(join(workspace, 'sub/inner.txt'));
    const changed = ['kept.txt', 'sub/inner.txt'];
    expect(await changedFiles({ workspace, base: 'HEAD' }, none)).toEqual({ ok: true, changed });
    const patch = await patchFromBase({ workspace, base: 'HEAD' }, []);
    expect(patch?.toString()).toContain('-old\n+changed\n');
  });

  it('takes what a sparse checkout leaves out for no change, and sees what lies there all the same', async () => {
    const workspace = repository();
    git(workspace, 'add', '-A');
    git(workspace, 'commit', '-qm', 'second');
    git(workspace, 'sparse-checkout', 'set', '--no-cone', '/kept.txt');
    expect(await changedFiles({ workspace, base: 'HEAD' }, none)).toEqual({ ok: true, changed: [] });
    put(workspace, 'kept.txt', 'changed\n');
    put(workspace, 'edited.txt', 'changed\n');
    expect(await changedFiles({ workspace, base: 'HEAD' }, none)).toEqual({
      ok: true,
      changed: ['edited.txt', 'kept.txt'],
    });
  });

  it('compares with any commit, and with nothing where there is none yet', async () => {
    const workspace = repository();
    git(workspace, 'add', '-A');
    git(workspace, 'commit', '-qm', 'second');
    const first = git(workspace, 'rev-parse', 'HEAD~1').trim();
    expect(await changedFiles({ workspace, base: 'HEAD' }, none)).toMatchObject({ changed: [] });
    expect(await changedFiles({ workspace, base: first }, none)).toMatchObject({
      changed: ['edited.txt', 'removed.txt', 'sub/un tracked/é\n.txt'],
    });
    const fresh = temporaryFolder();
    git(fresh, 'init', '-q');
    put(fresh, 'a.txt', 'a');
    expect(await changedFiles({ workspace: fresh, base: 'HEAD' }, none)).toMatchObject({
      changed: ['a.txt'],
    });
  });

  it.each(['nobody', '--output=/tmp/x', ''])('says that git knows no commit %j', async (base) => {
    const workspace = repository();
    const problem = `git knows no commit ${JSON.stringify(base)}`;
    expect(await changedFiles({ workspace, base }, none)).toEqual({ ok: false, problem });
  });

  it('says that this is not a git working tree', async () => {
    const workspace = temporaryFolder();
    const problem = `${workspace} is not a git working tree`;
    expect(await changedFiles({ workspace, base: 'HEAD' }, none)).toEqual({ ok: false, problem });
  });
});

describe('salvage', () => {
  it('makes a patch that brings everything back, bytes that are no text too', async () => {
    const workspace = repository();
    put(workspace, 'picture.bin', Buffer.from([0, 1, 2, 255, 0]));
    put(workspace, 'latin.txt', Buffer.from([0xe9, 0x0a]));
    const patch = await patchFromBase({ workspace, base: 'HEAD' }, []);
    const other = temporaryFolder();
    git(other, 'clone', '-q', workspace, '.');
    writeFileSync(join(other, '.git/patch'), patch ?? '');
    git(other, 'apply', '.git/patch');
    const same = ['edited.txt', 'picture.bin', 'latin.txt', 'sub/un tracked/é\n.txt'];
    for (const name of same)
      expect(readFileSync(join(other, name))).toEqual(readFileSync(join(workspace, name)));
    expect(git(other, 'status', '--porcelain')).toContain(' D removed.txt');
  });

  it('can be applied to a workspace that lies below the top of its repository', async () => {
    const root = repository();
    put(root, 'sub/inner.txt', 'new\n');
    const patch = await patchFromBase({ workspace: join(root, 'sub'), base: 'HEAD' }, []);
    const other = temporaryFolder();
    git(other, 'clone', '-q', root, '.');
    writeFileSync(join(other, '.git/patch'), patch ?? '');
    git(join(other, 'sub'), 'apply', '../.git/patch');
    expect(readFileSync(join(other, 'sub/inner.txt'), 'utf8')).toBe('new\n');
  });

  it('is bounded, says where it was cut, and tells no secret', async () => {
    const workspace = repository();
    put(workspace, 'edited.txt', 'my s3cret\n'.repeat(10_000));
    const patch =
      (await patchFromBase({ workspace, base: 'HEAD' }, ['s3cret'], { limit: 5_000 }))?.toString() ?? '';
    expect(patch.length).toBeLessThanOrEqual(5_100);
    expect(patch).toMatch(/\n\+my \*\*\*\n# cut here: the differences are longer\n$/);
    expect(patch).not.toContain('s3cret');
  });

  it('has what a person did first, and nothing that Mailroom wrote', async () => {
    const workspace = repository();
    put(workspace, '.mailroom/runs/1/dead/bad/difference.patch', 'x\n'.repeat(3_000));
    put(workspace, 'context/_workflow.json', '{}');
    put(workspace, 'context/bad/_meta.json', '{}');
    put(workspace, 'of another run/_workflow.json', '{}');
    put(workspace, 'of another run/bad/_meta.json', '{}');
    put(workspace, 'agents/qa/inbox/letter.md', 'hello');
    put(workspace, 'agents/qa/role.md', 'of the person');
    put(workspace, 'a/generated.txt', 'x\n'.repeat(3_000));
    put(workspace, 'src/[real] *.txt', 'change\n');
    const ours = ownFiles(workspace, join(workspace, 'context'));
    const kept = { ours: (changed: readonly string[]) => ours(workspace, changed) };
    const patchOf = async (limit?: number) =>
      (
        await patchFromBase({ workspace, base: 'HEAD' }, [], { ...kept, ...(limit && { limit }) })
      )?.toString() ?? '';
    const files = ['removed.txt', 'edited.txt', 'src/[real] *.txt', 'agents/qa/role.md', 'a/generated.txt'];
    const whole = await patchOf();
    const found = [...whole.matchAll(/^diff --git "?a\/(.*?)"? "?b\//gm)].map(([, name = '']) => name);
    expect(found.filter((name) => !name.startsWith('sub/')).toSorted()).toEqual(files.toSorted());
    expect(found.at(-1)).toBe('a/generated.txt');
    expect(whole).not.toMatch(/_workflow|_meta|\.mailroom|letter\.md/);
    const cut = await patchOf(3_000);
    expect(cut).toContain('+change');
    expect(cut).toContain('# cut here');
  });

  it('leaves out what Mailroom wrote where the project is below the top, and keeps a checkout', async () => {
    const root = repository();
    const project = join(root, 'sub/project');
    const checkout = join(root, 'sub/project/.mailroom/worktrees/t1');
    put(project, '.mailroom/journal', 'x');
    put(project, 'context/_workflow.json', '{}');
    put(project, 'mine.txt', 'mine\n');
    const patchIn = async (workspace: string) => {
      const ours = ownFiles(project, join(project, 'context'));
      const kept = { ours: (changed: readonly string[]) => ours(workspace, changed) };
      return (await patchFromBase({ workspace, base: 'HEAD' }, [], kept))?.toString() ?? '';
    };
    for (const workspace of [project, root]) {
      const patch = await patchIn(workspace);
      expect(patch).toContain('b/sub/project/mine.txt');
      expect(patch).not.toMatch(/journal|_workflow/);
    }
    rmSync(join(project, '.mailroom'), { recursive: true });
    put(checkout, 'work.txt', 'work\n');
    expect(await patchIn(checkout)).toContain('worktrees/t1/work.txt');
  });

  it('is nothing where nothing changed, and outside git', async () => {
    const workspace = repository();
    git(workspace, 'add', '-A');
    git(workspace, 'commit', '-qm', 'second');
    expect(await patchFromBase({ workspace, base: 'HEAD' }, [])).toBe(null);
    expect(await patchFromBase({ workspace: temporaryFolder(), base: 'HEAD' }, [])).toBe(null);
  });
});

it('says why a run cannot be told what changed, whatever went wrong', async () => {
  const workspace = repository();
  vi.stubEnv('TMPDIR', join(workspace, 'nowhere'));
  onTestFinished(() => void vi.unstubAllEnvs());
  const launch = { convergence: null, inputs: [], check: null } as unknown as Launch;
  const files = new RunFiles(filesOf(begin(workflow()), workflow()));
  const changes = await changeFinder(files, `${workspace}/context`)(launch, workspace);
  expect(changes).toContain('ENOENT');
});
