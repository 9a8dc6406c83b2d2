import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { enterWork, leaveWork } from '../../src/git/work.ts';
import { roleBranch, roleCheckout, type Entering, type Leaving, type Worked } from '../../src/kernel/work.ts';
import { temporaryFolder } from '../process/support.ts';

export const thread = '019f2c4b-7d3e-7a51-9c08-5b1e8d0f6a27';

/** Lands without anything that a person has approved. */
export const nothingApproved = { named: () => Promise.resolve([]), approved: null };

/** A project with one commit, and what roles do in their checkouts of it. */
export function project() {
  const root = join(temporaryFolder(), 'project');
  const git = (...args: string[]) => gitIn(root, ...args);
  const put = (path: string, text: string) => write(join(root, path), text);
  put('kept.txt', 'one\ntwo\nthree\nfour\nfive\nsix\n');
  put('.gitignore', '*.log\n');
  git('init', '-qb', 'main');
  put('.git/info/exclude', '.mailroom\n');
  git('add', '-A');
  git('commit', '-qm', 'first');
  return { ...projectAt(root), main: git('rev-parse', 'main') };
}

/** The same of a repository that exists. */
export function projectAt(root: string) {
  const git = (...args: string[]) => gitIn(root, ...args);
  const put = (path: string, text: string) => write(join(root, path), text);
  const role = (name: string, edits = true) => {
    const path = join(root, '.mailroom/worktrees', roleCheckout(thread, name));
    const turn = { turn: 't1', role: name, thread, branch: roleBranch(thread, name) };
    return {
      path,
      ref: `refs/heads/${turn.branch}`,
      put: (file: string, text: string) => write(join(path, file), text),
      read: (file: string) => readFileSync(join(path, file), 'utf8'),
      git: (...args: string[]) => gitIn(path, ...args),
      enter: (commits: readonly string[] = [], more: Partial<Entering> = {}) =>
        enterWork(root, path, {
          ...turn,
          edits,
          takes: taken(commits),
          base: null,
          last: null,
          resolves: 'text',
          resolving: null,
          ...more,
        }),
      leave: (entered: string, more: Partial<Leaving> = {}) => {
        const about = { title: 'Work', messages: ['m2'], entered, amends: null, takes: [], meets: [] };
        return leaveWork(root, path, { ...turn, ...about, ...more });
      },
      /** Enters, changes files and leaves. */
      async does(files: Readonly<Record<string, string>>, commits: readonly string[] = []): Promise<string> {
        const entered = commitOf(await this.enter(commits));
        for (const [file, text] of Object.entries(files)) this.put(file, text);
        return commitOf(await this.leave(entered));
      },
    };
  };
  return { root, git, put, role };
}

/** Work of another role with these commits. */
export function taken(commits: readonly string[]) {
  return commits.map((commit) => ({ commit, message: 'm1', from: 'other' }));
}

export function gitIn(cwd: string, ...args: string[]): string {
  const who = ['-c', 'user.name=a', '-c', 'user.email=a@example.org'];
  return execFileSync('git', [...who, ...args], { cwd, encoding: 'utf8', stdio: 'pipe' }).trim();
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

export function commitOf(worked: Worked): string {
  if (!worked.ok) throw new Error(worked.problem);
  return worked.commit;
}

export function problemOf(worked: Worked): string {
  return worked.ok ? `no problem: ${worked.commit}` : worked.problem;
}
