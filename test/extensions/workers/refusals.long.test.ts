import { execFileSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { finished, said, TestProject } from '../../support/project.ts';
import { hostsFixture, kill, type Hosts } from './hosts.ts';
import { failuresOf } from './team.ts';

const checker = `send('done', 'user', 'Checked');`;
const engineer = `send('review', 'checker', 'Words', 'subject: Build it well\\n');`;

describe('a worker', () => {
  const bed = hostsFixture();

  /** Starts a worker with other settings, which refuses the turn, and then one as it should be. */
  async function refused(hosts: Hosts, change: (settings: string) => string): Promise<string> {
    const strict = await hosts.work();
    await kill(strict.program);
    strict.project.write('mailroom.yaml', change(strict.project.read('mailroom.yaml')));
    const again = await hosts.workIn(strict.project);
    const refusing = said(again.program, 'was refused');
    hosts.drop();
    const up = finished(hosts.up('--until-idle'));
    await refusing;
    await kill(again.program);
    await hosts.work();
    expect((await up).stdout).toMatch(/Checked[^]*idle: done\n$/);
    expect(again.project.list('.')).not.toContain('engineer.log');
    const [first] = failuresOf(hosts.controller);
    expect(first).toMatchObject({ class: 'RETRYABLE_TRANSIENT', reason: { code: 'E_WORKER' } });
    return JSON.stringify(first);
  }

  test('refuses a provider that its own settings do not have', async () => {
    const text = await refused(bed.open({ engineer, checker }), (settings) =>
      settings.replaceAll('play:', 'other:').replace('provider: play', 'provider: other'),
    );
    expect(text).toContain('refused it: mailroom.yaml of this worker has no provider `play`');
  });

  test('leaves turns of roles that it was not given to others', async () => {
    const hosts = bed.open({ engineer, checker });
    const other = await hosts.work('--roles', 'designer');
    hosts.drop();
    const up = finished(hosts.up('--until-idle'));
    const worker = await hosts.work();
    expect((await up).stdout).toMatch(/idle: done\n$/);
    expect(other.project.list('.')).not.toContain('engineer.log');
    expect(worker.project.read('engineer.log')).toBe('t1 1 0 task\n');
    expect(failuresOf(hosts.controller)).toEqual([]);
  });
});

describe('through Redis', () => {
  const bed = hostsFixture();

  test('two controllers use the same workers, each for its own turns', async () => {
    const sending = `
      const what = mail[0].includes('a bridge') ? 'bridge' : 'house';
      send('review', 'checker', 'The ' + what, 'subject: Build it well\\n');
      note(what);
      await untilStaged('go');`;
    const hosts = bed.open({
      engineer: sending,
      checker: `send('done', 'user', /The .*/.exec(mail[0])[0]);`,
    });
    const second = new TestProject({});
    try {
      execFileSync(
        'git',
        ['clone', '-q', '--branch', 'main', hosts.git('remote', 'get-url', 'origin'), '.'],
        {
          cwd: second.root,
        },
      );
      await hosts.work('--slots', '2');
      hosts.drop();
      second.drop('agents/engineer/inbox/task.md', 'Build a bridge\n');
      // Each turn is the first of its controller, and both are in progress at once.
      const first = finished(hosts.up('--until-idle'));
      await hosts.noted('house');
      const other = finished(hosts.upIn(second, '--until-idle'));
      await hosts.noted('bridge');
      hosts.allow('go');
      expect((await first).stdout).toMatch(/The house[^]*idle: done\n$/);
      expect((await other).stdout).toMatch(/The bridge[^]*idle: done\n$/);
      for (const project of [hosts.controller, second]) expect(failuresOf(project)).toEqual([]);
      expect(hosts.shared()).toEqual(['refs/heads/main']);
    } finally {
      second.remove();
    }
  });
});
