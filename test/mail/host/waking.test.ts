import { expect, it } from 'vitest';
import { CatchingUp } from '../../../src/mail/host/intake.ts';
import { MailHost } from '../../../src/mail/host/mail-host.ts';
import { idleRunner, mailPorts } from '../../support/mail-ports.ts';
import { MemoryDisk } from '../../support/memory-disk.ts';
import { readJournal } from '../../support/read-journal.ts';
import type { MailOptions } from '../../../src/mail/host/ports.ts';
import type { MailEvent } from '../../../src/mail/machine/event.ts';
import { protocolOf } from '../machine/texts.ts';

const protocol = protocolOf(`
roles: { one: {}, ada: { provider: human } }
messages:
  ask: { from: user, to: [one, ada], reply: [answer], timeout: 1m, on_timeout: fail }
  answer: { from: [one, ada], to: user }
`);
const hour = 3_600_000;

/** A project in which a request waits for an answer, and no controller runs any more. */
class Left {
  now = Date.UTC(2026, 0, 1);
  readonly disk = new MemoryDisk(() => this.now);
  host = this.begin();

  constructor(role: string) {
    this.disk.plant('agents/user/outbox/ask.md', `---\ntype: ask\nto: ${role}\n---\nYes or no?\n`);
    this.settle();
  }

  begin(clock: { suspended?(): number } = {}, more: Partial<MailOptions> = {}): MailHost {
    const ports = mailPorts(this.disk, { runner: idleRunner });
    const options = { protocol, protocolHash: 'one', version: 'test', ...more };
    this.host = new MailHost({ ...ports, clock: { ...ports.clock, ...clock } }, options);
    this.host.start();
    return this.host;
  }

  settle(): void {
    while (!this.host.look().settled) this.now += 50;
  }

  get request(): string {
    const types = readJournal<MailEvent>(this.disk).records.map(({ event }) => event.type);
    if (types.includes('thread-failed')) return 'timed out';
    return this.host.state.deadlines.size > 0 ? 'open' : 'answered';
  }

  answer(): void {
    this.disk.plant('agents/ada/outbox/answer.md', '---\ntype: answer\n---\nYes\n');
  }
}

it('an answer that lies there at a start comes before a deadline that passed meanwhile', () => {
  for (const since of [hour, 0]) {
    const project = new Left('ada');
    project.now += hour;
    project.answer();
    project.now += since;
    project.begin();
    project.settle();
    expect(project.request).toBe('answered');
  }
});

it('so does one that lies there after a suspension of the controller', () => {
  const project = new Left('ada');
  let suspended = 0;
  project.begin({ suspended: () => suspended });
  project.settle();
  // A person answers on another machine, just before this one wakes.
  project.now += 8 * hour;
  suspended = 8 * hour - 70_000;
  project.answer();
  project.settle();
  expect(project.request).toBe('answered');
});

it('a look that reads no mailbox shows nothing of what lies there', () => {
  const catchingUp = new CatchingUp();
  const all = { wake: null, more: false, watch: null };
  for (const [scan, looked] of [
    [false, all],
    [true, { ...all, more: true }],
    [true, { ...all, wake: 7 }],
  ] as const) {
    catchingUp.looked(scan, looked, 0);
    expect(catchingUp.isOver).toBe(false);
  }
  catchingUp.looked(true, all, 0);
  expect(catchingUp.isOver).toBe(true);
});

it('a person without an answer is out of time', () => {
  const project = new Left('ada');
  project.now += hour;
  project.begin();
  project.settle();
  expect(project.request).toBe('timed out');
});

it('mail that stays incomplete holds up no deadline for longer than a minute', () => {
  const project = new Left('ada');
  project.now += hour;
  project.begin();
  project.disk.written.set('agents/one/inbox/long.md', { by: 'process 7 (cat)' });
  project.disk.plant('agents/one/inbox/long.md', 'To be continued');
  const looks = () => {
    for (let time = 0; time <= 50_000; time += 5_000, project.now += 5_000) project.host.look();
  };
  looks();
  expect(project.request).toBe('open');
  looks();
  expect(project.request).toBe('timed out');
});

it('time in which no controller ran is not the time of an agent', () => {
  const project = new Left('one');
  project.now += hour;
  project.begin();
  project.settle();
  expect(project.request).toBe('open');
  project.now += 61_000;
  project.settle();
  expect(project.request).toBe('timed out');
});

it.each([
  ['it ran idle, and was off for an hour', hour, 9_000, 'open'],
  ['that is all that was left', hour, 11_000, 'timed out'],
  ['the clock was set back meanwhile', -5 * hour, 9_000, 'open'],
  ['that is all that was left, and the clock was set back', -5 * hour, 61_000, 'timed out'],
])('time in which a controller ran counts: %s', (_, off, then, request) => {
  const project = new Left('one');
  // The last event is as old.
  const lastRan = (project.now += 50_000);
  project.now += off;
  project.begin({}, { lastRan });
  project.settle();
  project.now += then;
  project.settle();
  expect(project.request).toBe(request);
});

it.each([
  ['at a start', 0],
  ['after a suspension', 8 * hour],
])('an answer that lies in a channel comes before a deadline %s, if the channel answers in time', (_, ms) => {
  for (const delay of [0, 30_000, 70_000]) {
    const project = new Left('ada');
    let suspended = 0;
    let asked = 0;
    const elsewhere = { isFresh: ms > 0, refresh: () => void ((asked += 1), (elsewhere.isFresh = false)) };
    if (ms === 0) project.now += hour;
    project.begin({ suspended: () => suspended }, { elsewhere });
    if (ms > 0) project.settle();
    project.now += ms;
    suspended = ms === 0 ? 0 : ms - 70_000;
    const looks = (time: number) => {
      for (let passed = 0; passed <= time; passed += 1_000, project.now += 1_000) project.host.look();
    };
    looks(delay);
    project.answer();
    elsewhere.isFresh = true;
    looks(2_000);
    expect([project.request, asked]).toEqual([delay < 60_000 ? 'answered' : 'timed out', ms === 0 ? 0 : 1]);
  }
});
