import { writeSealed } from '../../../src/host/seal.ts';
import { expect, it } from 'vitest';
import { compose } from '../../../src/mail/questions/compose.ts';
import { fileName } from '../../../src/mail/format/message.ts';
import { MemoryDisk } from '../../support/memory-disk.ts';
import { RunOutbox } from '../../../src/workflow/files/run-outbox.ts';
import { Crash, HostedMail, key, protocol, run } from '../../mail/host/hosted-mail.ts';
import { draftText } from '../../../src/mail/questions/sending.ts';

it('takes a step of a run, has it done and puts the answer into the inbox of the run', () => {
  const project = new HostedMail();
  const id = project.send('one');
  project.settle();
  expect(project.run.answers()).toMatchObject([
    { id, answer: { id, run, outcome: { is: 'done' }, text: 'done it' } },
  ]);
  expect(project.disk.list('.mailroom/incoming')).toEqual([]);
  expect(project.run.posted()).toEqual([id]);
  project.run.remove(id);
  expect(project.run.answers()).toEqual([]);
  expect(project.run.posted()).toEqual([]);
});

it('makes one message of what is put there twice, and tells again what came of it', () => {
  const project = new HostedMail();
  const id = project.send('one');
  project.send('one');
  project.settle();
  project.disk.remove(`.mailroom/runs/${run}/inbox/${id}.json`);
  project.run.resend(id);
  project.settle();
  expect(project.turns).toBe(1);
  expect(project.events('accepted')).toHaveLength(1);
  expect(project.heard()).toEqual(['done it']);
});

it('gives every launch an id of its own, and the same launch always the same', () => {
  const { run: mail } = new HostedMail();
  const keys = [key, { ...key, attempt: 2 }, { ...key, iteration: 2 }, { ...key, path: 'build#2' }];
  const found = keys.map((each) => mail.idOf(each));
  expect(new Set(found).size).toBe(4);
  expect(new HostedMail().run.idOf(key)).toBe(found[0]);
  expect(new RunOutbox(new MemoryDisk(() => 0), `${run}2`).idOf(key)).not.toBe(found[0]);
  expect(found[0]).toMatch(/^019aa000-1111-7[\da-f]{3}-a[\da-f]{3}-[\da-f]{12}$/);
});

it('answers a step for a role that there is not', () => {
  const project = new HostedMail();
  project.send('nobody');
  project.settle();
  expect(project.heard()).toEqual(['E_UNKNOWN_NAME']);
  expect(project.events('accepted')).toEqual([]);
  expect(project.disk.list('.mailroom/incoming')).toEqual([]);
});

it('refuses nonsense, and tells user', () => {
  const project = new HostedMail();
  writeSealed(project.disk, '.mailroom/incoming/a.json', '{"kind": "step", "id": 1}');
  project.settle();
  expect(project.disk.list('.mailroom/incoming')).toEqual([]);
  expect([...project.host.state.unread.values()].map(({ message }) => message.subject)).toEqual([
    'Refused: .mailroom/incoming/a.json',
  ]);
  expect(project.disk.list('.mailroom/refused')?.toSorted()).toEqual(['a.json', 'a.json.reason.txt']);
});

const fail = (problem: string): void => expect.fail(problem);

it('withdraws a step that no one wants any more', () => {
  const project = new HostedMail();
  const id = project.send('ada');
  project.settle();
  expect(project.run.waits(fail)).toEqual(new Set([id]));
  project.run.withdraw(id);
  project.settle();
  expect(project.host.state.threads.get(id)).toMatchObject({
    state: 'failed',
    reason: { code: 'E_CANCELLED' },
  });
  expect(project.run.waits(fail)).toEqual(new Set());
  expect(project.run.posted()).toEqual([]);
});

it('withdraws a step that was not even taken, and not one that is done', () => {
  const project = new HostedMail();
  const early = project.send('one');
  project.run.withdraw(early);
  project.host.look();
  expect(project.host.state.threads.get(early)).toMatchObject({ state: 'failed' });
  const id = project.send('one', { ...key, attempt: 2 });
  project.settle();
  project.run.withdraw(id);
  project.settle();
  expect(project.host.state.threads.get(id)).toMatchObject({ state: 'quiet' });
});

it('takes the answer of a person', () => {
  const project = new HostedMail();
  const id = project.send('ada');
  project.settle();
  const { message } = project.host.state.mail.get(id)!;
  expect(project.disk.list('agents/ada/inbox')).toEqual([fileName(message)]);
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
      remedy: '',
    },
    protocol,
  );
  project.disk.write('agents/ada/outbox/answer.md', draftText(draft));
  project.settle();
  project.now += 100;
  project.settle();
  expect(project.run.answers()).toMatchObject([{ id, answer: { text: 'Yes.\n', values: { ok: true } } }]);
});

it('writes nothing for a run that is gone', () => {
  const project = new HostedMail();
  project.send('one');
  project.disk.remove(`.mailroom/runs/${run}`);
  project.settle();
  expect(project.turns).toBe(1);
  expect(project.disk.look(`.mailroom/runs/${run}`)).toBe(null);
});

it('has a step done once and answered, wherever the controller was killed', () => {
  let crashes = 0;
  for (let until = 1; ; until += 1) {
    const project = new HostedMail();
    project.send('one');
    let operations = 0;
    project.disk.before = () => {
      if ((operations += 1) === until) throw new Crash('killed');
    };
    try {
      project.settle();
      break;
    } catch (error) {
      expect(error).toBeInstanceOf(Crash);
      crashes += 1;
    }
    project.disk.before = null;
    project.disk.crash();
    project.open();
    project.now += 60_000;
    project.settle();
    const found = {
      until,
      heard: project.heard(),
      accepted: project.events('accepted').length,
      committed: project.events('committed').length,
      incoming: project.disk.list('.mailroom/incoming'),
    };
    expect(found).toEqual({ until, heard: ['done it'], accepted: 1, committed: 1, incoming: [] });
  }
  expect(crashes).toBeGreaterThan(10);
});
