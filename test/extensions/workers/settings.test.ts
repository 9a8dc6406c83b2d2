import { expect, it } from 'vitest';
import { placeOf } from '../../../src/extensions/workers/settings.ts';
import {
  controllerCredentials,
  invite,
  workerCredentials,
} from '../../../src/extensions/workers/queue/credentials.ts';

const key = 'the key of the controller in this test';

it.each([
  'https://github.com/o/r',
  'https://user:secret@github.com/o/r.git',
  'git@github.com:o/r.git',
  'ssh://git@github.com:22/o/r.git/',
])('knows the project by its repository, at the address %s', (git) => {
  expect(placeOf(git, 'a/')).toBe('github.com/o/r\na/');
});

it('separates projects by their repository, folder and key', () => {
  const all = [
    controllerCredentials(key, placeOf('https://host/one', '')),
    controllerCredentials(key, placeOf('https://host/two', '')),
    controllerCredentials(key, placeOf('https://host/one', 'sub/')),
    controllerCredentials(`${key}!`, placeOf('https://host/one', '')),
  ];
  expect(new Set(all.map(({ project }) => project)).size).toBe(all.length);
});

it('takes no key for a worker that the controller has not made as it is', () => {
  const made = invite(controllerCredentials(key, 'here'), 'builder');
  expect(workerCredentials(made)?.admission?.name).toBe('builder');
  const parts = made.split('.');
  const other = invite(controllerCredentials(`${key}!`, 'here'), 'builder').split('.');
  for (const [index, part] of ['other', 'f'.repeat(16), other[2]!, other[3]!, other[4]!].entries())
    expect(workerCredentials(parts.with(index, part).join('.'))).toBeNull();
  for (const none of ['', key, 'a'.repeat(64), parts.slice(1).join('.')])
    expect(workerCredentials(none)).toBeNull();
});
