import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { conversation, foldersAfter } from './conversation.ts';
import { branch, open, person, repository, temporaryFolder, write } from './support.ts';

const writerProcess = fileURLToPath(new URL('writer-process.ts', import.meta.url));

interface Child {
  /** The exit code and what was said on standard error. */
  readonly ended: Promise<{ code: number | null; said: string }>;
  /** Kills the program alone, not what it has started. */
  kill(): void;
}

function start(argv: readonly string[], cwd: string): Child {
  const child = spawn(argv[0] ?? '', argv.slice(1), { cwd, stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (said += chunk));
  const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, said }));
  return { ended, kill: () => child.kill('SIGKILL') };
}

/**
 * Does something in a shell over and over, until a file called `stop` is there, at most so often; ends at the first
 * failure.
 */
function repeat(folder: string, script: string, atMost = 1_000_000): Child & { stop(): void } {
  const control = temporaryFolder();
  const text = `set -e
    git() { command git -c user.name=P -c user.email=p@example.org -c gc.auto=0 "$@"; }
    n=0
    while [ $n -lt 2 ] || [ ! -e '${control}/stop' -a $n -lt ${String(atMost)} ]; do n=$((n + 1)); ${script}
    done`;
  return { ...start(['sh', '-c', text], folder), stop: () => write(control, 'stop', '') };
}

function treeOf(folder: string, name = branch): Map<string, string> {
  const list = person(folder, ['ls-tree', '-r', '-z', '--format=%(path) %(objectname)', name]);
  const lines = list.split('\0').filter((line) => line !== '');
  const ids = lines.map((line) => line.slice(line.lastIndexOf(' ') + 1));
  const contents = person(folder, ['cat-file', '--batch=%(objectname)', '--buffer'], `${ids.join('\n')}\n`);
  const texts = contents.split(/^[0-9a-f]{40}\n/m).slice(1);
  return new Map(
    lines.map((line, index) => [line.slice(0, line.lastIndexOf(' ')), (texts[index] ?? '').slice(0, -1)]),
  );
}

/** The numbers of one project's commits on its branch, oldest first. */
function seqsOf(folder: string, author: string, name = branch): number[] {
  const log = person(folder, [
    'log',
    '--reverse',
    '--fixed-strings',
    `--author=<${author}>`,
    '--format=%(trailers:key=Seq,valueonly)',
    name,
  ]);
  return log.split('\n').filter(Boolean).map(Number);
}

function turnOfTheLoop(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function upTo(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index + 1);
}

describe('the trail beside other users of the repository', () => {
  it('never touches the branches, the index and the working tree of a person who works there', async () => {
    const folder = repository();
    write(folder, 'inner/README.md', 'A second project\n');
    write(folder, '.gitignore', 'agents/\n');
    person(folder, ['add', '.']);
    person(folder, ['commit', '--quiet', '--message=Second']);
    const [outside, inside] = [1_200, 900];
    const second = start(
      [process.execPath, '--import', 'tsx', writerProcess, join(folder, 'inner'), branch, String(inside)],
      process.cwd(),
    );
    const work = repeat(
      folder,
      `echo $n >> README.md; git commit --quiet -am "Mine $n"
       echo $n > new.txt; git add new.txt; echo more >> new.txt; git diff --cached --quiet && exit 9
       git stash push --quiet --include-untracked; test ! -e new.txt
       git checkout --quiet -b side; git stash pop --quiet --index; test "$(git show :new.txt)" = $n
       git rm --quiet --force new.txt; git checkout --quiet main; git branch --quiet -D side
       test -z "$(git status --porcelain)"`,
    );
    const writer = open(folder);
    for (const entry of conversation(outside)) {
      writer.record(entry);
      if (entry.seq % 100 === 0) await turnOfTheLoop();
    }
    await writer.settled();
    expect(await second.ended).toEqual({ code: 0, said: '' });
    work.stop();
    expect(await work.ended).toEqual({ code: 0, said: '' });
    expect(writer.problem()).toBeNull();

    expect(seqsOf(folder, 'mailroom@localhost')).toEqual(upTo(outside));
    expect(treeOf(folder)).toEqual(foldersAfter(outside));
    const inner = `${branch}.inner`;
    expect(seqsOf(folder, 'mailroom+inner/@localhost', inner)).toEqual(upTo(inside));
    const files = [...foldersAfter(inside)].map(([path, text]) => [`inner/${path}`, text] as const);
    expect(treeOf(folder, inner)).toEqual(new Map(files));

    const mine = person(folder, ['log', '--reverse', '--format=%s', 'main']).trim().split('\n');
    expect(mine.slice(0, 3)).toEqual(['First', 'Second', 'Mine 1']);
    expect(mine.slice(2)).toEqual(upTo(mine.length - 2).map((n) => `Mine ${String(n)}`));
    expect(person(folder, ['ls-tree', '-r', '--name-only', 'main']).trim().split('\n')).toEqual([
      '.gitignore',
      'README.md',
      'inner/README.md',
    ]);
    expect(person(folder, ['status', '--porcelain', '--ignored'])).toBe('');
    expect(person(folder, ['for-each-ref', '--format=%(refname)']).trim().split('\n')).toHaveLength(3);
    expect(person(folder, ['fsck', '--full', '--strict', '--no-dangling'])).toBe('');
  });

  it('continues where a killed controller was, without a hole and with nothing twice', async () => {
    const folder = repository();
    const all = conversation(1_000);
    const argv = [process.execPath, '--import', 'tsx', writerProcess, folder, branch, String(all.length)];
    const child = start(argv, process.cwd());
    while (person(folder, ['for-each-ref', `refs/heads/${branch}`]) === '') await turnOfTheLoop();
    child.kill();
    const writer = open(folder);
    const position = await writer.position();
    expect(position).toBeGreaterThan(0);
    for (const entry of all.slice(position ?? 0)) writer.record(entry);
    await writer.settled();
    await child.ended;
    expect(seqsOf(folder, 'mailroom@localhost')).toEqual(upTo(all.length));
    expect(treeOf(folder)).toEqual(foldersAfter(all.length));
    expect(person(folder, ['fsck', '--full', '--strict', '--no-dangling'])).toBe('');
  });

  it('survives a person who prunes everything that nothing refers to, over and over', async () => {
    const folder = repository();
    // Not without end: on a slow machine every pack that is being written would be deleted by the next of them.
    const prune = 'git reflog expire --expire=now --all; git gc --quiet --prune=now';
    const cleaning = repeat(folder, prune, 30);
    const writer = open(folder);
    const all = conversation(400);
    for (const entry of all) {
      writer.record(entry);
      if (entry.seq % 25 === 0) await writer.settled();
    }
    cleaning.stop();
    expect((await cleaning.ended).code).toBe(0);
    await writer.settled();
    expect(seqsOf(folder, 'mailroom@localhost')).toEqual(upTo(all.length));
    expect(person(folder, ['fsck', '--full', '--strict', '--no-dangling'])).toBe('');
    expect(treeOf(folder)).toEqual(foldersAfter(all.length));
  });
});
