import { Mailboxes } from '../../../src/mail/mailboxes/mailboxes.ts';
import { expect, it } from 'vitest';
import { defaultConfig } from '../../../src/config/config.ts';
import { DiskGuard } from '../../../src/disk/disk-guard.ts';
import { expectedNow } from '../../../src/mail/host/project.ts';
import { Intake } from '../../../src/mail/host/intake.ts';
import { listedOnce } from '../../../src/mail/host/listing.ts';
import { openMailLedger } from '../../../src/mail/host/ledger.ts';
import { inMemoryTrail } from '../../support/memory-trail.ts';
import { parseProtocol } from '../../../src/mail/protocol/read.ts';
import { Journal } from '../../../src/disk/journal.ts';
import { MemoryDisk } from '../../support/memory-disk.ts';
import type { MailEvent } from '../../../src/mail/machine/event.ts';

const text = `
name: one
version: "1"
roles: { architect: { provider: claude }, qa: { provider: claude } }
messages: { task: { from: user, to: [architect, qa] } }
`;
const read = parseProtocol([{ file: 'one.yaml', text }], defaultConfig);
if (!read.ok) throw new Error(read.problems.map(({ message }) => message).join());
const protocol = read.value;
const roles = ['architect', 'qa'];

/** Mailboxes that tell how often each inbox was listed. */
class Counted extends Mailboxes {
  readonly listed = new Map<string, number>();

  override look(...[role, box, most]: Parameters<Mailboxes['look']>) {
    if (box === 'inbox') this.listed.set(role, (this.listed.get(role) ?? 0) + 1);
    return super.look(role, box, most);
  }
}

function openIntake() {
  let now = Date.UTC(2026, 0, 1);
  let ids = 0;
  const disk = new MemoryDisk(() => now);
  const mailboxes = new Counted(disk);
  mailboxes.prepare(roles);
  const clock = { now: () => now };
  const newId = () => `01900000-0000-7000-8000-${String((ids += 1)).padStart(12, '0')}`;
  const trail = inMemoryTrail();
  const ledger = openMailLedger({
    journal: new Journal<MailEvent>(disk),
    trail,
    clock,
    newId,
    trailAt: null,
  });
  const ports = { mailboxes, newId, clock };
  const expected = expectedNow(ledger.state);
  const intake = new Intake(ledger, ports, protocol, expected, { stage: () => false, holds: () => false });
  const look = () => {
    const looked = intake.look(roles, new DiskGuard(), listedOnce(mailboxes, expected));
    ledger.flush();
    intake.release(new Set());
    return looked;
  };
  return { disk, mailboxes, ledger, look, pass: () => void (now += 50) };
}

it('takes a burst of mail from one listing of each inbox, and lists once more to be sure', () => {
  const { disk, mailboxes, ledger, look, pass } = openIntake();
  for (let index = 0; index < 1_000; index += 1)
    disk.plant(`agents/${index % 2 === 0 ? 'architect' : 'qa'}/inbox/task-${String(index)}.md`, 'Do it\n');
  pass();
  while (look().more);
  expect(ledger.state.lastMail).toBe(1_000);
  expect([...mailboxes.listed]).toEqual([
    ['architect', 2],
    ['qa', 2],
  ]);
});

it('forgets no incomplete file over a burst, and takes what comes in between', () => {
  const { disk, ledger, look, pass } = openIntake();
  disk.plant('agents/architect/inbox/a-torn.md', '---\ntype: task\n');
  for (let index = 0; index < 300; index += 1)
    disk.plant(`agents/architect/inbox/task-${String(index)}.md`, 'Do it\n');
  pass();
  expect(look().more).toBe(true);
  disk.plant('agents/qa/inbox/later.md', 'Do it\n');
  pass();
  let last = look();
  for (; last.more; last = look());
  expect(ledger.state.lastMail).toBe(301);
  expect(last.wake).not.toBeNull();
});
