import { expect, it } from 'vitest';
import { MailHost } from '../../../src/mail/host/mail-host.ts';
import { builtInProviders } from '../../../src/providers/index.ts';
import { readJournal } from '../../support/read-journal.ts';
import { MemoryDisk } from '../../support/memory-disk.ts';
import { idleRunner, mailPorts } from '../../support/mail-ports.ts';
import { environment, fixture } from '../../providers/samples.ts';
import { protocolOf } from '../machine/texts.ts';
import type { MailEvent } from '../../../src/mail/machine/event.ts';

const protocol = protocolOf(`
roles: { one: { provider: claude } }
messages: { task: { from: user, to: one }, done: { from: one, to: user } }
`);

/** What the next host counts of a turn that had printed this when its host was killed. */
function countedOf(stdout: string | null): unknown {
  let now = Date.UTC(2026, 0, 1);
  const disk = new MemoryDisk(() => now);
  const jobs: string[] = [];
  const open = () => {
    const runner = { ...idleRunner, start: ({ key }: { readonly key: string }) => void jobs.push(key) };
    const ports = mailPorts(disk, { runner, providers: builtInProviders(environment) });
    const host = new MailHost(ports, { protocol, protocolHash: 'one', version: 'test' });
    host.start();
    return host;
  };
  const first = open();
  disk.plant('agents/one/inbox/task.md', 'Work.\n');
  for (first.look(); jobs.length === 0; first.look()) now += 50;
  const [key = ''] = jobs;
  first.turns.ready(key, { pid: 4242, startTime: 'then', mark: 'mailroom-test' }, null);
  first.look();
  if (stdout !== null) disk.write('.mailroom/turns/t1/1/stdout', stdout);
  open().look();
  const { records } = readJournal<MailEvent>(disk);
  // It has cost one of the attempts of the turn.
  expect(records.find(({ event }) => event.type === 'requeued')?.event).toMatchObject({ counted: true });
  const failed = records.filter(({ event }) => event.type === 'attempt-failed');
  return failed.map(({ event }) => (event.type === 'attempt-failed' ? event.usage : null));
}

const told = fixture('claude', 'edit-outbox')
  .stdout.split('\n')
  .filter((line) => !line.includes('"type":"result"'));

it('counts what a turn had reported when its host was killed', () => {
  expect(countedOf(told.join('\n'))).toEqual([{ usd: 0.0075, tokens: 2100, more: true }]);
});

it('counts what it had reported at its end, too', () => {
  expect(countedOf(fixture('claude', 'edit-outbox').stdout)).toEqual([{ usd: 0.0075, tokens: 2100 }]);
});

it.each([null, '', 'Hello.\n', '{"type":"assistant"'])(
  'does not guess where it reported nothing: %j',
  (stdout) => {
    expect(countedOf(stdout)).toEqual([{ usd: null, tokens: null }]);
  },
);
