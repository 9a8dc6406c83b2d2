import { describe, expect, it } from 'vitest';
import { ProjectFixture } from './project-fixture.ts';
import { letter } from './team.ts';

/** The engineer has asked the lead something, and a notice waits for the user. */
function waiting(): ProjectFixture {
  const fixture = new ProjectFixture();
  fixture.drop('agents/user/outbox/e.md', letter('errand', 'engineer', 'Do it'));
  fixture.work('engineer', { files: { 'q.md': letter('question', 'lead', 'Which parser?') } });
  fixture.drop('agents/user/inbox/x.md', 'What is this?\n');
  return fixture;
}

describe('a number of the inbox', () => {
  it('names its message, or its thread, wherever a command takes an id', async () => {
    const fixture = waiting();
    const question = fixture.id('Which parser?');
    expect((await fixture.json('show', '@1')).document).toMatchObject({ message: { id: question } });
    expect((await fixture.json('show', '@2')).document).toMatchObject({ message: { type: 'notice' } });
    expect((await fixture.json('why', '@1')).document).toMatchObject({
      target: question,
      code: 'waiting_for_user',
    });
    const trail = (await fixture.json('trail', '@1')).document as { subject: string }[];
    expect(trail.map(({ subject }) => subject)).toEqual(['Do it', 'Which parser?']);
    expect(
      (await fixture.run('send', 'engineer', '-m', 'And?', '--thread', '@1', '--type', 'errand')).code,
    ).toBe(0);
    expect(fixture.state.mail.get(fixture.id('And?'))?.message.thread).toBe(fixture.id('Do it'));
    expect((await fixture.run('pause', '@1')).out).toContain(
      `pause thread …${fixture.id('Do it').slice(-6)}: done`,
    );
    expect((await fixture.run('cancel', '@1')).code).toBe(0);
    expect(fixture.state.threads.get(fixture.id('Do it'))?.state).not.toBe('open');
  });

  it('names the message that a new one answers', async () => {
    const fixture = waiting();
    const words = ['send', 'engineer', '-m', 'The second.', '--type', 'answer', '--as', 'lead'];
    expect((await fixture.run(...words, '--in-reply-to', '@1')).code).toBe(0);
    const answer = fixture.state.mail.get(fixture.id('The second.'))?.message;
    expect(answer?.inReplyTo).toBe(fixture.id('Which parser?'));
  });

  it('names the thread whose worktree is removed, as `last` does', async () => {
    const fixture = waiting();
    const thread = fixture.id('Do it');
    const tree = { thread, role: null, branch: 'b', path: '/b', uncommitted: 0, unmerged: 0 };
    fixture.worktrees = [tree];
    for (const word of ['@1', 'last'])
      expect((await fixture.json('worktree', 'remove', word)).document).toMatchObject({ thread });
  });

  it('names the message that is put back', async () => {
    const fixture = new ProjectFixture();
    fixture.drop('agents/user/outbox/e.md', letter('errand', 'engineer', 'Do it'));
    for (let attempt = 0; attempt < 2; attempt += 1) {
      fixture.work('engineer', { fails: 'no network' });
      fixture.now += 3_600_000;
      fixture.look();
    }
    const at = () => fixture.state.mail.get(fixture.id('Do it'))?.deliveries.get('engineer')?.at;
    expect(at()).toBe('failed');
    // What waits for a person is the notice about it.
    expect((await fixture.run('inbox')).out).toContain(
      '@1  notice from mailroom to user: Turn t1 of engineer',
    );
    for (const word of ['@1', 'last']) {
      expect((await fixture.run('retry', word)).out).toMatch(/^retry \S+ for engineer: done\n$/);
      expect(at()).toBe('claimed');
      fixture.work('engineer', { fails: 'no network' });
      fixture.now += 3_600_000;
      fixture.look();
      fixture.work('engineer', { fails: 'no network' });
      expect(at()).toBe('failed');
    }
  });

  it('is refused where the list has no such entry', async () => {
    const fixture = waiting();
    for (const word of ['@3', '@0', '@x'])
      expect(await fixture.run('trail', word)).toMatchObject({
        code: 2,
        err: `error E_TARGET: \`${word}\` was not found; expected a thread\nhint: list what waits with \`mailroom inbox\`\n`,
      });
  });
});

describe('`last`', () => {
  it('names the newest message, or thread', async () => {
    const fixture = waiting();
    expect((await fixture.json('show', 'last')).document).toMatchObject({ message: { type: 'notice' } });
    fixture.drop('agents/architect/inbox/y.md', 'A task\n');
    expect((await fixture.json('show', 'last')).document).toMatchObject({ message: { subject: 'A task' } });
    const trail = (await fixture.json('trail', 'last')).document as { subject: string }[];
    expect(trail.map(({ subject }) => subject)).toEqual(['A task']);
  });

  it('names the run that began last, whatever its id: not every language makes ids of the time', async () => {
    const fixture = waiting();
    const card = {
      workflow: 'w',
      workspace: '/w',
      source: null,
      startedBy: 'person',
      person: 'ada',
    } as const;
    fixture.runs = ['a0000000-0000-4000-8000-000000000002', 'e0000000-0000-4000-8000-000000000001'].map(
      (run, age) => ({ ...card, run, startedAt: fixture.now + 2 - age }),
    );
    expect((await fixture.run('show', 'last')).err).toContain('a0000000-0000-4000-8000-000000000002');
    fixture.now += 10;
    fixture.drop('agents/architect/inbox/y.md', 'A task\n');
    expect((await fixture.json('show', 'last')).document).toMatchObject({ message: { subject: 'A task' } });
  });

  it('names nothing in a project without mail and runs', async () => {
    expect((await new ProjectFixture().run('show', 'last')).err).toBe(
      'error E_TARGET: `last` was not found; expected a message or a thread or a run\n' +
        'hint: nothing of this kind exists yet\n',
    );
  });
});
