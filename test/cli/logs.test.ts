import { describe, expect, it } from 'vitest';
import { logAt, startOfLast } from '../../src/disk/log.ts';
import { MemoryDisk } from '../support/memory-disk.ts';
import { ProjectFixture } from './project-fixture.ts';
import { letter } from './team.ts';

const stdout = '.mailroom/turns/t1/1/stdout';

/** A team whose engineer works in the turn t1 and has printed this. */
function working(printed: string | null): ProjectFixture {
  const fixture = new ProjectFixture();
  fixture.drop('agents/user/outbox/e.md', letter('errand', 'engineer', 'Do it'));
  if (printed !== null) fixture.disk.write(stdout, printed);
  return fixture;
}

describe('logs of a turn', () => {
  it('are named by the turn, its thread, its message or `last`', async () => {
    const fixture = working('one\ntwo\n');
    const expected = { code: 0, out: '== t1, attempt 1, stdout\none\ntwo\n', err: '' };
    for (const word of ['t1', fixture.id('Do it').slice(-6), fixture.id('Do it'), 'last'])
      expect(await fixture.run('logs', word)).toEqual(expected);
    fixture.work('engineer', { files: { 'r.md': letter('delivered', 'user', 'Done') } });
    expect(await fixture.run('logs', 'last')).toEqual(expected);
  });

  it('are followed until the turn ends, from the last lines on', async () => {
    const fixture = working('one\ntwo\n');
    fixture.meanwhile.push(
      () => fixture.disk.write(stdout, 'one\ntwo\nthree\n'),
      () => {
        fixture.disk.write(stdout, 'one\ntwo\nthree\nfour');
        fixture.work('engineer', { files: { 'r.md': letter('delivered', 'user', 'Done') } });
      },
    );
    expect(await fixture.run('logs', '-f', '--tail', '1', 't1')).toEqual({
      code: 0,
      out: '== t1, attempt 1, stdout\ntwo\nthree\nfour\n',
      err: '',
    });
  });

  it('say so where nothing was printed, or no turn exists', async () => {
    const fixture = working(null);
    expect(await fixture.run('logs', 't1')).toEqual({ code: 0, out: '', err: 't1 has printed nothing\n' });
    for (const word of ['t9', 'nothing']) expect((await fixture.run('logs', word)).code).toBe(2);
    const { err } = await fixture.run('logs', 't1', '--tail', 'many');
    expect(err).toBe('error E_USAGE: `many` is not a number of lines\nhint: for example `--tail 20`\n');
  });

  it('show control characters instead of obeying them', async () => {
    const { out } = await working('\u001b[2Jgone\n').run('logs', 't1');
    expect(out).not.toContain('\u001b');
  });
});

it('finds where the last lines begin, whatever part of the file is read at once', () => {
  const disk = new MemoryDisk(() => 0);
  for (const text of ['', '\n', 'a', 'a\nb\nc\n', 'a\nb\nc', '\n\nlast\n', 'räksmörgås\n€\n'])
    for (const lines of [0, 1, 2, 3, 9])
      for (const step of [1, 2, 5, 64]) {
        disk.write('log', text);
        const whole = text.split(/(?<=\n)/);
        const kept = lines === 0 ? '' : whole.slice(-lines).join('');
        const start = startOfLast(logAt(disk, 'log'), lines, step);
        expect([text, lines, Buffer.from(text).subarray(start).toString()]).toEqual([text, lines, kept]);
      }
});
