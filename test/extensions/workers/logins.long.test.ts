import { RealDisk } from '../../../src/disk/real-disk.ts';
import { park } from '../../../src/host/parked.ts';
import { describe, expect, test } from 'vitest';
import { finished } from '../../support/project.ts';
import { hostsFixture, kill } from './hosts.ts';
import { failuresOf } from './team.ts';

describe('through Redis', () => {
  const bed = hostsFixture();

  test('a turn goes to a worker whose login has not hit the usage limit of its provider', async () => {
    const hosts = bed.open({
      engineer: `send('review', 'checker', 'Words', 'subject: Build it well\\n');`,
      checker: `send('done', 'user', 'Checked');`,
    });
    const before = await hosts.work('--login', 'one');
    await kill(before.program);
    park(new RealDisk(before.project.root), 'play', Date.now() + 3_600_000);
    const limited = await hosts.workIn(before.project, '--login', 'one');
    hosts.drop();
    const up = finished(hosts.up('--until-idle'));
    const free = await hosts.work('--login', 'two');
    expect((await up).stdout).toMatch(/Checked[^]*idle: done\n$/);
    expect(limited.project.list('.')).not.toContain('engineer.log');
    expect(free.project.list('.')).toContain('engineer.log');
    expect(failuresOf(hosts.controller)).toEqual([]);
  });
});
