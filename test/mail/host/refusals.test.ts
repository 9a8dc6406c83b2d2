import { writeSealed } from '../../../src/host/seal.ts';
import { expect, it } from 'vitest';
import type { Message } from '../../../src/mail/format/message.ts';
import { MailHost } from '../../../src/mail/host/mail-host.ts';
import type { LookResult } from '../../../src/host/loop.ts';
import { readRoleFile } from '../../../src/project/definition/project-files.ts';
import { Journal } from '../../../src/disk/journal.ts';
import { diskError } from '../../../src/disk/disk.ts';
import { MemoryDisk } from '../../support/memory-disk.ts';
import { MailroomError } from '../../../src/kernel/errors.ts';
import { controlFolder } from '../../../src/host/control.ts';
import { sentStep } from '../../../src/mail/machine/step.ts';
import { protocolOf } from '../machine/texts.ts';
import { exit } from '../../providers/samples.ts';
import { idleRunner, mailPorts } from '../../support/mail-ports.ts';
import type { Outcome } from '../../../src/providers/provider.ts';
import type { AgentJob } from '../../../src/host/runner/runner.ts';
import type { MailEvent } from '../../../src/mail/machine/event.ts';

const protocol = protocolOf(`
roles: { one: { retries: 2, capabilities: [READ] }, two: { capabilities: [READ] } }
messages: { task: { from: user, to: [one, two] }, note: { from: user, to: user }, ok: { from: [one, two], to: user } }
`);
const done = '---\ntype: ok\nto: user\n---\nDone.\n';

/** A project in which the disk refuses what the test says. */
function project() {
  let now = Date.UTC(2026, 0, 1);
  const disk = new MemoryDisk(() => now);
  const started: string[] = [];
  const told: Message[] = [];
  const jobs: AgentJob[] = [];
  const ports = mailPorts(disk, {
    runner: {
      ...idleRunner,
      start: (job) => {
        started.push(job.key);
        jobs.push(job);
      },
    },
    notify: (_role, message) => void told.push(message),
    roleText: (role) => readRoleFile(disk, role)?.text ?? '',
  });
  const open = () => new MailHost(ports, { protocol, protocolHash: 'one', version: 'test' });
  const host = open();
  host.start();
  const look = (): LookResult => ((now += 50), host.look());
  const drop = (role: string, text = 'Do it\n') => disk.plant(`agents/${role}/inbox/task.md`, text);
  const lying = (folder: string) => (disk.list(folder) ?? []).filter((name) => !name.endsWith('.txt'));
  const later = (milliseconds: number) => void (now += milliseconds);
  return { disk, host, open, jobs, started, told, look, drop, lying, later, now: () => now };
}

it.each([
  ['file', 'cannot list agents/one/inbox: not a directory'],
  ['link', 'refused the path "agents/one/inbox": a link on the way leads out of the project'],
] as const)('takes in the mail of others while a %s lies in the place of an inbox', (kind, problem) => {
  const { disk, host, look, drop, lying, started } = project();
  disk.remove('agents/one/inbox');
  disk.plant('agents/one/inbox', '/elsewhere', kind);
  drop('two');
  for (let again = 0; again < 3; again += 1) look();
  expect(host.problem).toContain(problem);
  expect(lying('agents/two/inbox')).toEqual([expect.stringMatching(/-task-/)]);
  expect(started).toHaveLength(1);
});

it('reports with the turn what is wrong with the report of its agent', () => {
  const { disk, host, jobs, look, drop } = project();
  drop('one');
  for (let again = 0; again < 3; again += 1) look();
  const [job] = jobs;
  const usage = { usd: null, tokens: null };
  const warnings = ['Its report does not count.'];
  host.turns.ended(
    job?.key ?? '',
    { is: 'done', text: done, session: null, usage, model: null, denials: [], warnings },
    exit(),
  );
  look();
  expect(JSON.parse(String(disk.read('.mailroom/turns/t1/1/result.json', 10_000)))).toMatchObject({
    reported: warnings,
  });
});

it.each([
  ['claude took longer than its time', 'E_TIMEOUT'],
  ['claude ended with exit code 2', 'E_PROVIDER'],
] as const)('names in the notice what a turn had written and did not send: %s', (text, code) => {
  const { host, disk, jobs, look, drop, told } = project();
  drop('one');
  for (let again = 0; again < 3; again += 1) look();
  const [job] = jobs;
  const names = ['a.md', 'b\n.md', 'c.txt', 'd.md', 'e.md', 'f.md', 'g.md'];
  for (const name of names) disk.plant(`.mailroom/turns/t1/1/outbox/${name}`, done);
  const usage = { usd: 0, tokens: 0 };
  host.turns.ended(job?.key ?? '', { is: 'never', reason: { code, text }, usage, session: null }, exit());
  look();
  const written = 'a.md, b\\n.md, c.txt, d.md, e.md and 2 more';
  expect(told[0]?.body.split('\n', 1)[0]).toBe(
    `${code}: ${text}; it had written ${written}, not sent, in .mailroom/turns/t1/1/outbox`,
  );
});

it('draws all but what the disk refuses, tells people once, and draws the rest when it can', () => {
  const { disk, host, look, lying, told } = project();
  disk.remove('agents/one/failed');
  disk.plant('agents/one/failed', 'not a folder');
  disk.plant('agents/one/inbox/bytes.md', Buffer.of(1, 0, 2));
  look();
  for (let again = 0; again < 3; again += 1) expect(look()).toMatchObject({ settled: false, blocked: true });
  expect(host.problem).toContain('agents/one/failed');
  expect(lying('agents/user/inbox')).toHaveLength(1);
  disk.remove(`agents/user/inbox/${lying('agents/user/inbox')[0]!}`);
  look();
  expect(lying('agents/user/inbox')).toEqual([]);
  expect(told).toHaveLength(1);
  disk.remove('agents/one/failed');
  look();
  expect(host.problem).toBeNull();
  const [name = ''] = lying('agents/one/failed/2026-01');
  expect(disk.read(`agents/one/failed/2026-01/${name}`, 10)).toEqual(Buffer.of(1, 0, 2));
});

it.each(['ENOSPC', 'EDQUOT', 'EMFILE', 'ENFILE', 'ENOMEM', 'EAGAIN', 'EROFS', 'ETXTBSY', 'EACCES'])(
  'starts no attempt while the machine has a fault, and fails none: %s',
  (code) => {
    const { disk, host, look, drop, started, later } = project();
    disk.before = ({ kind, path }) => {
      const cause = Object.assign(new Error('no space left on device'), { code });
      if (kind === 'write' && path.startsWith('.mailroom/turns/')) throw diskError('write', path, cause);
    };
    drop('one');
    for (let again = 0; again < 9; again += 1) look();
    expect([started, host.desired, host.problem]).toEqual([[], 0, expect.stringContaining('no space left')]);
    expect(look()).toMatchObject({ blocked: true });
    disk.before = null;
    later(1_000);
    look();
    later(1_000);
    expect([started, host.desired, host.problem]).toEqual([['t1/1/0'], 1, null]);
    expect(host.state.turns.get('t1')).toMatchObject({ attempt: 1, failures: 0 });
  },
);

it('does not look at once again and again for files that are missing where the disk refuses something', () => {
  const { disk, look, drop, lying, later, now } = project();
  drop('one');
  look();
  drop('one', 'And this\n');
  look();
  look();
  for (const name of lying('agents/one/inbox')) disk.remove(`agents/one/inbox/${name}`);
  expect(look().wake).toBe(now() + 1_000);
  disk.beforeRead = (path) => {
    if (path === 'agents/one/inbox') throw new MailroomError('E_DISK', 'cannot list it');
  };
  later(5_000);
  expect(look()).toMatchObject({ wake: null, blocked: true });
});

it('does not wake for what it would decide while the commands of people cannot be read', () => {
  const { disk, host, look, drop, started, later, now } = project();
  drop('one');
  look();
  look();
  const usage = { usd: null, tokens: null };
  const reason = { code: 'E_TURN', text: 'not now' } as const;
  const failed = {
    is: 'later',
    class: 'RETRYABLE_TRANSIENT',
    reason,
    until: null,
    usage,
    session: null,
  } as const;
  host.turns.ended(started[0]!, failed, exit());
  look();
  expect(look().wake).toBeGreaterThan(now());
  disk.beforeRead = (path) => {
    if (path.startsWith(controlFolder)) throw new MailroomError('E_DISK', 'cannot list it');
  };
  later(3_600_000);
  expect(look()).toMatchObject({ wake: null, blocked: true });
  expect(host.idle()).toBe('stuck');
});

it('starts no turn again that ends while the commands of people cannot be read', () => {
  const { disk, host, look, drop, started } = project();
  drop('one');
  look();
  look();
  expect(started).toHaveLength(1);
  disk.beforeRead = (path) => {
    if (path.startsWith(controlFolder)) throw new MailroomError('E_DISK', 'cannot list it');
  };
  const rest = { session: null, usage: { usd: 0, tokens: 0 }, model: null, denials: [] };
  host.turns.ended(started[0]!, { is: 'done', text: 'done it', ...rest }, exit());
  look();
  look();
  expect(started).toHaveLength(1);
});

const rest = { session: null, usage: { usd: 0, tokens: 0 }, model: null, denials: [] };

/** What a folder or file of an agent's own does when nobody may read it. */
function deny(disk: MemoryDisk, denied: (path: string) => boolean): void {
  disk.beforeRead = (path) => {
    if (denied(path))
      throw new MailroomError('E_DISK', `cannot read ${path}`, null, { cause: { code: 'EACCES' } });
  };
}

it.each([
  ['its outbox', (path: string) => path === 'agents/one/outbox'],
  ['its staging folder', (path: string) => path === '.mailroom/turns/t1/1/outbox'],
  ['a file there', (path: string) => path.endsWith('x.md')],
])('continues with everybody else while an agent lets nobody read %s', (_what, denied) => {
  const { disk, host, jobs, open, look, drop, started } = project();
  drop('one');
  look();
  look();
  const [job] = jobs;
  disk.plant(`${job!.invocation.paths.outbox.slice(disk.root.length + 1)}/x.md`, 'x');
  deny(disk, denied);
  host.turns.ended(started[0]!, { is: 'done', text: done, ...rest }, exit());
  drop('two');
  for (let looks = 0; looks < 3; looks += 1) look();
  expect(jobs.map(({ invocation }) => invocation.role)).toContain('two');
  // A controller that begins while a turn of it was open is not stopped either.
  const next = open();
  next.start();
  next.look();
  expect(next.state.turns.size).toBeGreaterThan(0);
});

it.each([['agents/one/outbox'], ['.mailroom/turns/t1/1/outbox']])(
  'continues with everybody else while %s is a link out of the project',
  (place) => {
    const { disk, host, jobs, open, look, drop, started } = project();
    drop('one');
    look();
    look();
    disk.remove(place);
    disk.plant(place, '/elsewhere', 'link');
    host.turns.ended(started[0]!, { is: 'done', text: done, ...rest }, exit());
    drop('two');
    for (let looks = 0; looks < 3; looks += 1) look();
    expect(jobs.map(({ invocation }) => invocation.role)).toContain('two');
    const next = open();
    next.start();
    next.look();
    expect(next.state.turns.size).toBeGreaterThan(0);
  },
);

it('fails the attempt of an agent whose result no one foresaw, and nothing else', () => {
  const { host, look, drop, started, lying } = project();
  drop('one');
  drop('two');
  look();
  look();
  const nonsense = { is: 'done', text: null, ...rest } as unknown as Outcome;
  host.turns.ended(started[0]!, nonsense, exit());
  host.turns.ended(started[1]!, { is: 'done', text: done, ...rest }, exit());
  for (let looks = 0; looks < 3; looks += 1) look();
  expect(lying('agents/two/processed/2026-01')).toHaveLength(1);
  expect(lying('agents/one/failed/2026-01')).toEqual([expect.stringMatching(/-task-/)]);
  expect(host.problem).toBeNull();
});

it.each([
  ['a folder', 'folder', 'cannot read agents/one/role.md: it is a folder, not a file'],
  ['a fifo', 'fifo', 'cannot read agents/one/role.md: it is a fifo (named pipe), not a file'],
  ['no text', 'bytes', 'cannot read agents/one/role.md: it is binary: it holds NUL bytes (line 1, column 1)'],
  ['too long', 'long', 'cannot read agents/one/role.md: it has 256.1 KiB, the limit is 256 KiB'],
])('holds the mail of a role whose role.md is %s, until it is right again', (_what, kind, problem) => {
  const { disk, host, jobs, look, drop, lying } = project();
  const path = 'agents/one/role.md';
  if (kind === 'bytes') disk.plant(path, Buffer.of(0));
  else if (kind === 'long') disk.plant(path, 'x'.repeat(256 * 1024 + 1));
  else disk.plant(path, '', kind === 'fifo' ? 'fifo' : 'folder');
  drop('one');
  drop('two');
  for (let looks = 0; looks < 3; looks += 1) look();
  expect(host.problem).toBe(problem);
  expect(jobs.map(({ invocation }) => invocation.role)).toEqual(['two']);
  expect(lying('agents/one/inbox')).toHaveLength(1);
  host.turns.ended(jobs[0]!.key, { is: 'done', text: done, ...rest }, exit());
  look();
  expect(host.idle()).toBe('stuck');
  disk.remove(path);
  disk.plant(path, 'You are one.');
  look();
  expect(host.problem).toBeNull();
  expect(jobs.at(-1)?.invocation.prompt).toContain('You are one.');
});

it('starts with a journal that holds the letter of a step whose id is a path, and with the rest of the mail', () => {
  const { disk, jobs, open, drop, later } = project();
  const id = '../../../../x';
  const letter = {
    id,
    run: 'r',
    role: 'one',
    subject: 's',
    body: 'b',
    fields: {},
    timeout: null,
    work: null,
  };
  const journal = new Journal<MailEvent>(disk);
  journal.read();
  journal.append([{ type: 'accepted', sent: sentStep(protocol, letter, 0), v: 1, at: 0 }]);
  journal.sync();
  journal.close();
  const next = open();
  next.start();
  drop('two');
  for (let looks = 0; looks < 5; looks += 1) {
    later(50);
    next.look();
  }
  expect(jobs.map(({ invocation }) => invocation.role)).toContain('two');
});

it('notifies once of a command that is refused when no one waits for its verdict any more', () => {
  const { disk, open, now, later } = project();
  const id = '018f0000-0000-7000-8000-000000000001';
  const thread = '018f0000-0000-7000-8000-00000000000a';
  const ask = (file: string, at: number) => {
    const asked = { id, at, by: 'ada', verb: 'cancel', target: { kind: 'thread', thread }, now: false };
    writeSealed(disk, `${controlFolder}/${file}.json`, JSON.stringify({ ...asked, id: file }));
  };
  const notices = (host: MailHost) =>
    [...host.state.unread.values()].map(({ message }) => `${message.subject}\n${message.body}`);
  ask('a', now());
  const first = open();
  first.start();
  first.look();
  const refused = `Refused: cancel ${thread}\n\`cancel ${thread}\`, which ada asked for, was refused: there is no thread ${thread}\nNothing was changed.`;
  expect(notices(first)).toEqual([refused]);
  // Whoever asks while a controller runs waits for its verdict.
  ask('b', now());
  first.look();
  expect(notices(first)).toEqual([refused]);
  expect(disk.list(controlFolder)).toEqual([]);
  // Unless it was too busy to give one.
  ask('c', now());
  later(10_000);
  first.look();
  expect(notices(first)).toEqual([refused, refused]);
  // The last controller was killed before the file was removed.
  ask('c', now());
  const second = open();
  second.start();
  second.look();
  expect(notices(second)).toEqual([refused, refused]);
});

it('follows a command once, though its file is still there at the next start', () => {
  const { disk, open, now } = project();
  const ask = (id: string, verb: 'pause' | 'unpause') => {
    const target = { kind: 'role', role: 'one' };
    writeSealed(
      disk,
      `${controlFolder}/${id}.json`,
      JSON.stringify({ id, at: now(), by: 'ada', verb, target, now: false }),
    );
  };
  const first = open();
  first.start();
  ask('a', 'pause');
  first.look();
  ask('b', 'unpause');
  first.look();
  expect(first.state.paused.roles).toEqual(new Map());
  ask('a', 'pause');
  const second = open();
  second.start();
  second.look();
  expect(second.state.paused.roles).toEqual(new Map());
  expect(disk.list(controlFolder)).toEqual([]);
});
