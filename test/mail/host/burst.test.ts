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
const roles = ['architect', 'qa', 'user'];

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
  return { disk, mailboxes, ledger, look, pass: (ms = 50) => void (now += ms) };
}

it('takes a burst of mail from one listing of each inbox, and lists once more to be sure', () => {
  const { disk, mailboxes, ledger, look, pass } = openIntake();
  for (let index = 0; index < 1_000; index += 1)
    disk.plant(`agents/${index % 2 === 0 ? 'architect' : 'qa'}/inbox/task-${String(index)}.md`, 'Do it\n');
  pass();
  while (look().more);
  expect(ledger.state.lastMail).toBe(1_000);
  expect([...mailboxes.listed].slice(0, 2)).toEqual([
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

/** The subjects of the mail, in the order of the journal. */
function subjects({ ledger }: ReturnType<typeof openIntake>): string[] {
  return [...ledger.state.mail.values()].map(({ message }) => message.subject);
}

it('takes what it finds in the order in which it was written, whatever the names and the boxes', () => {
  const project = openIntake();
  const paths = ['user/outbox/z', 'architect/inbox/y', 'user/outbox/m', 'qa/inbox/b', 'user/outbox/a'];
  for (const [index, path] of paths.entries()) {
    const letter = path.startsWith('user')
      ? `---\ntype: task\nto: qa\n---\n${String(index)}\n`
      : `---\ntype: task\n---\n${String(index)}\n`;
    project.disk.plant(`agents/${path}.md`, letter);
    project.pass();
  }
  project.look();
  expect(subjects(project)).toEqual(['0', '1', '2', '3', '4']);
});

it('takes what was written at the same time, or before a clock was set back, once each', () => {
  const project = openIntake();
  for (const name of ['b', 'a']) project.disk.plant(`agents/architect/inbox/${name}.md`, `${name}\n`);
  project.pass(-3_600_000);
  project.disk.plant('agents/architect/inbox/c.md', 'c\n');
  project.pass(3_700_000);
  project.look();
  expect(subjects(project)).toEqual(['c', 'a', 'b']);
});

it('takes the oldest of a burst first', () => {
  const project = openIntake();
  for (let index = 999; index >= 0; index -= 1) {
    project.disk.plant(
      `agents/architect/inbox/task-${String(index).padStart(3, '0')}.md`,
      `${String(index)}\n`,
    );
    project.pass(1);
  }
  project.pass();
  while (project.look().more);
  expect(subjects(project)).toEqual(Array.from({ length: 1_000 }, (_, index) => String(999 - index)));
});
