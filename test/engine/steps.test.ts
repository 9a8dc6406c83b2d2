import { expect, it } from 'vitest';
import { MailHost } from '../../src/engine/mail-host.ts';
import { compose } from '../../src/engine/operations/compose.ts';
import { draftText } from '../../src/engine/operations/draft-text.ts';
import { fileName } from '../../src/core/mail/message.ts';
import type { AgentJob, Exit } from '../../src/core/ports.ts';
import { DiskControl } from '../../src/store/control.ts';
import { DiskJournal } from '../../src/store/journal.ts';
import { readJournal } from '../../src/store/journal-reader.ts';
import { DiskMailboxes } from '../../src/store/mailboxes.ts';
import { MemoryDisk } from '../../src/store/memory-disk.ts';
import { DiskCorrespondence } from '../../src/store/runs/correspondence.ts';
import { DiskRunMail } from '../../src/store/runs/incoming.ts';
import { DiskTurnFolders } from '../../src/store/turn-folders.ts';
import { protocolOf } from '../machine/texts.ts';

class Crash extends Error {}

const protocol = protocolOf(`
roles: { one: {}, ada: { provider: human } }
messages: { note: { from: [one], to: [ada] } }
`);
const run = '019aa000-1111-7000-8000-000000000001';
const key = { path: 'build', iteration: 1, attempt: 1, check: 0 };
const exit: Exit = {
  code: 0,
  signal: null,
  ended: 'exited',
  error: null,
  stdout: '',
  stderr: '',
  durationMs: 1,
};
const start = Date.UTC(2026, 0, 1);

let ids = 0;

/** A project with a run, and hosts of its mail that end every turn with the same words. */
class Desk {
  now = start;
  readonly disk = new MemoryDisk(() => this.now);
  readonly run = new DiskCorrespondence(this.disk, run);
  turns = 0;
  #jobs: AgentJob[] = [];
  host: MailHost = this.open();

  constructor() {
    this.disk.makeFolder(`.mailroom/runs/${run}/inbox`);
  }

  /** A controller begins. */
  open(): MailHost {
    const nothing = () => {};
    const jobs: AgentJob[] = [];
    const ports = {
      clock: { now: this.disk.now },
      journal: new DiskJournal(this.disk),
      mailboxes: new DiskMailboxes(this.disk),
      control: new DiskControl(this.disk),
      runs: new DiskRunMail(this.disk),
      folders: new DiskTurnFolders(this.disk),
      runner: {
        start: (job: AgentJob) => void jobs.push(job),
        release: nothing,
        check: nothing,
        stop: nothing,
        sweep: () => Promise.resolve(),
        tree: () => Promise.resolve(null),
      },
      trail: {
        record: nothing,
        position: () => Promise.resolve(null),
        settled: () => Promise.resolve(),
        problem: () => null,
      },
      providers: new Map(),
      newId: () => `01900000-0000-7000-8000-${String((ids += 1)).padStart(12, '0')}`,
      roleText: () => '',
      project: this.disk.root,
      parking: { list: () => new Map<string, number>(), park: nothing },
      notify: nothing,
      trailAt: null,
    };
    this.host = new MailHost(ports, { protocol, protocolHash: 'one', version: 'test' });
    this.host.start();
    this.#jobs = jobs;
    return this.host;
  }

  /** Looks until nothing is on its way in; agents say what they always say. */
  settle(): void {
    for (let look = this.host.look(); ; look = this.host.look()) {
      const [job] = this.#jobs.splice(0, 1);
      if (job) {
        this.turns += 1;
        const usage = { usd: 0, tokens: 0 };
        const rest = { session: null, usage, model: null, denials: [] };
        this.host.turns.ended(job.key, { is: 'done', text: 'done it', ...rest }, exit);
      } else if (look.settled) return;
      this.now += 50;
    }
  }

  send(role: string, at = key): string {
    const id = this.run.idOf(at);
    this.run.send({ id, run, role, subject: 'Step build', body: 'Build it.', fields: {}, timeout: null });
    return id;
  }

  heard(): (string | undefined)[] {
    return this.run
      .answers()
      .map(({ answer }) => (answer?.outcome.is === 'failed' ? answer.outcome.reason.code : answer?.text));
  }

  events(type: string): unknown[] {
    return readJournal(this.disk).records.filter(({ event }) => event.type === type);
  }
}

it('takes a step of a run, has it done and puts the answer into the inbox of the run', () => {
  const desk = new Desk();
  const id = desk.send('one');
  desk.settle();
  expect(desk.run.answers()).toMatchObject([
    { id, answer: { id, run, outcome: { is: 'done' }, text: 'done it' } },
  ]);
  expect(desk.disk.list('.mailroom/incoming')).toEqual([]);
  expect(desk.run.posted()).toEqual([id]);
  desk.run.remove(id);
  expect(desk.run.answers()).toEqual([]);
  expect(desk.run.posted()).toEqual([]);
});

it('makes one message of what is put there twice, and tells again what came of it', () => {
  const desk = new Desk();
  const id = desk.send('one');
  desk.send('one');
  desk.settle();
  desk.disk.remove(`.mailroom/runs/${run}/inbox/${id}.json`);
  desk.run.again(id);
  desk.settle();
  expect(desk.turns).toBe(1);
  expect(desk.events('accepted')).toHaveLength(1);
  expect(desk.heard()).toEqual(['done it']);
});

it('gives every launch an id of its own, and the same launch always the same', () => {
  const { run: mail } = new Desk();
  const keys = [key, { ...key, attempt: 2 }, { ...key, iteration: 2 }, { ...key, path: 'build#2' }];
  const found = keys.map((each) => mail.idOf(each));
  expect(new Set(found).size).toBe(4);
  expect(new Desk().run.idOf(key)).toBe(found[0]);
  expect(new DiskCorrespondence(new MemoryDisk(() => 0), `${run}2`).idOf(key)).not.toBe(found[0]);
  expect(found[0]).toMatch(/^019aa000-1111-7[\da-f]{3}-a[\da-f]{3}-[\da-f]{12}$/);
});

it('answers a step for a role that there is not', () => {
  const desk = new Desk();
  desk.send('nobody');
  desk.settle();
  expect(desk.heard()).toEqual(['E_UNKNOWN_NAME']);
  expect(desk.events('accepted')).toEqual([]);
  expect(desk.disk.list('.mailroom/incoming')).toEqual([]);
});

it('refuses nonsense, and tells user', () => {
  const desk = new Desk();
  desk.disk.write('.mailroom/incoming/a.json', '{"kind": "step", "id": 1}');
  desk.settle();
  expect(desk.disk.list('.mailroom/incoming')).toEqual([]);
  expect([...desk.host.state.unread.values()].map(({ message }) => message.subject)).toEqual([
    'Refused: .mailroom/incoming/a.json',
  ]);
  expect(desk.disk.list('agents/user/failed/2026-01')).toHaveLength(2);
});

it('withdraws a step that nobody wants any more', () => {
  const desk = new Desk();
  const id = desk.send('ada');
  desk.settle();
  expect(desk.run.waits()).toEqual(new Set([id]));
  desk.run.withdraw(id);
  desk.settle();
  expect(desk.host.state.threads.get(id)).toMatchObject({ state: 'failed', reason: { code: 'E_CANCELLED' } });
  expect(desk.run.waits()).toEqual(new Set());
  expect(desk.run.posted()).toEqual([]);
});

it('withdraws a step that was not even taken, and not one that is done', () => {
  const desk = new Desk();
  const early = desk.send('one');
  desk.run.withdraw(early);
  desk.host.look();
  expect(desk.host.state.threads.get(early)).toMatchObject({ state: 'failed' });
  const id = desk.send('one', { ...key, attempt: 2 });
  desk.settle();
  desk.run.withdraw(id);
  desk.settle();
  expect(desk.host.state.threads.get(id)).toMatchObject({ state: 'quiet' });
});

it('takes the answer of a person', () => {
  const desk = new Desk();
  const id = desk.send('ada');
  desk.settle();
  const { message } = desk.host.state.mail.get(id)!;
  expect(desk.disk.list('agents/ada/inbox')).toEqual([fileName(message)]);
  const nothing = { type: null, subject: null, fields: ['ok=true'], attachments: [], thread: null };
  const draft = compose(
    {
      ...nothing,
      from: 'ada',
      to: ['workflow'],
      inReplyTo: id,
      replies: ['step-result'],
      text: 'Yes.',
      source: 'x',
    },
    protocol,
  );
  desk.disk.write('agents/ada/outbox/answer.md', draftText(draft));
  desk.settle();
  desk.now += 100;
  desk.settle();
  expect(desk.run.answers()).toMatchObject([{ id, answer: { text: 'Yes.\n', values: { ok: true } } }]);
});

it('writes nothing for a run that is gone', () => {
  const desk = new Desk();
  desk.send('one');
  desk.disk.remove(`.mailroom/runs/${run}`);
  desk.settle();
  expect(desk.turns).toBe(1);
  expect(desk.disk.look(`.mailroom/runs/${run}`)).toBe(null);
});

it('has a step done once and answered, wherever the controller was killed', () => {
  let crashes = 0;
  for (let until = 1; ; until += 1) {
    const desk = new Desk();
    desk.send('one');
    let operations = 0;
    desk.disk.before = () => {
      if ((operations += 1) === until) throw new Crash('killed');
    };
    try {
      desk.settle();
      break;
    } catch (error) {
      expect(error).toBeInstanceOf(Crash);
      crashes += 1;
    }
    desk.disk.before = null;
    desk.disk.crash();
    desk.open();
    desk.now += 60_000;
    desk.settle();
    const found = {
      until,
      heard: desk.heard(),
      accepted: desk.events('accepted').length,
      committed: desk.events('committed').length,
      incoming: desk.disk.list('.mailroom/incoming'),
    };
    expect(found).toEqual({ until, heard: ['done it'], accepted: 1, committed: 1, incoming: [] });
  }
  expect(crashes).toBeGreaterThan(10);
});
