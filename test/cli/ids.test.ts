import { describe, expect, it } from 'vitest';
import { Bench } from './bench.ts';
import { letter } from './team.ts';

/** The engineer has asked the lead something, and a notice waits for the user. */
function waiting(): Bench {
  const bench = new Bench();
  bench.drop('agents/user/outbox/e.md', letter('errand', 'engineer', 'Do it'));
  bench.work('engineer', { files: { 'q.md': letter('question', 'lead', 'Which parser?') } });
  bench.drop('agents/user/inbox/x.md', 'What is this?\n');
  return bench;
}

describe('a number of the inbox', () => {
  it('names its message, or its thread, wherever a command takes an id', async () => {
    const bench = waiting();
    const question = bench.id('Which parser?');
    expect((await bench.json('show', '@1')).document).toMatchObject({ message: { id: question } });
    expect((await bench.json('show', '@2')).document).toMatchObject({ message: { type: 'notice' } });
    expect((await bench.json('why', '@1')).document).toMatchObject({
      target: question,
      code: 'waiting_for_user',
    });
    const trail = (await bench.json('trail', '@1')).document as { subject: string }[];
    expect(trail.map(({ subject }) => subject)).toEqual(['Do it', 'Which parser?']);
    expect(
      (await bench.run('send', 'engineer', '-m', 'And?', '--thread', '@1', '--type', 'errand')).code,
    ).toBe(0);
    expect(bench.state.mail.get(bench.id('And?'))?.message.thread).toBe(bench.id('Do it'));
    expect((await bench.run('pause', '@1')).out).toContain(
      `pause thread …${bench.id('Do it').slice(-6)}: done`,
    );
    expect((await bench.run('cancel', '@1')).code).toBe(0);
    expect(bench.state.threads.get(bench.id('Do it'))?.state).not.toBe('open');
  });

  it('is refused where the list has no such entry', async () => {
    const bench = waiting();
    for (const word of ['@3', '@0', '@x'])
      expect(await bench.run('trail', word)).toMatchObject({
        code: 2,
        err: `error E_TARGET: \`${word}\` was not found; expected a thread\nhint: list what waits with \`mailroom inbox\`\n`,
      });
  });
});

describe('`last`', () => {
  it('names the newest message, or thread', async () => {
    const bench = waiting();
    expect((await bench.json('show', 'last')).document).toMatchObject({ message: { type: 'notice' } });
    bench.drop('agents/architect/inbox/y.md', 'A task\n');
    expect((await bench.json('show', 'last')).document).toMatchObject({ message: { subject: 'A task' } });
    const trail = (await bench.json('trail', 'last')).document as { subject: string }[];
    expect(trail.map(({ subject }) => subject)).toEqual(['A task']);
  });

  it('names nothing in a project without mail and runs', async () => {
    expect((await new Bench().run('show', 'last')).err).toBe(
      'error E_TARGET: `last` was not found; expected a message or a thread or a run\n' +
        'hint: nothing of this kind exists yet\n',
    );
  });
});
