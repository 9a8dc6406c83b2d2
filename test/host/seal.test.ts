import { createHmac } from 'node:crypto';
import { chmodSync, lstatSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { Disk } from '../../src/disk/disk.ts';
import { RealDisk } from '../../src/disk/real-disk.ts';
import { Control, requestControl } from '../../src/host/control.ts';
import { readParked } from '../../src/host/parked.ts';
import { sealKeyFile, secretsOfProject } from '../../src/host/project-key.ts';
import { RunMail } from '../../src/host/run-mail.ts';
import { readSealed, sealed, sealKey, writeSealed } from '../../src/host/seal.ts';
import { openState } from '../../src/host/state-places.ts';
import { confirm, expectConfirmed, readConfirmed } from '../../src/project/definition/confirmed.ts';
import { RunOutbox } from '../../src/workflow/files/run-outbox.ts';
import { MemoryDisk } from '../support/memory-disk.ts';

const run = '019aa000-1111-7000-8000-000000000001';
const id = '019aa000-2222-7000-8000-000000000002';
const answer = {
  id,
  run,
  outcome: { is: 'done' },
  text: 'done it',
  values: {},
  work: null,
  usage: { usd: 0, tokens: 0 },
  durationMs: 1,
};
const runFolder = `.mailroom/runs/${run}`;

/** Each file that counts only with a seal: where it lies, what it says, and whether it counts. */
const places: readonly [path: string, text: string, counts: (disk: Disk) => boolean][] = [
  ['.mailroom/control/a.json', '{}', (disk) => new Control(disk).list()[0]?.problem === null],
  [
    `${runFolder}/control/a.json`,
    '{}',
    (disk) => new Control(disk, `${runFolder}/control`).list()[0]?.problem === null,
  ],
  ['.mailroom/incoming/a.json', '{}', (disk) => new RunMail(disk).incoming.list()[0]?.problem === null],
  [`${runFolder}/posted/${id}.json`, '{}', (disk) => new RunOutbox(disk, run).resend(id)],
  [
    `${runFolder}/inbox/${id}.json`,
    JSON.stringify(answer),
    (disk) => new RunOutbox(disk, run).answers()[0]?.problem === null,
  ],
  [
    `${runFolder}/inbox/waits.json`,
    JSON.stringify([id]),
    (disk) => new RunOutbox(disk, run).waits(() => {}).size === 1,
  ],
  ['.mailroom/confirmed', 'abc  workflows%2Fa.yaml\n', (disk) => readConfirmed(disk).size === 1],
  ['.mailroom/parked/claude', '{"until":5}', (disk) => readParked(disk).get('claude') === 5],
];

/** What is in the place of the file, made of what Mailroom would write there. */
const forgeries: readonly [what: string, forged: (right: string, disk: Disk, path: string) => string][] = [
  ['without a seal', (right) => right.split('\n').slice(0, -2).join('\n')],
  ['with a seal of nothing', (right) => `${right.split('\n').slice(0, -2).join('\n')}\n${'0'.repeat(64)}\n`],
  ['with another text', (right) => ` ${right}`],
  ['with a line more', (right) => `${right}{}\n`],
  ['cut off', (right) => right.slice(0, -2)],
  ['sealed at another path', (right, disk) => sealed(disk, '.mailroom/x', right.split('\n')[0] ?? '')],
  [
    'sealed with a key that somebody else knows',
    (right, _disk, path) => {
      const text = `${right.split('\n').slice(0, -2).join('\n')}\n`;
      const known = createHmac('sha256', Buffer.from('ab'.repeat(32), 'hex'));
      return `${text}${known.update(`${path}\0${text}`).digest('hex')}\n`;
    },
  ],
];

describe.each(places)('%s', (path, text, counts) => {
  it('counts as Mailroom wrote it', () => {
    const disk = new MemoryDisk();
    writeSealed(disk, path, text);
    expect(counts(disk)).toBe(true);
  });

  it.each(forgeries)('does not count %s', (_what, forged) => {
    const disk = new MemoryDisk();
    disk.plant(path, forged(sealed(disk, path, text), disk, path));
    expect(counts(disk)).toBe(false);
  });
});

describe('the key of the seals', () => {
  const roots: string[] = [];
  const realDisk = (): RealDisk => {
    roots.push(realpathSync(mkdtempSync(join(tmpdir(), 'mailroom-seal-'))));
    return new RealDisk(roots.at(-1)!);
  };
  afterEach(() => {
    for (const root of roots.splice(0)) rmSync(root, { recursive: true });
  });

  it('is made once, for its owner alone, ignored by git, and masked', () => {
    const disk = realDisk();
    const key = sealKey(disk);
    expect(key).toMatch(/^[0-9a-f]{64}$/);
    expect(sealKey(new RealDisk(disk.root))).toBe(key);
    expect(lstatSync(join(disk.root, sealKeyFile)).mode & 0o777).toBe(0o600);
    expect(disk.read('.mailroom/.gitignore', 100)?.toString()).toBe('*\n');
    expect(secretsOfProject(disk)).toEqual([key]);
  });

  it('is the first one where two processes make it at once', () => {
    const disk = new MemoryDisk();
    let other = '';
    disk.before = ({ kind }) => {
      if (kind !== 'append') return;
      disk.before = null;
      other = sealKey(disk.clone());
      const second = disk.openAppend(sealKeyFile);
      second.write(Buffer.from(`${other}\n`));
      second.close();
    };
    expect(sealKey(disk)).toBe(other);
    expect(disk.read(sealKeyFile, 1_000)?.toString().split('\n')).toHaveLength(3);
  });

  it.each(['', 'abc', 'a'.repeat(63)])('is made where a crash has left `%s`', (left) => {
    const disk = new MemoryDisk();
    disk.plant(sealKeyFile, left);
    const key = sealKey(disk);
    expect(key).toMatch(/^[0-9a-f]{64}$/);
    expect(key).not.toBe(left);
    expect(sealKey(disk.clone())).toBe(key);
  });

  it('is refused where others can read it, as git makes files', () => {
    const disk = realDisk();
    disk.write(sealKeyFile, `${'ab'.repeat(32)}\n`);
    chmodSync(join(disk.root, sealKeyFile), 0o644);
    const text = `${sealKeyFile} can be read or written by others`;
    expect(() => requestControl(disk, id, {})).toThrow(text);
    expect(() => openState(disk)).toThrow(text);
    expect(new Control(disk).list()).toEqual([]);
  });

  it('is the one of the start, whatever replaces it while a process runs', () => {
    const disk = new MemoryDisk();
    openState(disk);
    requestControl(disk, 'before', {});
    disk.plant(sealKeyFile, `${'ab'.repeat(32)}\n`);
    const other = disk.clone();
    writeSealed(other, '.mailroom/control/forged.json', '{}');
    disk.plant('.mailroom/control/forged.json', other.read('.mailroom/control/forged.json', 1_000)!);
    expect(new Control(disk).list()).toEqual([
      { name: 'before.json', text: '{}\n', problem: null },
      {
        name: 'forged.json',
        text: null,
        problem:
          'it was not written by Mailroom on this machine: .mailroom/api/seal.key was replaced or cannot be used since this process read it; restart Mailroom, then repeat the command',
      },
    ]);
  });

  it('is made by no process that only reads', () => {
    const disk = new MemoryDisk();
    disk.plant('.mailroom/control/a.json', `{}\n${'0'.repeat(64)}\n`);
    expect(new Control(disk).list()).toMatchObject([
      { problem: `it was not written by Mailroom on this machine: ${sealKeyFile} has no key for seals` },
    ]);
    expect(disk.look(sealKeyFile)).toBeNull();
    expect(readSealed(disk, 'nowhere', 10)).toBe('gone');
  });
});

describe('confirmations that another program wrote', () => {
  it('confirm nothing, say so, and are replaced by those of a person', async () => {
    const root = realpathSync(mkdtempSync(join(tmpdir(), 'mailroom-seal-')));
    try {
      const disk = new RealDisk(root);
      const found = {
        file: join(root, 'workflows/a.yaml'),
        path: 'workflows/a.yaml',
        fingerprint: () => 'abc',
      };
      disk.write('.mailroom/confirmed', 'abc  workflows%2Fa.yaml\n');
      await expect(expectConfirmed(disk, found)).rejects.toThrow(
        '.mailroom/confirmed confirms nothing: it was not written by Mailroom on this machine: it has no seal; look at the workflow, then run `mailroom reload workflows/a.yaml`',
      );
      expect(confirm(disk, [found])).toMatchObject([{ key: 'workflows/a.yaml' }]);
      await expectConfirmed(disk, found);
    } finally {
      rmSync(root, { recursive: true });
    }
  });
});

describe('the folder of the state', () => {
  it.each(['', 'nothing\n', '*\n!control\n'])('is ignored by git again where it held `%s`', (text) => {
    const disk = new MemoryDisk();
    disk.plant('.mailroom/.gitignore', text);
    openState(disk);
    expect(disk.read('.mailroom/.gitignore', 100)?.toString()).toBe('*\n');
  });

  it('moves away what is in the place of that file', () => {
    const disk = new MemoryDisk();
    disk.plant('.mailroom/.gitignore', '/etc/passwd', 'link');
    expect(openState(disk)).toEqual([
      '.mailroom/.gitignore was moved to .mailroom/refused/: it is a link, not a file',
    ]);
    expect(disk.read('.mailroom/.gitignore', 100)?.toString()).toBe('*\n');
  });
});
