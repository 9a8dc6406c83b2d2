import { expect, it } from 'vitest';
import { MailroomError } from '../../src/kernel/errors.ts';
import { DiskGuard } from '../../src/disk/disk-guard.ts';

function refuse(what: string) {
  return (): never => {
    throw new MailroomError('E_DISK', `no space left for ${what}`);
  };
}

it('shows the first refusal of a scan, and none once the next scan meets none', () => {
  const guard = new DiskGuard();
  expect(guard.attempt(refuse('a'), 'otherwise')).toBe('otherwise');
  expect(guard.succeeds(refuse('b'))).toBe(false);
  expect(guard.problem).toBe('no space left for a');
  guard.renew();
  expect([guard.succeeds(() => {}), guard.problem]).toEqual([true, null]);
});

it('keeps what is refused until it is done, whatever else works, and forgets its problem then', () => {
  const guard = new DiskGuard();
  let refuses = true;
  const done: string[] = [];
  const act = (name: string) => () => void (refuses ? refuse(name)() : done.push(name));
  guard.keepTrying('a', act('a'));
  guard.keepTrying('b', act('old b'));
  guard.keepTrying('b', act('b'));
  guard.renew();
  guard.keepTrying('c', () => {});
  expect([guard.problem, guard.isPending]).toEqual(['no space left for a', true]);
  guard.retry();
  refuses = false;
  guard.retry();
  expect([guard.problem, guard.isPending, done]).toEqual([null, false, ['a', 'b']]);
});

it('contains no mistake of our own, and no journal that refuses to be read', () => {
  const guard = new DiskGuard();
  for (const code of ['E_INTERNAL', 'E_JOURNAL'] as const) {
    const act = (): never => {
      throw new MailroomError(code, 'not of the disk');
    };
    expect(() => guard.succeeds(act)).toThrow('not of the disk');
    expect(() => guard.keepTrying('it', act)).toThrow('not of the disk');
  }
  expect(guard.problem).toBeNull();
});
