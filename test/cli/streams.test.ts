import { Writable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { openStream } from '../../src/cli/terminal.ts';

/** A stream whose writes end as each of `ends` says, in order; the last one counts for all further ones. */
function stream(ends: readonly (string | null)[]): { readonly to: Writable; readonly got: string[] } {
  const got: string[] = [];
  let at = 0;
  const to = new Writable({
    autoDestroy: false,
    write(chunk: Buffer, _encoding, done) {
      const code = ends[Math.min(at++, ends.length - 1)] ?? null;
      if (code === null) got.push(chunk.toString());
      done(code === null ? null : Object.assign(new Error(`${code}: it is so, write`), { code }));
    },
  });
  return { to, got };
}

it.each([
  ['EPIPE', true, []],
  ['ERR_STREAM_DESTROYED', true, []],
  ['EIO', true, ['it is so']],
  ['EBADF', true, ['it is so']],
  ['ENOSPC', false, ['it is so']],
  ['EDQUOT', false, ['it is so']],
  ['EAGAIN', false, ['it is so']],
])('a write that ends with %s throws nothing and is reported once', async (code, isClosed, reports) => {
  const { to } = stream([code]);
  const reported: string[] = [];
  const { write, closed } = openStream(to, (why) => void reported.push(why));
  for (let each = 0; each < 3; each += 1) {
    write('a');
    await setImmediate();
  }
  expect([closed(), reported]).toEqual([isClosed, reports]);
});

it('an error that is thrown is reported likewise', () => {
  const { to } = stream([null]);
  to.write = () => {
    throw Object.assign(new Error('EIO: i/o error, write'), { code: 'EIO' });
  };
  const reported: string[] = [];
  const { write, closed } = openStream(to, (why) => void reported.push(why));
  write('a');
  write('b');
  expect([closed(), reported]).toEqual([true, ['i/o error']]);
});
