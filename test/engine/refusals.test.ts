import { expect, it } from 'vitest';
import type { Message } from '../../src/core/mail/message.ts';
import { MailHost } from '../../src/engine/mail-host.ts';
import type { Look } from '../../src/engine/loop.ts';
import { MemoryDisk } from '../../src/store/memory-disk.ts';
import { MailroomError } from '../../src/core/errors.ts';
import { controlFolder } from '../../src/store/control.ts';
import { protocolOf } from '../machine/texts.ts';
import { exit } from '../contract/providers-samples.ts';
import { idleRunner, mailPorts } from '../support/mail-ports.ts';

const protocol = protocolOf(`
roles: { one: { retries: 2 }, two: {} }
messages: { task: { from: user, to: [one, two] }, note: { from: user, to: user } }
`);

/** A project in which the disk refuses what the test says. */
function project() {
  let now = Date.UTC(2026, 0, 1);
  const disk = new MemoryDisk(() => now);
  const started: string[] = [];
  const told: Message[] = [];
  const ports = mailPorts(disk, {
    runner: { ...idleRunner, start: ({ key }) => void started.push(key) },
    notify: (_role, message) => void told.push(message),
  });
  const host = new MailHost(ports, { protocol, protocolHash: 'one', version: 'test' });
  host.start();
  const look = (): Look => ((now += 50), host.look());
  const drop = (role: string, text = 'Do it\n') => disk.plant(`agents/${role}/inbox/task.md`, text);
  const lying = (folder: string) => (disk.list(folder) ?? []).filter((name) => !name.endsWith('.txt'));
  const later = (milliseconds: number) => void (now += milliseconds);
  return { disk, host, started, told, look, drop, lying, later, now: () => now };
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
  const failed = { is: 'later', class: 'RETRYABLE_TRANSIENT', reason, until: null, usage } as const;
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
