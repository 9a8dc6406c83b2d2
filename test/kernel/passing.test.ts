import { expect, it } from 'vitest';
import { HostFault } from '../../src/kernel/contained.ts';
import { MailroomError } from '../../src/kernel/errors.ts';
import { isHostFault, isPassing, unlessFault, unlessPassing } from '../../src/kernel/passing.ts';

it.each([
  "fatal: sha1 file '.git/objects/pack/tmp_pack_x' write error. Out of diskspace",
  'error: unable to write loose object file: No space left on device',
  'fatal: Out of memory, malloc failed (tried to allocate 1024 bytes)',
  'error: cannot fork() for git: Resource temporarily unavailable',
  "fatal: Unable to create '.git/index.lock': Read-only file system",
  'spawn git EMFILE',
  'no temporary folder can be made in /tmp/x: ENOENT: no such file or directory',
])('a machine can recover from: %s', (said) => {
  expect(isPassing(said)).toBe(true);
});

it.each(['fatal: not a git repository', "ENOENT: no such file or directory, open 'x'", 'EACCES'])(
  'no machine recovers from: %s',
  (said) => {
    expect(isPassing(said)).toBe(false);
  },
);

it('lets nothing hide a fault of the machine', () => {
  const fault = (code: string) =>
    new MailroomError('E_DISK', 'refused', null, { cause: Object.assign(new Error(code), { code }) });
  const throwing = (error: Error) => () => {
    throw error;
  };
  expect(isHostFault(fault('ENOMEM'))).toBe(true);
  expect(() => unlessFault(throwing(fault('EMFILE')), 'nothing')).toThrow('refused');
  expect(unlessFault(throwing(fault('EACCES')), 'nothing')).toBe('nothing');
  expect(unlessFault(() => 'something', 'nothing')).toBe('something');
  const failed = { ok: false, problem: 'a conflict' } as const;
  expect([unlessPassing(failed), unlessPassing({ ok: true })]).toEqual([failed, { ok: true }]);
  expect(() => unlessPassing({ ok: false, problem: 'spawn git EAGAIN' })).toThrow(HostFault);
});
