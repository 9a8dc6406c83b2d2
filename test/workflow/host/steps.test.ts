import { expect, it } from 'vitest';
import { compose } from '../../../src/operations/compose.ts';
import { fileName } from '../../../src/mail/format/message.ts';
import { MemoryDisk } from '../../support/memory-disk.ts';
import { RunOutbox } from '../../../src/workflow/files/run-outbox.ts';
import { Crash, Desk, key, protocol, run } from '../../mail/host/desk.ts';
import { draftText } from '../../../src/operations/sending.ts';

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
  expect(new RunOutbox(new MemoryDisk(() => 0), `${run}2`).idOf(key)).not.toBe(found[0]);
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
  expect(desk.disk.list('.mailroom/refused')?.toSorted()).toEqual(['a.json', 'a.json.reason.txt']);
});

const fail = (problem: string): void => expect.fail(problem);

it('withdraws a step that no one wants any more', () => {
  const desk = new Desk();
  const id = desk.send('ada');
  desk.settle();
  expect(desk.run.waits(fail)).toEqual(new Set([id]));
  desk.run.withdraw(id);
  desk.settle();
  expect(desk.host.state.threads.get(id)).toMatchObject({ state: 'failed', reason: { code: 'E_CANCELLED' } });
  expect(desk.run.waits(fail)).toEqual(new Set());
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
      remedy: '',
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
