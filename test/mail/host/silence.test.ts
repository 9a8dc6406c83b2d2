import { expect, it } from 'vitest';
import { MailHost } from '../../../src/mail/host/mail-host.ts';
import { builtInProviders } from '../../../src/providers/index.ts';
import { MemoryDisk } from '../../support/memory-disk.ts';
import { idleRunner, mailPorts } from '../../support/mail-ports.ts';
import { environment } from '../../providers/samples.ts';
import { protocolOf } from '../machine/texts.ts';
import type { AgentJob } from '../../../src/host/runner/runner.ts';

const protocol = protocolOf(`
roles:
  patient: { provider: opencode, idle_timeout: 20m }
  usual: { provider: opencode }
  other: { provider: copilot }
  loud: { provider: claude }
messages: { task: { from: user, to: [patient, usual, other, loud] } }
`);

it('an agent that is silent at a usage limit is ended after 15 minutes, unless its role says otherwise', () => {
  let now = Date.UTC(2026, 0, 1);
  const disk = new MemoryDisk(() => now);
  const jobs: AgentJob[] = [];
  const runner = { ...idleRunner, start: (job: AgentJob) => void jobs.push(job) };
  const ports = mailPorts(disk, { runner, providers: builtInProviders(environment) });
  const host = new MailHost(ports, { protocol, protocolHash: 'one', version: 'test' });
  host.start();
  for (const role of protocol.roles.keys())
    if (role !== 'user') disk.plant(`agents/${role}/inbox/a.md`, 'Do it.\n');
  for (let look = 0; look < 20; look += 1, now += 500) host.look();
  const minutes = jobs.map(({ invocation, idleMs }) => [
    invocation.role,
    idleMs === null ? null : idleMs / 60_000,
  ]);
  expect(Object.fromEntries(minutes)).toEqual({ patient: 20, usual: 15, other: 15, loud: null });
});
