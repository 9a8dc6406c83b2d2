import process from 'node:process';
import { existsSync, mkdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Project } from '../../src/project/project.ts';
import { tryLock } from '../../src/host/lock.ts';
import { contextHolderFile, contextLockFile } from '../../src/workflow/files/context-holder.ts';
import { runLockFile } from '../../src/workflow/files/layout.ts';
import { isAlive, takeRun } from '../../src/workflow/host/locks.ts';
import { isKernelLocked, takeKernelLock } from '../../src/host/flock.ts';
import { takeLock } from '../../src/host/lock.ts';
import { MailroomError } from '../../src/kernel/errors.ts';
import { lockNames } from '../../src/kernel/lock-names.ts';
import { readProcess } from '../../src/process/proc.ts';
import { writeHolder } from '../../src/host/holder.ts';
import { RealDisk } from '../../src/disk/real-disk.ts';
import { probeContainment } from '../../src/process/sandbox/containment.ts';
import { defaultConfig } from '../../src/config/config.ts';
import { agentContainment } from '../../src/host/containment.ts';
import { bundleHost, startHost } from '../process/host.ts';
import { processesNaming, start, temporaryFolder, until } from '../process/support.ts';

const host = await bundleHost('lock-host.ts');

async function withoutFlock<T>(work: () => Promise<T>): Promise<T> {
  const path = process.env['PATH'];
  process.env['PATH'] = '/nowhere';
  try {
    return await work();
  } finally {
    process.env['PATH'] = path;
  }
}

const locked = (message: RegExp) =>
  expect.objectContaining({ code: 'E_LOCKED', message: expect.stringMatching(message) });

it('takes no other process under the same pid for the controller', () => {
  const disk = new RealDisk(temporaryFolder());
  const project = Project.at(disk.root, { packageRoot: '/nowhere', environment: process.env });
  const told = { since: 1_700_000_000_000, triggers: true };
  const pids = (startTime: string | null) => {
    writeHolder(disk, { ...told, startTime });
    return project.holder()?.pid;
  };
  const own = readProcess(process.pid)?.startTime ?? null;
  expect([own, 'otherboot-1', null].map((startTime) => pids(startTime))).toEqual([
    process.pid,
    undefined,
    process.pid,
  ]);
});

describe('the lock of a run', () => {
  it.each([
    ['of the kernel', <T>(work: () => Promise<T>) => work()],
    ['by a folder', withoutFlock],
  ] as const)('is held by one process, and says that the run is alive: %s', async (_kind, having) => {
    await having(async () => {
      const project = new RealDisk(temporaryFolder());
      expect(await isAlive(project, 'a')).toBe(false);
      const lock = await takeRun(project, 'a', '/context');
      expect([await isAlive(project, 'a'), await isAlive(project, 'b')]).toEqual([true, false]);
      await expect(takeRun(project, 'a', '/other')).rejects.toThrowError(
        locked(/another process works on the run a/),
      );
      await expect(takeRun(project, 'b', '/context')).rejects.toThrowError(locked(/\/context is used by/));
      const beside = await takeRun(project, 'b', '/other');
      await beside.release();
      await lock.release();
      expect(await isAlive(project, 'a')).toBe(false);
      await (await takeRun(project, 'b', '/context')).release();
    });
  });

  it('is not had by another process while its holder lives, although its files were removed', async () => {
    const project = new RealDisk(temporaryFolder());
    const other = readProcess(process.ppid)?.startTime ?? null;
    const lock = await takeRun(project, 'a', '/context');
    const record = project.read('.mailroom/runs/a/lock.json', 10_000)?.toString('utf8') ?? '';
    const ofParent = { ...(JSON.parse(record) as object), pid: process.ppid, startTime: other };
    project.write('.mailroom/runs/a/lock.json', JSON.stringify(ofParent));
    project.remove('.mailroom/locks');
    expect(await isAlive(project, 'a')).toBe(true);
    await expect(takeRun(project, 'a', '/other')).rejects.toThrowError(
      locked(/another process works on the run a/),
    );
    project.write('.mailroom/runs/a/lock.json', JSON.stringify({ ...ofParent, startTime: 'otherboot-1' }));
    expect(await isAlive(project, 'a')).toBe(false);
    const next = await takeRun(project, 'a', '/other');
    await next.release();
    expect(project.look('.mailroom/runs/a/lock.json')).toBe(null);
    await lock.release();
  });

  it('is let go of where the disk refuses to write down who holds it', async () => {
    const project = new RealDisk(temporaryFolder());
    const tmp = join(project.root, '.mailroom/tmp');
    mkdirSync(join(project.root, '.mailroom'));
    writeFileSync(tmp, '');
    await expect(takeRun(project, 'a', '/context')).rejects.toMatchObject({ code: 'E_DISK' });
    rmSync(tmp);
    const lock = await takeRun(project, 'a', '/context');
    expect(await isAlive(project, 'a')).toBe(true);
    await lock.release();
  });

  it('is had although something else is in the place of a file or folder of the run, which moves away', async () => {
    const project = new RealDisk(temporaryFolder());
    for (const name of ['lock.json', 'journal']) project.makeFolder(`.mailroom/runs/a/${name}`);
    project.write('.mailroom/runs/a/posted', 'x');
    project.makeFolder(contextHolderFile('/context'));
    const lock = await takeRun(project, 'a', '/context');
    expect(lock.refused).toEqual([
      '.mailroom/runs/a/posted was moved to .mailroom/refused/: it is a file, not a folder',
      '.mailroom/runs/a/lock.json was moved to .mailroom/refused/: it is a folder, not a file',
      `${contextHolderFile('/context')} was moved to .mailroom/refused/: it is a folder, not a file`,
    ]);
    await lock.release();
    const again = await takeRun(project, 'a', '/context');
    expect(again.refused).toEqual([]);
    await again.release();
  });

  it('is let go of where the disk refuses to remove who held it', async () => {
    const project = new RealDisk(temporaryFolder());
    const lock = await takeRun(project, 'a', '/context');
    project.remove = (path) => {
      throw new MailroomError('E_DISK', `cannot remove ${path}`);
    };
    await expect(lock.release()).rejects.toThrowError('cannot remove .mailroom/runs/a/lock.json');
    for (const file of lock.files) expect(await isKernelLocked(join(project.root, file))).toBe(false);
  });

  it('falls when the process is killed', async () => {
    const project = new RealDisk(temporaryFolder());
    mkdirSync(join(project.root, '.mailroom/locks'), { recursive: true });
    const file = join(project.root, '.mailroom/locks/a');
    const holder = startHost(host, file);
    await holder.said('held\n');
    expect(await isAlive(project, 'a')).toBe(true);
    await holder.kill();
    await until('nobody holds it', () => processesNaming(file).length === 0);
    expect(await isAlive(project, 'a')).toBe(false);
  });

  it('may be looked at by many at once without being in anybody’s way', async () => {
    const file = join(temporaryFolder(), 'lock');
    expect(await isKernelLocked(file)).toBe(false);
    expect(existsSync(file)).toBe(false);
    const first = await takeKernelLock(file);
    if (first.held) await first.release();
    const looks = Promise.all(Array.from({ length: 8 }, () => isKernelLocked(file)));
    const taken = await takeKernelLock(file);
    expect(taken.held).toBe(true);
    expect((await looks).filter((look) => look === 'missing')).toEqual([]);
    if (taken.held) await taken.release();
    expect(await Promise.all([1, 2, 3].map(() => isKernelLocked(file)))).toEqual([false, false, false]);
  });
});

describe('in the sandbox', () => {
  it('no agent locks what the host locks, whatever its permissions and whenever that is made', async () => {
    const { bubblewrap } = await probeContainment();
    const project = new RealDisk(realpathSync(temporaryFolder()));
    const contain = await agentContainment(project, defaultConfig);
    const free = '.mailroom/free';
    project.write(free, '');
    // The first can be locked, which says that the agent tries.
    const files = [free, lockNames.project, lockNames.start, runLockFile('a'), contextLockFile('/context')];
    const tries = files.map(
      (file) => `(flock -n ${file} sh -c 'echo has ${file}; sleep 60' || echo no ${file}) &`,
    );
    const rounds = `for round in 1 2; do until [ -e .mailroom/$round ]; do sleep 0.05; done; ${tries.join(' ')} done; wait`;
    for (const capabilities of bubblewrap.works ? ([['READ'], null] as const) : []) {
      for (const round of [1, 2]) project.remove(`.mailroom/${String(round)}`);
      const nothing = {
        provider: 'claude',
        argv: ['sh'],
        writable: [],
        owed: [],
        guarded: [],
        network: true,
      };
      const env = { PATH: process.env['PATH']! };
      const containment = contain({ ...nothing, env, workspace: project.root, capabilities });
      const agent = start(['sh', '-c', rounds], { containment, cwd: project.root });
      const said = () => agent.seen.stdout.split('\n').filter(Boolean);
      for (const round of [1, 2]) {
        project.write(`.mailroom/${String(round)}`, '');
        await until('it has tried all', () => said().length === round * files.length);
        expect(said()).toContain(`has ${free}`);
        const taken = [
          await takeLock(project),
          await tryLock(project, lockNames.start),
          await takeRun(project, 'a', '/context'),
        ];
        expect(taken).not.toContain(null);
        for (const lock of taken) await lock?.release();
      }
      agent.stop();
      await agent.exited;
    }
  });
});
