import { expect, it } from 'vitest';
import { MailHost } from '../../../src/mail/host/mail-host.ts';
import { readJournal } from '../../support/read-journal.ts';
import { MemoryDisk } from '../../support/memory-disk.ts';
import { defaultConfig } from '../../../src/config/config.ts';
import { parseProtocol } from '../../../src/mail/protocol/read.ts';
import { idleRunner, mailPorts } from '../../support/mail-ports.ts';
import type { MailEvent } from '../../../src/mail/machine/event.ts';

class Crash extends Error {}

const text = `
name: one
version: "1"
roles: { architect: { provider: claude } }
messages: { task: { from: user, to: architect }, aside: { from: architect, to: user } }
`;
const read = parseProtocol([{ file: 'one.yaml', text }], defaultConfig);
if (!read.ok) throw new Error(read.problems.map(({ message }) => message).join());
const protocol = read.value;

/** A host on this disk that runs nobody. */
function hostOn(disk: MemoryDisk, start: (key: string) => void = () => {}, rebooted = false): MailHost {
  const runner = { ...idleRunner, start: ({ key }: { readonly key: string }) => start(key) };
  const ports = mailPorts(disk, { runner });
  return new MailHost(ports, { protocol, protocolHash: 'one', version: 'test', rebooted });
}

/** Looks until nothing is on its way in. */
function settle(host: MailHost, pass: () => void): void {
  for (let look = host.look(); !look.settled; look = host.look()) pass();
}

it('refuses a file once, wherever it was killed after it had written that down', () => {
  let crashes = 0;
  for (let until = 1; ; until += 1) {
    let now = Date.UTC(2026, 0, 1);
    const disk = new MemoryDisk(() => now);
    const pass = () => void (now += 50);
    const first = hostOn(disk);
    first.start();
    disk.plant('agents/architect/inbox/bad.md', '---\ntype: nonsense\n---\nWords\n');
    disk.plant('agents/architect/inbox/binary.md', new Uint8Array([1, 0]));
    let operations = 0;
    disk.before = () => {
      if ((operations += 1) === until) throw new Crash('killed');
    };
    try {
      settle(first, pass);
      break;
    } catch (error) {
      expect(error).toBeInstanceOf(Crash);
      crashes += 1;
    }
    disk.before = null;
    disk.crash();
    const second = hostOn(disk);
    second.start();
    settle(second, pass);
    const refused = readJournal<MailEvent>(disk).records.filter(({ event }) => event.type === 'refused');
    expect(refused, `killed at operation ${String(until)}`).toHaveLength(2);
    expect(disk.list('.mailroom/accepting')).toEqual([]);
  }
  expect(crashes).toBeGreaterThan(10);
});

it('does not send what a role wrote into its outbox in a turn that a crash ended', () => {
  let now = Date.UTC(2026, 0, 1);
  const disk = new MemoryDisk(() => now);
  const pass = () => void (now += 50);
  const keys: string[] = [];
  const first = hostOn(disk, (key) => keys.push(key));
  first.start();
  disk.plant('agents/architect/inbox/task.md', 'Do it\n');
  settle(first, pass);
  first.turns.ready(keys[0] ?? '', { pid: 1, startTime: '1', mark: 'm' }, null);
  first.look();
  disk.plant('agents/architect/outbox/aside.md', '---\ntype: aside\nto: user\n---\nWords\n');
  disk.crash();
  const second = hostOn(disk);
  second.start();
  settle(second, pass);
  const events = readJournal<MailEvent>(disk).records.map(({ event }) => event);
  const accepted = events.flatMap((event) => (event.type === 'accepted' ? [event.sent.message.type] : []));
  expect(accepted).toEqual(['task']);
  expect(events.filter(({ type }) => type === 'refused')).toMatchObject([
    { role: 'architect', box: 'outbox', name: 'aside.md', reason: { code: 'E_TURN' }, notices: [] },
  ]);
  expect(disk.list('agents/architect/outbox')).toEqual([]);
  expect(disk.list('agents/user/inbox')).toEqual([]);
});

it.each([
  { rebooted: true, withdrawn: 0 },
  { rebooted: false, withdrawn: 1 },
])(
  'takes waiting mail that is gone for lost after a reboot, else for withdrawn ($rebooted)',
  ({ rebooted, withdrawn }) => {
    let now = Date.UTC(2026, 0, 1);
    const disk = new MemoryDisk(() => now);
    const pass = () => void (now += 50);
    const first = hostOn(disk);
    first.start();
    disk.plant('agents/architect/inbox/a.md', 'Do this\n');
    settle(first, pass);
    const [busy = ''] = disk.list('agents/architect/inbox') ?? [];
    disk.plant('agents/architect/inbox/b.md', 'Then that\n');
    settle(first, pass);
    const waiting = disk.list('agents/architect/inbox')?.filter((name) => name !== busy) ?? [];
    expect(waiting).toHaveLength(1);
    disk.remove(`agents/architect/inbox/${waiting[0] ?? ''}`);
    const second = hostOn(disk, () => {}, rebooted);
    second.start();
    settle(second, pass);
    const events = readJournal<MailEvent>(disk).records.map(({ event }) => event.type);
    expect(events.filter((type) => type === 'withdrawn')).toHaveLength(withdrawn);
    expect(disk.list('agents/architect/inbox')?.includes(waiting[0] ?? '')).toBe(rebooted);
  },
);

it('believes who sent mail that lies there at the very first start, and later none but people', () => {
  let now = Date.UTC(2026, 0, 1);
  const disk = new MemoryDisk(() => now);
  const letter = '---\ntype: aside\nfrom: architect\n---\nWords\n';
  const host = hostOn(disk);
  disk.plant('agents/user/inbox/moved.md', letter);
  host.start();
  settle(host, () => void (now += 50));
  disk.plant('agents/user/inbox/forged.md', letter);
  settle(host, () => void (now += 50));
  const events = readJournal<MailEvent>(disk).records.map(({ event }) => event);
  expect(events.filter(({ type }) => type === 'refused')).toMatchObject([
    { role: 'user', name: 'forged.md' },
  ]);
  const accepted = events.flatMap((event) => (event.type === 'accepted' ? [event.sent.message.from] : []));
  expect(accepted).toEqual(['architect']);
});
