import { describe, expect, it } from 'vitest';
import { marked, start } from './support.ts';

const MB = 1024 * 1024;

describe('a process with a final event', () => {
  it.each([
    ['is silent', 'exec sleep 1000'],
    ['goes on printing', 'while :; do echo more; sleep 0.01; done'],
    ['ignores TERM', "trap '' TERM; while :; do sleep 1; done"],
    ['has closed its output', 'exec 1>&- 2>&-; sleep 1000'],
    ['has left a child', 'sleep 1000 & wait'],
  ])('is ended with its tree when it has printed its final event and %s', async (_, rest) => {
    let seen = '';
    const finish = { graceMs: 20, isFinal: (output: string) => (seen += output).includes('final') };
    const started = start(['sh', '-c', `echo work; echo final; ${rest}`], { finish, graceMs: 100 });
    expect(await started.exited).toMatchObject({ reason: 'lingered', survivors: [] });
    expect(marked(started.spec.mark)).toEqual([]);
  });

  it('keeps what it has finished when its time is over first, and not what it has not', async () => {
    const limits = { totalMs: 1_000, idleMs: null, outputBytes: MB };
    const ending = async (word: string) => {
      const finish = { graceMs: 60_000, isFinal: (output: string) => output.includes('final') };
      return (await start(['sh', '-c', `echo ${word}; exec sleep 1000`], { finish, limits }).exited).reason;
    };
    expect(await Promise.all(['work', 'final'].map(ending))).toEqual(['total-timeout', 'lingered']);
  });
});
