import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { keeper } from '../../src/workflow/host/rollback-port.ts';
import { rollBack } from '../../src/git/rollback.ts';
import { workspaceTree } from '../../src/git/workspace-tree.ts';
import { RealDisk } from '../../src/disk/real-disk.ts';
import { temporaryFolder } from '../process/support.ts';

const was = { 'edited.txt': 'old\n', 'removed.txt': 'there\n', becomes: 'a file\n' };
const ignored = { '.mailroom/runs/r/run.json': '{}', 'noise.log': 'noise\n' };
const changed = { 'edited.txt': 'new\n', 'added/é.txt': 'added\n', 'becomes/folder.txt': 'in it\n' };

/** A workspace below the top of a repository, which a run has changed, and what keeps what is undone. */
class Workspace {
  readonly root = join(temporaryFolder(), 'sub');
  readonly #keep: (patch: Uint8Array) => void;
  #tree = '';

  private constructor() {
    this.put(was);
    this.put(ignored);
    this.git('init', '-q', '..');
    this.put({ '.gitignore': '*.log\n.mailroom/\n' });
    this.#keep = keeper(new RealDisk(this.root), '.mailroom/runs/r');
  }

  static async changed(): Promise<Workspace> {
    const workspace = new Workspace();
    workspace.#tree = (await workspaceTree(workspace.root)) ?? '';
    for (const name of ['removed.txt', 'becomes']) rmSync(join(workspace.root, name));
    workspace.put({ ...changed, 'context/shown.txt': 'of the run\n' });
    return workspace;
  }

  put(texts: Readonly<Record<string, string>>): void {
    for (const [path, text] of Object.entries(texts)) {
      mkdirSync(join(this.root, path, '..'), { recursive: true });
      writeFileSync(join(this.root, path), text);
    }
  }

  git(...args: string[]): void {
    execFileSync('git', args, { cwd: this.root, stdio: 'pipe' });
  }

  rollBack(keep = this.#keep) {
    const ours = (path: string) => path.startsWith('context/');
    return rollBack({ workspace: this.root, tree: this.#tree, ours, secrets: [], keep });
  }

  /** A host keeps what it is about to undo, undoes one file, and dies. */
  async dies(): Promise<void> {
    await this.rollBack((patch) => {
      this.#keep(patch);
      throw new Error('killed');
    });
    this.put({ 'edited.txt': 'old\n' });
  }

  get patches(): string[] {
    return readdirSync(join(this.root, '.mailroom/runs/r')).filter((name) => name.endsWith('.patch'));
  }

  files(): Record<string, string> {
    const names = readdirSync(this.root, { recursive: true, withFileTypes: true }).filter((each) =>
      each.isFile(),
    );
    return Object.fromEntries(
      names
        .map(({ parentPath, name }) => join(parentPath, name).slice(this.root.length + 1))
        .filter((path) => !path.endsWith('.patch') && path !== '.gitignore')
        .map((path) => [path, readFileSync(join(this.root, path), 'utf8')]),
    );
  }
}

const putBack = { ...was, ...ignored, 'context/shown.txt': 'of the run\n' };

describe('rollBack', () => {
  it('puts back what it has kept, and nothing else', async () => {
    const workspace = await Workspace.changed();
    expect(await workspace.rollBack()).toEqual({ files: 5, problem: null });
    expect(workspace.files()).toEqual(putBack);
    expect(existsSync(join(workspace.root, 'added'))).toBe(false);
    workspace.git('apply', '.mailroom/runs/r/rolled-back.patch');
    expect(workspace.files()).toEqual({ ...ignored, ...changed, 'context/shown.txt': 'of the run\n' });
  });

  it('is finished after a crash in the middle, and what was kept still has all of it', async () => {
    const workspace = await Workspace.changed();
    await workspace.dies();
    expect(workspace.files()).toMatchObject({ ...changed, 'edited.txt': 'old\n' });
    expect(await workspace.rollBack()).toEqual({ files: 4, problem: null });
    expect(workspace.files()).toEqual(putBack);
    expect(workspace.patches).toEqual(['rolled-back.patch']);
    workspace.git('apply', '.mailroom/runs/r/rolled-back.patch');
    expect(workspace.files()).toMatchObject(changed);
  });

  it('keeps beside it what somebody has done since the crash', async () => {
    const workspace = await Workspace.changed();
    await workspace.dies();
    expect(workspace.files()).toMatchObject({ ...changed, 'edited.txt': 'old\n' });
    workspace.put({ 'edited.txt': 'by a person\n' });
    expect(await workspace.rollBack()).toEqual({ files: 5, problem: null });
    expect(workspace.files()).toEqual(putBack);
    expect(workspace.patches.toSorted()).toEqual(['rolled-back-2.patch', 'rolled-back.patch']);
    workspace.git('apply', '.mailroom/runs/r/rolled-back-2.patch');
    expect(workspace.files()).toMatchObject({ 'edited.txt': 'by a person\n' });
  });

  it.each(['becomes/a.log', 'becomes'])('loses nothing that git ignores: %s', async (path) => {
    const workspace = await Workspace.changed();
    rmSync(join(workspace.root, 'becomes'), { recursive: true });
    workspace.put({ '../.git/info/exclude': '/sub/becomes\n*.log\n', 'sub.log': '' });
    const kept = path === 'becomes' ? { 'becomes/inner': 'nowhere else\n' } : { [path]: 'nowhere else\n' };
    workspace.put(kept);
    const { problem } = await workspace.rollBack();
    expect(problem).toMatch(
      /^`sub\/becomes` is not put back: `sub\/becomes\/(a.log|inner)`, which git ignores/,
    );
    expect(workspace.files()).toMatchObject({ ...kept, 'edited.txt': 'old\n', 'removed.txt': 'there\n' });
    rmSync(join(workspace.root, 'becomes'), { recursive: true });
    expect(await workspace.rollBack()).toEqual({ files: 1, problem: null });
    expect(workspace.files()).toMatchObject(was);
  });

  it('takes no repository away that was begun meanwhile', async () => {
    const workspace = await Workspace.changed();
    workspace.put({ 'begun/work.txt': 'nowhere else\n' });
    workspace.git('init', '-q', 'begun');
    workspace.git('-C', 'begun', 'add', '--all');
    workspace.git('-C', 'begun', '-c', 'user.name=a', '-c', 'user.email=a@b.c', 'commit', '-qm', 'begun');
    const { problem } = await workspace.rollBack();
    expect(problem).toBe(
      '`sub/begun` is not taken away: it is a repository of its own; move it, then resume the run',
    );
    expect(workspace.files()).toMatchObject({ ...putBack, 'begun/work.txt': 'nowhere else\n' });
  });

  it('undoes nothing that it cannot keep', async () => {
    const workspace = await Workspace.changed();
    const full = () => {
      throw new Error('the disk is full');
    };
    expect(await workspace.rollBack(full)).toEqual({ files: 0, problem: 'the disk is full' });
    expect(workspace.files()).toMatchObject(changed);
  });
});
