import { expect, it } from 'vitest';
import { MailHost } from '../../../src/mail/host/mail-host.ts';
import { readJournal } from '../../support/read-journal.ts';
import { MemoryDisk } from '../../support/memory-disk.ts';
import { protocolOf } from '../machine/texts.ts';
import { mailPorts } from '../../support/mail-ports.ts';
import type { MailEvent } from '../../../src/mail/machine/event.ts';

const protocol = protocolOf(`
roles: { one: { concurrency: 1 }, ada: { provider: human } }
messages: { task: { from: [user, ada], to: one }, word: { from: user, to: ada } }
`);

/** Messages in the inboxes of a role that is given no room, and of a person. */
function waiting() {
  let now = Date.UTC(2026, 0, 1);
  const disk = new MemoryDisk(() => now);
  const open = () => {
    const slots = { allowance: () => 0, uses: () => {}, leave: () => {} };
    const host = new MailHost(mailPorts(disk), { protocol, protocolHash: 'one', version: 'test', slots });
    host.start();
    return host;
  };
  let host = open();
  const settle = (): void => {
    for (let look = host.look(); !look.settled; look = host.look()) now += 500;
  };
  disk.plant('agents/one/inbox/a.md', 'Do it\n');
  disk.plant('agents/user/outbox/b.md', '---\ntype: word\nto: ada\n---\nHello\n');
  settle();
  const files = (role: string) =>
    (disk.list(`agents/${role}/inbox`) ?? []).map((name) => `agents/${role}/inbox/${name}`);
  /** Takes the file away for good; gives what puts it there again. */
  const takeOut = (role: string) => {
    const [path = ''] = files(role);
    const text = disk.read(path, 10_000)!;
    disk.remove(path);
    settle();
    return (changed = '') => disk.plant(path, text + changed);
  };
  const lying = (role: string) =>
    [...host.state.mail.values()].flatMap(({ deliveries }) => deliveries.get(role)?.at ?? []);
  const types = () => readJournal<MailEvent>(disk).records.map(({ event }) => event.type);
  const again = () => void (host = open());
  return { disk, settle, files, takeOut, lying, types, again };
}

it.each([
  ['one', 'withdrawn', 'inbox'],
  ['ada', 'read', 'unread'],
])('puts back what lies in the inbox of %s again as it was', (role, gone, back) => {
  const { settle, files, takeOut, lying, types } = waiting();
  const before = files(role);
  const putBack = takeOut(role);
  expect(lying(role)).toContain(gone);
  expect(files(role)).not.toEqual(before);
  putBack();
  settle();
  expect(lying(role)).toContain(back);
  expect(files(role)).toEqual(before);
  expect(types()).not.toContain('refused');
});

it('takes it once, though a controller is killed before it lets go of the file', () => {
  const { disk, settle, takeOut, lying, types, again } = waiting();
  takeOut('one')();
  disk.before = (operation) => {
    const { kind } = operation;
    if (kind === 'write' && operation.path.startsWith('agents/one/inbox/')) throw new Error('killed');
  };
  expect(settle).toThrow('killed');
  disk.before = null;
  disk.crash();
  again();
  settle();
  expect(lying('one')).toEqual(['inbox']);
  expect(types().filter((type) => type === 'controlled')).toHaveLength(1);
  expect(disk.list('.mailroom/accepting')).toEqual([]);
});

it('takes what somebody has changed for a message of its own', () => {
  const { settle, takeOut, lying } = waiting();
  takeOut('one')('And more\n');
  settle();
  expect(lying('one').toSorted()).toEqual(['inbox', 'withdrawn']);
});
