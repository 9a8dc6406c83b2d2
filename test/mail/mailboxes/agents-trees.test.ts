import { TurnFolders } from '../../../src/mail/mailboxes/turn-folders.ts';
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:net';
import { dirname, join } from 'node:path';
import process from 'node:process';
import fc from '../../support/fast-check.ts';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { MailHost } from '../../../src/mail/host/mail-host.ts';
import { watchFolder } from '../../../src/git/folder-changes.ts';
import { RealDisk } from '../../../src/disk/real-disk.ts';
import { exit } from '../../providers/samples.ts';
import { protocolOf } from '../machine/texts.ts';
import { setEnvironment } from '../trail/support.ts';
import { idleRunner, mailPorts } from '../../support/mail-ports.ts';
import type { AgentJob } from '../../../src/host/runner/runner.ts';

/*
 * What an agent can make of the folders that it may write, on the real disk and as a user for whom modes count: as root a
 * test says nothing about modes.
 */

let folder: string;
/** Listens at `folder/socket` while a test runs. */
let server: Server;
const before = process.cwd();
beforeEach(() => {
  // The folder of our own temporary files shows nothing to other users.
  folder = mkdtempSync('/tmp/mailroom-trees-');
  mkdirSync(join(folder, 'kept'));
  writeFileSync(join(folder, 'kept', 'file'), 'kept');
  chmodSync(folder, 0o777);
  process.chdir(folder);
  if (process.getuid?.() === 0) process.seteuid?.(12_345);
  // Both are made once, and linked to wherever one is wanted: the name of a socket must be short.
  server = createServer().listen(join(folder, 'socket'));
  execFileSync('mkfifo', [join(folder, 'fifo')]);
});
afterEach(() => {
  server.close();
  if (process.getuid?.() === 0) process.seteuid?.(0);
  process.chdir(before);
  rmSync(folder, { recursive: true });
});

const odd = Buffer.concat([Buffer.from('outbox/'), Buffer.of(0xe9, 0xff)]);
const made: readonly (readonly [string, () => void])[] = [
  [
    'a tree deeper than any path',
    () => {
      mkdirSync('outbox');
      process.chdir('outbox');
      for (let level = 0; level < 60; level += 1) {
        mkdirSync('d'.repeat(200));
        process.chdir('d'.repeat(200));
      }
      writeFileSync('deep.md', 'x');
      process.chdir(folder);
    },
  ],
  [
    'a folder without any right, with another in it',
    () => {
      mkdirSync('outbox/closed/inner', { recursive: true });
      writeFileSync('outbox/closed/inner/x', 'x');
      chmodSync('outbox/closed/inner', 0);
      chmodSync('outbox/closed', 0);
    },
  ],
  [
    'a staging folder without any right',
    () => {
      mkdirSync('outbox');
      writeFileSync('outbox/x.md', 'x');
      chmodSync('outbox', 0);
    },
  ],
  [
    'names that are no UTF-8, in folders that nobody may write',
    () => {
      mkdirSync(odd, { recursive: true });
      writeFileSync(Buffer.concat([odd, Buffer.from('/'), Buffer.of(0xff)]), 'x');
      chmodSync(odd, 0o500);
      chmodSync('outbox', 0o500);
    },
  ],
  [
    'a link to what is not its own',
    () => {
      mkdirSync('outbox/closed', { recursive: true });
      symlinkSync(join(folder, 'kept'), 'outbox/closed/link');
      chmodSync('outbox/closed', 0);
    },
  ],
  [
    'a socket and a pipe',
    () => {
      mkdirSync('outbox');
      for (const kind of ['socket', 'fifo']) linkSync(kind, join('outbox', kind));
    },
  ],
];

it.each(made)('removes %s, and nothing else', (_what, make) => {
  make();
  const disk = new RealDisk(folder);
  expect(disk.remove('outbox')).toBe(true);
  expect(disk.list('.mailroom/tmp') ?? []).toEqual([]);
  expect(existsSync(join(folder, 'outbox'))).toBe(false);
  expect(readFileSync(join(folder, 'kept', 'file'), 'utf8')).toBe('kept');
});

it('collects what no one may read as that, and opens the next attempt', () => {
  const folders = new TurnFolders(new RealDisk(folder));
  const open = () =>
    folders.open(
      { turn: 't1', attempt: 1, round: 0 },
      { prompt: 'prompt', messages: [], keepStaging: false },
    );
  const problem = (text: string) => ({ ok: false, problem: text });
  const { outbox } = open();
  writeFileSync(`${outbox}/x.md`, 'x');
  chmodSync(`${outbox}/x.md`, 0);
  expect(folders.collect('t1', 1, 0)).toEqual([{ name: 'x.md', content: problem('permission denied') }]);
  for (const kind of ['socket', 'fifo']) linkSync(kind, `${outbox}/${kind}.md`);
  expect(folders.collect('t1', 1, 0)).toEqual([
    { name: 'fifo.md', content: problem('it is a fifo (named pipe), not a file') },
    { name: 'socket.md', content: problem('it is a socket, not a file') },
    { name: 'x.md', content: problem('permission denied') },
  ]);
  chmodSync(outbox, 0);
  expect(folders.collect('t1', 1, 0)).toEqual([
    { name: 'outbox', content: problem('cannot list .mailroom/turns/t1/1/outbox: permission denied') },
  ]);
  open();
  expect(folders.collect('t1', 1, 0)).toEqual([]);
});

/** One thing that an agent makes in a folder of its own. */
interface Made {
  readonly kind: 'folder' | 'file' | 'link' | 'fifo' | 'socket';
  readonly place: number;
  readonly name: Buffer;
  readonly mode: number;
}

/** What the controller itself looks for or writes there, and others. */
const names =
  `a.md b.md .hidden 2 messages prompt.md collected-0 result.json agents one inbox outbox index`.split(' ');

const made1 = fc.record({
  kind: fc.constantFrom<Made['kind']>('folder', 'folder', 'file', 'file', 'link', 'fifo', 'socket'),
  place: fc.nat(20),
  name: fc.oneof(
    fc.constantFrom(...names).map((name) => Buffer.from(name)),
    fc
      .uint8Array({ minLength: 1, maxLength: 200 })
      .map((bytes) => Buffer.from(bytes.map((byte) => (byte === 0 || byte === 47 ? 255 : byte)))),
  ),
  mode: fc.constantFrom(0, 0o100, 0o200, 0o400, 0o500, 0o644, 0o700),
});

const protocol = protocolOf(`
workspace: worktree
roles: { one: { capabilities: [READ], retries: 1 }, two: { capabilities: [READ] } }
messages: { task: { from: user, to: [one, two] }, done: { from: [one, two], to: user } }
`);

/** Makes these things below the folders, and takes the rights of the folders last. */
function makeAll(tops: readonly string[], all: readonly Made[]): void {
  const folders = tops.map((top) => Buffer.from(top));
  const modes: [Buffer, number][] = [];
  for (const { kind, place, name, mode } of all) {
    const path = Buffer.concat([folders[place % folders.length]!, Buffer.from('/'), name]);
    try {
      if (kind === 'folder') mkdirSync(path);
      else if (kind === 'file') writeFileSync(path, 'x');
      else if (kind === 'link') symlinkSync(place % 2 === 0 ? '/etc' : 'nowhere', path);
      else linkSync(join(folder, kind), path);
    } catch {
      // There is something of that name, or the path is too long.
      continue;
    }
    if (kind === 'folder') folders.push(path);
    if (kind === 'folder' || kind === 'file') modes.push([path, mode]);
  }
  for (const [path, mode] of modes.toReversed()) chmodSync(path, mode);
}

/** A controller on the real disk, its agents played by the test. */
function controller(root: string) {
  let now = Date.now();
  const jobs: AgentJob[] = [];
  const disk = Object.assign(new RealDisk(root), { now: () => now });
  const runner = { ...idleRunner, start: (job: AgentJob) => void jobs.push(job) };
  const open = () =>
    new MailHost(mailPorts(disk, { runner }), { protocol, protocolHash: 'one', version: 'test' });
  const drop = (role: string) => disk.write(`agents/${role}/inbox/task.md`, 'Do it.\n');
  const look = (host: MailHost) => {
    now += 50;
    host.look();
  };
  return { jobs, open, drop, look };
}

const answer = {
  is: 'done',
  text: '---\ntype: done\nto: user\n---\nDone.\n',
  session: null,
  usage: { usd: 0, tokens: 0 },
  model: null,
  denials: [],
} as const;

/** The folders that an agent may write without a sandbox, and in them those whose names the controller knows; outer ones first. */
function placesOf({ invocation: { paths, workspace } }: AgentJob, root: string): string[] {
  mkdirSync(join(workspace, 'agents/one/outbox'), { recursive: true });
  execFileSync('git', ['init', '--quiet', workspace]);
  const worktree = ['', '.git', 'agents', 'agents/one', 'agents/one/outbox'].map((path) =>
    join(workspace, path),
  );
  return [dirname(paths.folder), paths.folder, paths.outbox, ...worktree, join(root, 'agents/one/outbox')];
}

it('moves everybody else’s mail, whatever an agent makes in the folders that it may write', async () => {
  // The user that the test runs as cannot read what is root’s own.
  setEnvironment({ HOME: folder, PATH: '/usr/bin:/bin' });
  let cases = 0;
  const mode = fc.constantFrom(0, 0o500, 0o700, 0o700, 0o700);
  const modes = fc.array(mode, { minLength: 9, maxLength: 9 });
  const all = fc.array(made1, { maxLength: 16 });
  const property = fc.asyncProperty(all, modes, fc.boolean(), async (things, rights, isEmptied) => {
    const root = join(folder, String((cases += 1)));
    mkdirSync(root);
    const { jobs, open, drop, look } = controller(root);
    const host = open();
    host.start();
    drop('one');
    for (let looks = 0; looks < 4; looks += 1) look(host);
    const job = jobs[0]!;
    const { paths, workspace } = job.invocation;
    const places = placesOf(job, root);
    const watch = await watchFolder(workspace, root);
    if (isEmptied)
      for (const name of ['messages', 'prompt.md']) rmSync(join(paths.folder, name), { recursive: true });
    makeAll(places, things);
    for (const [index, place] of [...places.entries()].toReversed()) chmodSync(place, rights[index]!);
    const changes = await watch();
    host.turns.ended(job.key, answer, exit(), new Map(changes === null ? [] : [[workspace, changes]]));
    drop('two');
    for (let looks = 0; looks < 4; looks += 1) look(host);
    expect(jobs.map(({ invocation }) => invocation.role)).toContain('two');
    const next = open();
    next.start();
    look(next);
    new RealDisk(folder).remove(String(cases));
    expect(existsSync(root)).toBe(false);
  });
  await fc.assert(property, { numRuns: 25 });
  expect(cases).toBeGreaterThan(24);
});
