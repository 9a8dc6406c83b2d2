import { expect, it } from 'vitest';
import { MailHost } from '../../../src/mail/host/mail-host.ts';
import type { AgentJob } from '../../../src/host/runner/runner.ts';
import { idleRunner, mailPorts } from '../../support/mail-ports.ts';
import { MemoryDisk } from '../../support/memory-disk.ts';
import { protocolOf } from '../machine/texts.ts';

const protocol = protocolOf(`
roles:
  one: { provider: claude, model: opus, capabilities: [READ] }
  two: { provider: claude, fallback: [codex], model: opus, capabilities: [READ] }
messages: { task: { from: user, to: [one, two] }, ok: { from: [one, two], to: user } }
`);

/** A project whose programs come and go. */
function project(...missing: string[]) {
  let now = Date.UTC(2026, 0, 1);
  const disk = new MemoryDisk(() => now);
  const gone = new Set(missing);
  const jobs: AgentJob[] = [];
  const host = new MailHost(
    mailPorts(disk, {
      runner: { ...idleRunner, start: (job) => void jobs.push(job) },
      missingProviders: () => gone,
    }),
    { protocol, protocolHash: 'one', version: 'test' },
  );
  host.start();
  for (const role of ['one', 'two']) disk.plant(`agents/${role}/inbox/task.md`, 'Do it\n');
  const look = (scan = true): string[] => {
    for (let again = 0; again < 3; again += 1) {
      now += 50;
      host.look(scan);
    }
    return jobs.map(
      ({ invocation, provider }) => `${invocation.role} ${provider} ${String(invocation.model)}`,
    );
  };
  return { host, gone, look };
}

it('keeps the mail of a role waiting while its program is missing, and starts it when the program is there', () => {
  const { host, gone, look } = project('claude', 'codex');
  expect(look()).toEqual([]);
  expect(host.state.turns.size).toBe(0);
  expect([host.idle(), host.waitsForPrograms, host.failures]).toEqual([
    'stuck',
    true,
    { threads: 0, files: 0 },
  ]);
  expect([...host.state.mail.values()].map(({ deliveries }) => [...deliveries.values()])).toEqual([
    [{ at: 'inbox' }],
    [{ at: 'inbox' }],
  ]);
  gone.clear();
  expect(look()).toEqual(['one claude opus', 'two claude opus']);
  expect([host.idle(), host.waitsForPrograms]).toEqual(['busy', false]);
});

it('lets another provider work instead of a missing one, with a model of its own', () => {
  const { host, look } = project('claude');
  expect(look()).toEqual(['two codex null']);
  expect(host.waitsForPrograms).toBe(true);
});

it('starts nothing with a missing fallback, and does not miss it', () => {
  const { host, look } = project('codex');
  expect(look()).toEqual(['one claude opus', 'two claude opus']);
  expect(host.waitsForPrograms).toBe(false);
});
