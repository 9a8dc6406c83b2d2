import { writeSealed } from '../../../src/host/seal.ts';
import { expect, it } from 'vitest';
import { MailroomError } from '../../../src/kernel/errors.ts';
import { MailHost } from '../../../src/mail/host/mail-host.ts';
import { readJournal } from '../../support/read-journal.ts';
import { MemoryDisk } from '../../support/memory-disk.ts';
import { protocolOf } from '../machine/texts.ts';
import { idleRunner, mailPorts } from '../../support/mail-ports.ts';
import type { MailEvent } from '../../../src/mail/machine/event.ts';

const protocol = protocolOf(`
roles: { maker: { concurrency: 2 } }
messages: { task: { from: user, to: maker } }
`);

/** Five tasks for a maker that has taken up as many as it has room for, and ends none. */
function working(room: number) {
  let now = Date.UTC(2026, 0, 1);
  const disk = new MemoryDisk(() => now);
  const started: string[] = [];
  const runner = { ...idleRunner, start: ({ key }: { readonly key: string }) => void started.push(key) };
  const open = (allowance: number) => {
    const slots = { allowance: () => allowance, uses: () => {}, leave: () => {} };
    const options = { protocol, protocolHash: 'one', version: 'test', slots };
    const host = new MailHost(mailPorts(disk, { runner }), options);
    host.start();
    return host;
  };
  const host = open(room);
  for (const name of ['a', 'b', 'c', 'd', 'e']) disk.plant(`agents/maker/inbox/${name}.md`, `Make ${name}\n`);
  for (let look = host.look(); !look.settled; look = host.look()) now += 50;
  const lying = (place: string) =>
    [...host.state.mail.values()].flatMap(({ message: { id }, deliveries }) =>
      deliveries.get('maker')?.at === place ? [id] : [],
    );
  const [waiting, taken] = [lying('inbox'), lying('claimed')];
  const fileOf = (id = '') =>
    disk.list('agents/maker/inbox')?.find((name) => name.endsWith(`${id.slice(-6)}.md`)) ?? '';
  const take = (id = '') => disk.remove(`agents/maker/inbox/${fileOf(id)}`);
  const later = (milliseconds: number) => void (now += milliseconds);
  const types = () => readJournal<MailEvent>(disk).records.map(({ event }) => event.type);
  return { disk, host, open, started, waiting, taken, take, now: () => now, later, types };
}

it('takes nothing for withdrawn while an inbox is being emptied', () => {
  const { disk, host, waiting, take, later, types } = working(2);
  expect(waiting).toHaveLength(3);
  for (const id of waiting) {
    take(id);
    later(900);
    expect(host.look()).toMatchObject({ settled: false });
  }
  disk.remove('agents/maker');
  later(5_000);
  host.look();
  host.look();
  expect(types()).toContain('vanished');
  expect(types()).not.toContain('withdrawn');
});

it('sees by the files of what is being worked on, too, that an inbox is still being emptied', () => {
  const { host, waiting, taken, take, later, types } = working(2);
  take(waiting[0]);
  host.look();
  later(600);
  take(taken[0]);
  host.look();
  later(600);
  host.look();
  expect(types()).not.toContain('withdrawn');
});

it('sees by the files that were not yet accepted, too, that an inbox is still being emptied', () => {
  const { disk, host, waiting, take, later, types } = working(2);
  const stray = 'agents/maker/inbox/later.md';
  disk.plant(stray, '');
  take(waiting[0]);
  host.look();
  later(600);
  disk.remove(stray);
  host.look();
  later(600);
  host.look();
  expect(types()).not.toContain('withdrawn');
});

it('takes for withdrawn what is still missing a second after the last went', () => {
  const { host, waiting, take, now, later, types } = working(2);
  take(waiting[0]);
  host.look();
  later(600);
  take(waiting[1]);
  expect(host.look()).toMatchObject({ wake: now() + 1_000, settled: false });
  later(999);
  host.look();
  expect(types()).not.toContain('withdrawn');
  later(1);
  expect(host.look()).toMatchObject({ settled: true });
  expect(types().filter((type) => type === 'withdrawn')).toHaveLength(2);
});

it('starts no one for mail that may be withdrawn', () => {
  const { open, started, waiting, take, later, types } = working(0);
  for (const id of waiting.slice(0, 4)) take(id);
  const next = open(2);
  next.look();
  expect(started).toEqual([]);
  later(1_000);
  next.look();
  expect(types().filter((type) => type === 'withdrawn')).toHaveLength(4);
  expect(started).toHaveLength(1);
});

it('does not take for mail of somebody what could not be filed yet', () => {
  const { disk, host, open, waiting, later, types } = working(0);
  const thread = host.state.mail.get(waiting[0] ?? '')?.message.thread;
  let full = 3;
  disk.before = ({ kind, path }) => {
    if (kind === 'rename' && path.startsWith('agents/maker/inbox') && (full -= 1) >= 0)
      throw new MailroomError('E_DISK', 'it is full');
  };
  const target = { kind: 'thread', thread };
  const command = { id: 'c', at: 0, by: 'ada', verb: 'cancel', target, now: true };
  writeSealed(disk, '.mailroom/control/c.json', JSON.stringify(command));
  host.look();
  const next = open(0);
  next.look();
  expect(next.problem).toBe('it is full');
  later(1_000);
  next.look();
  expect(next.state.mail.get(waiting[0] ?? '')?.deliveries.get('maker')?.at).toBe('failed');
  expect(types().filter((type) => type === 'accepted' || type === 'refused')).toHaveLength(5);
});
