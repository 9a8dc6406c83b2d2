import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { probeContainment } from '../../src/process/sandbox/containment.ts';
import { readProcess } from '../../src/process/proc.ts';
import { run } from '../../src/process/run.ts';
import { sandboxFor } from '../../src/process/sandbox/sandbox.ts';
import type { Containment } from '../../src/process/types.ts';
import { containmentsHere, fixture, lives, marked, start, temporaryFolder, until } from './support.ts';

const kinds = await containmentsHere();
const contained = kinds.filter(({ kind }) => kind !== 'group');

describe('the probe', () => {
  it('says of each kind whether it works, and why not', async () => {
    const probe = await probeContainment();
    expect(probe.group.works).toBe(true);
    const env = { PATH: process.env['PATH']! };
    const bwrap = await run(['bwrap', '--version'], { cwd: '/', env });
    if (bwrap.exitCode === 127) {
      expect(probe.bubblewrap).toEqual({ works: false, why: 'command not found: bwrap' });
    } else {
      const alone = await run('bwrap --unshare-pid --ro-bind / / --proc /proc true'.split(' '), {
        cwd: '/',
        env,
      });
      expect(probe.bubblewrap.works).toBe(alone.exitCode === 0);
    }
    const user = process.getuid?.() === 0 ? [] : ['--user', '--map-current-user'];
    const unshare = ['unshare', ...user, '--pid', '--fork', '--mount-proc', '--', 'true'];
    const alone = await run(unshare, { cwd: '/', env });
    expect(probe.namespace.works).toBe(alone.exitCode === 0);
  });

  it('runs its programs once', () => {
    expect(probeContainment()).toBe(probeContainment());
  });
});

describe.each(kinds)('in a $kind', (containment: Containment) => {
  it.each([true, false])(
    'a process gets its input and gives its exit code (launchBarrier: %s)',
    async (launchBarrier) => {
      const started = start(['sh', '-c', 'cat; echo err >&2; exit 3'], {
        containment,
        launchBarrier,
        stdin: 'the prompt',
      });
      started.release();
      expect(await started.exited).toMatchObject({
        reason: 'exited',
        exitCode: 3,
        stdoutTail: 'the prompt',
        stderrTail: 'err\n',
      });
    },
  );

  it('a process behind the launchBarrier waits, says so, and starts when it is let', async () => {
    const folder = temporaryFolder();
    const started = start(['sh', fixture('leaves-mark.sh'), join(folder, 'mark')], {
      containment,
      launchBarrier: true,
    });
    const { pid, startTime } = (await started.ready)!;
    expect(readProcess(pid)!.startTime).toBe(startTime);
    // Long enough for it to begin, if it could: others begin and end meanwhile.
    for (let others = 0; others < 3; others += 1) await start(['true'], { containment }).exited;
    expect(existsSync(join(folder, 'mark'))).toBe(false);
    started.release();
    await until('it has started', () => existsSync(join(folder, 'mark')));
    started.stop();
    await started.exited;
    expect(marked(started.spec.mark)).toEqual([]);
  });

  it('a process that is stopped behind the launchBarrier never starts', async () => {
    const folder = temporaryFolder();
    const started = start(['sh', fixture('leaves-mark.sh'), join(folder, 'mark')], {
      containment,
      launchBarrier: true,
    });
    await started.ready;
    started.stop();
    started.release();
    expect((await started.exited).reason).toBe('stopped');
    expect(existsSync(join(folder, 'mark'))).toBe(false);
  });

  it('the launchBarrier leaves nothing open in the program', async () => {
    const script = 'for n in 3 4; do if [ -e /proc/$$/fd/$n ]; then echo $n; fi; done';
    const started = start(['sh', '-c', script], { containment, launchBarrier: true });
    started.release();
    expect(await started.exited).toMatchObject({ exitCode: 0, stdoutTail: '' });
  });

  it('TERM reaches the program, which may put its work in order', async () => {
    const started = start(['sh', fixture('obeys-term.sh')], { containment, graceMs: 10_000 });
    await until('it is ready', () => started.seen.stdout === 'ready\n');
    started.stop();
    expect(await started.exited).toMatchObject({
      reason: 'stopped',
      exitCode: 7,
      stdoutTail: 'ready\nin order\n',
    });
  });

  it('TERM ends a program that does not care for it', async () => {
    const started = start(['sh', fixture('hangs.sh')], { containment, launchBarrier: true, graceMs: 10_000 });
    started.release();
    await until('it runs', () => marked(started.spec.mark).some(runsSleep));
    started.stop();
    const result = await started.exited;
    expect(result.exitCode === 143 || result.signal === 'SIGTERM').toBe(true);
    expect(result.durationMs).toBeLessThan(9000);
  });

  it('KILL ends what does not obey, and what it has started', async () => {
    const started = start(['sh', '-c', `sh "$1" & exec sh "$1"`, 'sh', fixture('ignores-term.sh')], {
      containment,
    });
    await until('both are ready', () => started.seen.stdout === 'ready\nready\n');
    started.stop();
    expect(await started.exited).toMatchObject({ reason: 'stopped', survivors: [] });
    expect(marked(started.spec.mark)).toEqual([]);
  });

  it.each(['orphan-holds-pipe.sh', 'leaves-session.sh'])(
    'nothing stays of what is left running (%s)',
    async (name) => {
      const started = start(['sh', fixture(name)], { containment });
      const result = await started.exited;
      expect(result).toMatchObject({ reason: 'exited', exitCode: 0 });
      expect(result.durationMs).toBeLessThan(2000);
      expect(marked(started.spec.mark)).toEqual([]);
    },
  );

  it('a missing program is told', async () => {
    const result = await start(['no-such-program'], { containment, launchBarrier: true }).exited;
    expect(result).toMatchObject({ reason: 'spawn-failed', exitCode: 127 });
  });
});

describe.each(contained)('inside a $kind', (containment: Containment) => {
  it('other processes cannot be seen, and even a hidden one ends', async () => {
    const started = start(['sh', fixture('hides-mark.sh')], { containment });
    await until('it is ready', () => started.seen.stdout === 'ready\n');
    const inside = descendantsOf((await started.ready)!.pid);
    expect(inside.length).toBeGreaterThanOrEqual(3);
    started.stop();
    await started.exited;
    expect(inside.filter(lives)).toEqual([]);

    const list = await start(['sh', '-c', 'cat /proc/[0-9]*/comm'], { containment }).exited;
    expect(list.stdoutTail).not.toContain('node');
  });

  it('a process cannot leave it, root neither: it undoes no mount and enters no other namespace', async () => {
    const script =
      'umount -l /proc && echo unmounted; nsenter --net=/proc/1/ns/net true && echo entered; ' +
      'unshare --user --map-root-user umount -l /proc && echo unmounted; echo held';
    const { stdoutTail } = await start(['sh', '-c', script], { containment }).exited;
    expect(stdoutTail).toBe('held\n');
  });

  it('orphans are reaped', async () => {
    const script =
      '(sh -c "exit 0" & ); until ! grep -l "^State:.Z" /proc/[0-9]*/status; do :; done; echo clean';
    const started = start(['sh', '-c', script], { containment });
    expect((await started.exited).stdoutTail).toMatch(/clean\n$/);
  });
});

describe('a sandbox', () => {
  it('shows only the system and what is given', async () => {
    const probe = await probeContainment();
    const folder = temporaryFolder();
    const other = temporaryFolder();
    writeFileSync(join(folder, 'given'), 'given');
    const script = `cat given; ls ${other} || echo hidden; touch given || echo read-only; touch /usr/x || echo system; ls /root`;
    const containment = {
      kind: 'bubblewrap',
      writable: [],
      readable: [folder],
      network: false,
      nests: false,
    } as const;
    const result = await start(['sh', '-c', script], { containment, cwd: folder }).exited;
    // Where there is no bwrap the process is refused rather than run without a sandbox.
    const expected = probe.bubblewrap.works ? 'givenhidden\nread-only\nsystem\n' : '';
    expect(result.stdoutTail).toBe(expected);
    expect(result.exitCode).not.toBe(0);
  });

  it('is not left through a link that lies where the output is kept', async () => {
    const [folder, outside] = [temporaryFolder(), temporaryFolder()];
    const [kept, told] = [join(outside, 'kept'), join(folder, 'stdout')];
    writeFileSync(kept, 'kept');
    const script = `ln -s ${kept} stdout && echo forged`;
    const [containment = { kind: 'group' } as const] = (await containmentsHere([folder])).toReversed();
    const places = { cwd: folder, stdoutFile: told, stderrFile: join(folder, 'stderr') };
    const result = await start(['sh', '-c', script], { containment, ...places }).exited;
    expect(result.error).toMatch(/^the output cannot be written: ELOOP/);
    expect(readFileSync(kept, 'utf8')).toBe('kept');
  });

  it('shows the repository of a linked working tree and of a submodule, and none that was named by an agent', () => {
    const home = realpathSync(temporaryFolder());
    const git = (...args: string[]) =>
      execFileSync('git', ['-c', 'protocol.file.allow=always', ...args], { cwd: home, stdio: 'ignore' });
    const commit = ['-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '--allow-empty', '-m', 'first'];
    git('init', 'own');
    git('-C', 'own', ...commit);
    git('-C', 'own', 'worktree', 'add', `${home}/linked`);
    git('-C', 'own', 'submodule', 'add', `${home}/own`, 'part');
    mkdirSync(join(home, 'forged'));
    for (const folder of ['private', 'private/worktrees/a']) {
      mkdirSync(join(home, folder), { recursive: true });
      writeFileSync(join(home, folder, 'key'), 'secret');
    }
    const nothing = { provider: null, argv: ['sh'], env: {}, writable: [], owed: [], guarded: [] };
    const shown = (name: string, dotGit?: string) => {
      const workspace = join(home, name);
      if (dotGit !== undefined) writeFileSync(join(workspace, '.git'), `gitdir: ${dotGit}\n`);
      const reach = { ...nothing, workspace, capabilities: null, network: false };
      const { readable, held, writable } = sandboxFor(reach, { project: workspace, nests: false });
      return { readable, held, writable };
    };
    const linked = shown('linked').writable;
    expect(linked.slice(0, 2)).toEqual([`${home}/linked`, `${home}/own/.git/worktrees/linked`]);
    expect(linked).not.toContain(`${home}/own/.git`);
    expect(shown('linked').held).toContain(`${home}/linked/.git`);
    expect(shown('own/part').writable).toContain(`${home}/own/.git/modules/part`);
    for (const named of [
      '../private',
      '../private/worktrees/a',
      '../own/.git',
      '../own/.git/worktrees/linked',
    ]) {
      const { readable, writable } = shown('forged', named);
      expect(writable).toEqual([`${home}/forged`]);
      expect(readable.filter((path) => /private|own/.test(path))).toEqual([]);
    }
  });

  it.each(['nostr.key', 'lock'])('does not show .mailroom/%s, whatever the permissions', async (hidden) => {
    const probe = await probeContainment();
    const project = realpathSync(temporaryFolder());
    mkdirSync(join(project, '.mailroom'));
    for (const name of [hidden, 'other']) writeFileSync(join(project, '.mailroom', name), name);
    const nothing = { provider: null, argv: ['sh'], env: {}, writable: [], owed: [], guarded: [] };
    const reach = { ...nothing, workspace: project, capabilities: null, network: false };
    const containment = sandboxFor(reach, { project, nests: false });
    const script = `cd .mailroom; cat other ${hidden}; rm -f ${hidden} || mv ${hidden} x || echo; cat ${hidden}`;
    const result = await start(['sh', '-c', script], { containment, cwd: project }).exited;
    expect(result.stdoutTail.trim()).toBe(probe.bubblewrap.works ? 'other' : '');
    expect(readFileSync(join(project, '.mailroom', hidden), 'utf8')).toBe(hidden);
  });
});

function runsSleep(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/comm`, 'utf8') === 'sleep\n';
  } catch {
    return false;
  }
}

function descendantsOf(pid: number): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    .trim()
    .split(' ')
    .filter(Boolean)
    .map(Number);
  return children.flatMap((child) => [child, ...descendantsOf(child)]);
}
