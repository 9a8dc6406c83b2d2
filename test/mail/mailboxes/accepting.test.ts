import { expect, it } from 'vitest';
import { diskError } from '../../../src/disk/disk.ts';
import { Accepting } from '../../../src/mail/mailboxes/accepting.ts';
import { MemoryDisk } from '../../support/memory-disk.ts';

it('says the same of each attempt at a file that cannot be accepted, and accepts it later', () => {
  const disk = new MemoryDisk();
  const path = 'agents/a/inbox/x.md';
  disk.write(path, 'Words\n');
  const file = { role: 'a', box: 'inbox', name: 'x.md' } as const;
  const accepting = new Accepting(disk);
  disk.before = ({ path: place }) => {
    const cause = Object.assign(new Error('EACCES: permission denied, rename'), { code: 'EACCES' });
    throw diskError(`move ${path} to`, place, cause);
  };
  const refusal = `cannot accept ${path}: permission denied`;
  for (const id of ['1', '2']) expect(() => accepting.take(path, file, id)).toThrowError(refusal);
  disk.before = null;
  expect(accepting.take(path, file, '3')).toBe(true);
  expect(accepting.all()).toMatchObject([{ id: '3', role: 'a', name: 'x.md' }]);
});
