import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { blocks } from '../../docs/blocks.ts';
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

it('takes the key of a worker in the way that docs/workers.md shows', () => {
  const home = mkdtempSync(join(tmpdir(), 'mailroom-'));
  const made = invite(controllerCredentials(key, 'here'), 'builder-1');
  const shown = blocks.filter(
    ({ page, text }) => page === 'docs/workers.md' && text.includes('builder-1.key'),
  );
  expect(shown).toHaveLength(2);
  // In place of the program: what it prints for `invite`, and the variable that a worker finds.
  const program = `mailroom() { case $1 in workers) echo MAILROOM_WORKER_KEY=${made};; *) printenv MAILROOM_WORKER_KEY;; esac; }`;
  try {
    const script = [program, ...shown.map(({ text }) => text)].join('\n');
    const found = execFileSync('bash', ['-ec', script], {
      env: { ...process.env, HOME: home },
      encoding: 'utf8',
    });
    expect(workerCredentials(found.trim())?.admission?.name).toBe('builder-1');
  } finally {
    rmSync(home, { recursive: true });
  }
});
