import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Landings, type LandingWork } from '../../src/git/landing.ts';
import { swapLanding, type Swapped } from '../../src/git/landing-swap.ts';
import type { LandingWay } from '../../src/kernel/work.ts';
import { temporaryFolder } from '../process/support.ts';

export function gitIn(cwd: string, ...args: string[]): string {
  const who = ['-c', 'user.name=a', '-c', 'user.email=a@example.org', '-c', 'protocol.file.allow=always'];
  return execFileSync('git', [...who, ...args], { cwd, encoding: 'utf8', stdio: 'pipe' }).trim();
}

/** A project whose `main` is checked out, and work on branches beside it. */
export function project() {
  const root = join(temporaryFolder(), 'project');
  mkdirSync(root, { recursive: true });
  const git = (...args: string[]) => gitIn(root, ...args);
  const put = (path: string, text: string) => write(join(root, path), text);
  git('init', '-qb', 'main');
  put('kept.txt', 'one\ntwo\nthree\nfour\nfive\nsix\n');
  put('.git/info/exclude', '.mailroom\n');
  git('add', '-A');
  git('commit', '-qm', 'first');
  const aside = join(root, '.mailroom/worktrees/aside');
  git('worktree', 'add', '-q', '--detach', aside);
  /** A commit with these files on another one, made aside. */
  const work = (files: Readonly<Record<string, string | null>>, from = 'main', title = 'Work'): string => {
    gitIn(aside, 'checkout', '-q', '--detach', from);
    for (const [path, text] of Object.entries(files))
      if (text === null) rmSync(join(aside, path));
      else write(join(aside, path), text);
    gitIn(aside, 'add', '-A');
    gitIn(aside, 'commit', '-qm', title);
    return gitIn(aside, 'rev-parse', 'HEAD');
  };
  const prepare = (commit: string, by: LandingWay = 'merge', more: Partial<LandingWork> = {}) =>
    new Landings(root, () => Promise.resolve([])).prepare({
      commit,
      by,
      branch: 'main',
      author: 'one',
      text: 'Land it\n',
      ...more,
    });
  const swap = (onto: string, result: string, settles = false, branch = 'main') =>
    swapLanding(root, { branch, onto, result }, settles);
  /** Lands a commit, which must be possible. */
  const land = async (commit: string, by: LandingWay = 'merge'): Promise<Swapped> => {
    const prepared = await prepare(commit, by);
    if (prepared.is !== 'ready') throw new Error(prepared.problem);
    return swap(prepared.onto, prepared.result);
  };
  const at = (name: string) => git('rev-parse', name);
  const status = () => git('status', '--porcelain', '--untracked-files=no');
  const read = (path: string) => readFileSync(join(root, path), 'utf8');
  return { root, aside, git, put, work, prepare, swap, land, at, status, read };
}

export function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

const six = ['one', 'two', 'three', 'four', 'five', 'six'];
export const withLine = (index: number, line: string) => `${six.with(index, line).join('\n')}\n`;
