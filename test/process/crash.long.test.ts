import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { probeContainment } from '../../src/process/sandbox/containment.ts';
import { sweepMarked } from '../../src/process/sweep.ts';
import type { Containment } from '../../src/process/types.ts';
import { bundleHost, startHost } from './host.ts';
import { containmentsHere, fixture, freshMark, marked, pause, temporaryFolder, until } from './support.ts';

/** The host dies after it has begun to spawn in two of three rounds, after it has let one go in the third. */
const ROUNDS = 24;
const AT_ONCE = 2;
const LATEST_KILL_MS = 10;

const kinds = await containmentsHere();
const host = await bundleHost('crash-host.ts');

/** Kills a host at a random moment after it has said the word. */
async function crash(containment: Containment, mark: string, folder: string, word: 's' | 'r'): Promise<void> {
  mkdirSync(folder);
  const job = { containment, mark, folder, agent: fixture('leaves-mark.sh') };
  const running = startHost(host, JSON.stringify(job));
  await running.said(word);
  await pause(Math.random() * LATEST_KILL_MS);
  await running.kill();
}

const here = kinds.map(({ kind }) => kind);
const absent = (['namespace', 'bubblewrap'] as const).filter((kind) => !here.includes(kind));

it(`is tried with ${here.join(', ')}; this machine lacks ${absent.join(', ') || 'none'}`, async () => {
  const probe = await probeContainment();
  expect(absent.filter((kind) => probe[kind].works)).toEqual([]);
});

describe.each(kinds)('hosts killed at random moments, with a $kind', (containment: Containment) => {
  it('leave nothing running, and nothing that was not let go has started', async () => {
    const mark = freshMark();
    const folder = temporaryFolder();
    const folders = Array.from({ length: ROUNDS }, (_, round) => join(folder, String(round)));
    const lane = async (first: number): Promise<void> => {
      for (let round = first; round < ROUNDS; round += AT_ONCE) {
        await crash(containment, `${mark}/${round}`, folders[round]!, round % 3 === 2 ? 'r' : 's');
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, (_, first) => lane(first)));

    if (containment.kind === 'group') {
      const waiting = (): boolean => folders.some((_, round) => marked(`${mark}/${round}/gated`).length > 0);
      await until('the gates have closed', () => !waiting());
      await sweepMarked(mark);
      expect(marked(mark)).toEqual([]);
    } else {
      await until('nothing is left', () => marked(mark).length === 0);
    }
    expect(folders.filter((one) => existsSync(join(one, 'gated')))).toEqual([]);
    // Some of the hosts lived long enough to let one go, else this shows nothing.
    expect(folders.some((one) => existsSync(join(one, 'released')))).toBe(true);
  });
});
