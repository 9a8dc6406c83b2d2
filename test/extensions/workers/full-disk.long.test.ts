import { execFileSync } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import process from 'node:process';
import { expect, test } from 'vitest';
import { finished, said } from '../../support/project.ts';
import { hostsFixture, kill } from './hosts.ts';
import { failuresOf } from './team.ts';

const bed = hostsFixture();

/** Leaves this many bytes of a small file system free. */
function fill(path: string, left: number): void {
  try {
    for (;;) appendFileSync(path, Buffer.alloc(4_096));
  } catch {
    execFileSync('truncate', ['--size', `-${String(left)}`, path]);
  }
}

test('a worker whose disk is full leaves its turn to another one, and no attempt has failed', async ({
  skip,
}) => {
  if (process.getuid?.() !== 0) return skip('a file system is mounted only by root');
  const hosts = bed.open({
    engineer: `send('review', 'checker', 'Words', 'subject: Build it well\\n');`,
    checker: `send('done', 'user', 'Checked');`,
  });
  const before = await hosts.work();
  await kill(before.program);
  const { project } = before;
  const place = `${project.root}/.mailroom`;
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=512k', 'tmpfs', place]);
  try {
    const full = await hosts.workIn(project);
    fill(`${place}/filler`, 0);
    const left = said(full.program, 'was left to other workers: ');
    hosts.drop();
    const up = finished(hosts.up('--until-idle'));
    await left;
    await kill(full.program);
    await hosts.work();
    expect((await up).stdout).toMatch(/Checked[^]*idle: done\n$/);
    expect(failuresOf(hosts.controller)).toEqual([]);
  } finally {
    execFileSync('umount', ['--lazy', place]);
  }
});
