import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readMark, readProcess } from '../../src/process/proc.ts';
import { endAll, signalProcess, sweepMarked } from '../../src/process/sweep.ts';
import { bundleHost } from './host.ts';
import { fixture, freshMark, lives, marked, processesNaming, start, until } from './support.ts';

const host = await bundleHost('sweep-host.ts');

/** Starts a process that nobody supervises. */
function leave(script: string, mark: string): number {
  const env = { PATH: process.env['PATH']!, MAILROOM_MARK: mark };
  return spawn('sh', [fixture(script)], { env, detached: true, stdio: 'ignore' }).pid!;
}

describe('the sweep', () => {
  it('ends what carries a mark with the prefix, and nothing else', async () => {
    const mark = freshMark();
    const other = freshMark();
    const pids = [leave('hangs.sh', `${mark}/1`), leave('hangs.sh', `${mark}/2`)];
    const spared = leave('hangs.sh', other);
    await until('all are marked', () => marked(mark).length === 2 && marked(other).length === 1);
    const began = performance.now();
    const sweep = await sweepMarked(mark, 5000);
    expect(performance.now() - began).toBeLessThan(4500);
    expect(new Set(sweep.ended.map(({ pid }) => pid))).toEqual(new Set(pids));
    expect(sweep).toMatchObject({ supported: true, survivors: [] });
    expect([...pids, spared].map(lives)).toEqual([false, false, true]);
  });

  it('takes a predicate', async () => {
    const mark = freshMark();
    const [first, second] = [leave('hangs.sh', `${mark}/1`), leave('hangs.sh', `${mark}/2`)];
    await until('both are marked', () => marked(mark).length === 2);
    await sweepMarked(`${mark}/2`);
    expect([first, second].map(lives)).toEqual([true, false]);
  });

  it('kills what does not obey when the grace time is over', async () => {
    const mark = freshMark();
    const pid = leave('ignores-term.sh', mark);
    await until('it ignores TERM', () => ignoresTerm(pid));
    const began = performance.now();
    expect((await sweepMarked(mark, 200)).ended).toHaveLength(1);
    expect(performance.now() - began).toBeGreaterThanOrEqual(200);
    expect(lives(pid)).toBe(false);
  });

  it('ends what a marked process has started without its mark', async () => {
    const mark = freshMark();
    const pid = leave('hides-mark.sh', mark);
    await until('the hidden one is there', () => hiddenChildOf(pid) !== undefined);
    const child = hiddenChildOf(pid)!;
    await sweepMarked(mark);
    expect([pid, child].map(lives)).toEqual([false, false]);
  });

  it('spares itself and those that have started it', async () => {
    const mark = freshMark();
    // A marked shell that has a marked bystander and runs a marked host, which sweeps.
    const script = 'sleep 1000 & "$@"; echo alive';
    const started = start(['sh', '-c', script, 'sh', process.execPath, host, mark], { mark });
    const result = await started.exited;
    expect(result.stdoutTail).toBe('1\nalive\n');
  });

  it('finds nothing where nothing is', async () => {
    expect(await sweepMarked(freshMark())).toEqual({ supported: true, ended: [], survivors: [] });
  });
});

describe('the end of what is found', () => {
  it('looks again where the last look could not say of every process whose it is', async () => {
    const mark = freshMark();
    const pid = leave('hangs.sh', mark);
    await until('it is marked', () => marked(mark).length === 1);
    let looks = 0;
    // In the middle of an exec a process shows no environment.
    const find = () => {
      looks += 1;
      const info = looks > 3 ? readProcess(pid) : null;
      return info === null || info.ended ? [] : [info];
    };
    const { ended, survivors } = await endAll(find, 0, () => looks <= 3);
    expect([ended.map((each) => each.pid), survivors]).toEqual([[pid], []]);
    expect(lives(pid)).toBe(false);
  });

  it('gives up what never becomes clear', async () => {
    expect(
      await endAll(
        () => [],
        0,
        () => true,
      ),
    ).toEqual({ ended: [], survivors: [] });
  });
});

describe('a signal', () => {
  it('does not reach another process under a recycled number', async () => {
    const started = start(['sh', fixture('hangs.sh')]);
    const { pid } = (await started.ready)!;
    signalProcess({ ...readProcess(pid)!, startTime: '00000000-1' }, 'SIGKILL');
    signalProcess(readProcess(pid)!, 'SIGTERM');
    expect(await started.exited).toMatchObject({ reason: 'exited', signal: 'SIGTERM' });
  });
});

function ignoresTerm(pid: number): boolean {
  const ignored = /^SigIgn:\s*([0-9a-f]+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]!;
  return (BigInt(`0x${ignored}`) & (1n << 14n)) !== 0n;
}

/** A child that lives and shows no mark. */
function hiddenChildOf(pid: number): number | undefined {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ');
  const sleeps = (child: number): boolean => processesNaming('sleep\0').includes(child);
  return children.map(Number).find((child) => child > 0 && sleeps(child) && readMark(child) === null);
}
