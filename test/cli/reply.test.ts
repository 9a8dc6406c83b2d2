import { describe, expect, it } from 'vitest';
import { ProjectFixture } from './project-fixture.ts';
import { letter, team } from './team.ts';

/** The engineer has asked somebody something. */
function asked(to: string): ProjectFixture {
  const fixture = new ProjectFixture();
  fixture.drop('agents/user/outbox/e.md', letter('errand', 'engineer', 'Do it'));
  fixture.work('engineer', { files: { 'q.md': letter('question', to, 'Which parser?') } });
  if (to === 'lead') fixture.environment = { MAILROOM_USER: to };
  return fixture;
}

describe('reply', () => {
  it('answers as the person that was asked, with the only type that answers', async () => {
    const fixture = asked('lead');
    const { code, out } = await fixture.run(
      'reply',
      fixture.id('Which parser?').slice(-6),
      '-m',
      'The second.',
    );
    expect(code).toBe(0);
    expect(out).toMatch(/^sent .* \(answer to engineer, thread .*\)\n$/);
    const { message } = fixture.state.mail.get(fixture.id('The second.'))!;
    expect(message).toMatchObject({ from: 'lead', type: 'answer', inReplyTo: fixture.id('Which parser?') });
    expect([...fixture.state.turns.values()].map(({ role }) => role)).toEqual(['engineer']);
  });

  it('sends an answer that closes the thread where its type goes, and names the types to choose from', async () => {
    const fixture = new ProjectFixture(
      team
        .replace('reply: [answer]', 'reply: [answer, settled]')
        .replace('start:', '  settled: { from: [lead], to: [architect], closes: true }\nstart:'),
    );
    fixture.drop('agents/user/outbox/e.md', letter('errand', 'engineer', 'Do it'));
    fixture.work('engineer', { files: { 'q.md': letter('question', 'lead', 'Which parser?') } });
    const id = fixture.id('Which parser?');
    const reply = (...words: string[]) => fixture.run('reply', id, '-m', 'None.', '--as', 'lead', ...words);
    expect((await reply()).err).toContain('answer|settled');
    expect(await reply('--type', 'settled')).toMatchObject({ code: 0 });
    expect(fixture.state.mail.get(fixture.id('None.'))?.message).toMatchObject({
      to: ['architect'],
      inReplyTo: id,
    });
    expect([...fixture.state.threads.values()].map(({ state }) => state)).toEqual(['closed']);
  });

  it('wants to know who answers when several were asked', async () => {
    const fixture = asked('[user, lead]');
    const id = fixture.id('Which parser?');
    expect(await fixture.run('reply', id, '-m', 'x')).toMatchObject({
      code: 2,
      err: `error E_USAGE: the answer lacks who answers (user or lead)\nhint: mailroom reply ${id.slice(-6)} --message x --as 'user|lead'\n`,
    });
    expect((await fixture.run('reply', id, '-m', 'x', '--as', 'user')).code).toBe(0);
  });

  it.each([
    ['lead', ['--as', 'lead'], {}, 'lead'],
    ['lead', [], { MAILROOM_USER: 'lead' }, 'lead'],
    ['lead', [], { MAILROOM_USER: 'nobody' }, null],
    ['lead', [], {}, null],
    ['lead', ['--as', 'user'], { MAILROOM_USER: 'lead' }, null],
    ['lead', ['--as', 'architect'], { MAILROOM_USER: 'lead' }, null],
    ['user', [], {}, 'user'],
    ['user', [], { MAILROOM_USER: 'nobody' }, 'user'],
    ['user', [], { MAILROOM_USER: 'lead' }, null],
    ['[user, lead]', [], { MAILROOM_USER: 'lead' }, 'lead'],
    ['[user, lead]', ['--as', 'user'], { MAILROOM_USER: 'lead' }, 'user'],
  ])('to %s, with %j and %j, is of %s', async (to, options, environment, from) => {
    const fixture = asked(to);
    fixture.environment = environment;
    const id = fixture.id('Which parser?');
    const { code, err } = await fixture.run('reply', id, '-m', 'This.', ...options);
    const sent = [...fixture.state.mail.values()].find(({ message }) => message.inReplyTo === id);
    expect(sent?.message.from ?? null).toBe(from);
    if (from !== null) return;
    expect(code).toBe(1);
    expect(err).toMatch(/^error E_FORBIDDEN: \S+ was not asked, but \w+\n/);
    expect(err).toContain(
      `nothing was sent; one of them answers with \`mailroom reply ${id.slice(-6)} --as ${to}\``,
    );
  });

  it('continues with a thread when the message asks for nothing', async () => {
    const fixture = new ProjectFixture();
    fixture.drop('agents/user/outbox/e.md', letter('errand', 'engineer', 'Do it'));
    fixture.work('engineer', { files: { 'd.md': letter('delivered', 'user', 'There') } });
    const id = fixture.id('There');
    expect((await fixture.run('reply', id, '-m', 'Not yet', '--type', 'errand')).code).toBe(0);
    expect(fixture.state.mail.get(fixture.id('Not yet'))?.message).toMatchObject({
      inReplyTo: id,
      thread: fixture.id('Do it'),
    });
    expect(fixture.state.threads.get(fixture.id('Do it'))?.state).toBe('open');
  });

  it('answers no notice, and nothing that went to no person', async () => {
    const fixture = new ProjectFixture();
    fixture.drop('agents/user/inbox/x.md', 'What is this?\n');
    const [notice] = [...fixture.state.unread.values()];
    const refused = await fixture.run('reply', notice!.message.id, '-m', 'x');
    expect(refused.code).toBe(2);
    expect(refused.err).toContain('a notice comes from Mailroom, which reads no answers');
    fixture.drop('agents/architect/inbox/y.md', 'A task\n');
    const other = await fixture.run('reply', fixture.id('A task'), '-m', 'x');
    expect(other).toMatchObject({ code: 2 });
    expect(other.err).toContain('it was sent to architect, and to no person');
  });

  it('names what a part of an id may mean', async () => {
    const fixture = new ProjectFixture();
    fixture.drop('agents/architect/inbox/a.md', 'One\n');
    fixture.drop('agents/architect/inbox/b.md', 'Two\n');
    const [one, two] = [fixture.id('One'), fixture.id('Two')];
    const { code, err } = await fixture.run('reply', one.slice(0, 5), '-m', 'x');
    expect(code).toBe(2);
    expect(err).toBe(
      `error E_TARGET: \`${one.slice(0, 5)}\` may be any of these:\n` +
        `  ${one}  user → architect: task — One\n  ${two}  user → architect: task — Two\n` +
        'hint: give the whole id, or more letters of its beginning or end\n',
    );
    expect((await fixture.run('reply', 'ab', '-m', 'x')).err).toContain(
      'a part of an id has at least 4 letters',
    );
  });

  it('is staged inside a turn, as the role', async () => {
    const fixture = asked('architect');
    fixture.environment = {
      MAILROOM_TURN: 't2',
      MAILROOM_ROLE: 'architect',
      MAILROOM_OUTBOX: '/project/.mailroom/turns/t2/1/outbox',
    };
    const { code, out } = await fixture.run('reply', fixture.id('Which parser?'), '-m', 'The first.');
    expect({ code, staged: out.startsWith('staged ') }).toEqual({ code: 0, staged: true });
    fixture.work('architect', {});
    expect(fixture.state.mail.get(fixture.id('The first.'))?.message.from).toBe('architect');
  });

  it('is refused to a process whose attempt is over: nothing would read what it writes', async () => {
    const fixture = asked('architect');
    const id = fixture.id('Which parser?');
    const thread = fixture.state.turns.get('t2')!.thread;
    fixture.environment = {
      MAILROOM_TURN: 't2',
      MAILROOM_ATTEMPT: '1',
      MAILROOM_THREAD: thread,
      MAILROOM_ROLE: 'architect',
      MAILROOM_OUTBOX: '/project/.mailroom/turns/t2/1/outbox',
    };
    await fixture.run('reply', id, '-m', 'The first.');
    fixture.work('architect', {});
    expect(await fixture.run('reply', id, '-m', 'The second.')).toMatchObject({
      code: 1,
      out: '',
      err:
        'error E_REFUSED: attempt 1 of turn t2 is over\n' +
        'hint: end this process: nothing reads what it writes, and nothing was written\n',
    });
  });
});
