import { describe, expect, it } from 'vitest';
import { ProjectFixture } from './project-fixture.ts';
import { letter } from './team.ts';

describe('send inside a turn', () => {
  function inside(): ProjectFixture {
    const fixture = new ProjectFixture();
    fixture.drop('agents/user/outbox/e.md', letter('errand', 'engineer', 'Do it'));
    fixture.environment = {
      MAILROOM_TURN: 't1',
      MAILROOM_ROLE: 'engineer',
      MAILROOM_OUTBOX: '/project/.mailroom/turns/t1/1/outbox',
    };
    return fixture;
  }

  it('writes into the staging folder, as the role', async () => {
    const fixture = inside();
    const { code, out } = await fixture.run('send', 'qa', '-m', 'Please review');
    expect(code).toBe(0);
    expect(out).toMatch(
      /^staged \/project\/\.mailroom\/turns\/t1\/1\/outbox\/send-.*; it is sent when this turn is committed\n$/,
    );
    fixture.work('engineer', {});
    expect(fixture.state.mail.get(fixture.id('Please review'))?.message).toMatchObject({
      type: 'review-request',
      from: 'engineer',
    });
  });

  it('takes the only type for granted, an answer too: the thread is that of the turn', async () => {
    const fixture = inside();
    fixture.work('engineer', { files: { 'r.md': letter('review-request', 'qa', 'Review') } });
    fixture.environment = {
      MAILROOM_TURN: 't2',
      MAILROOM_ROLE: 'qa',
      MAILROOM_OUTBOX: '/project/.mailroom/turns/t2/1/outbox',
    };
    const field = ['--field', 'verdict=approved'];
    expect(await fixture.run('send', 'engineer', ...field, '-m', 'Fine')).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^staged /) as string,
    });
  });

  it('says at once what the turn may not send', async () => {
    const { code, err } = await inside().run('send', 'qa', '--type', 'design', '-m', 'x');
    expect(code).toBe(1);
    expect(err).toMatch(/^error E_FORBIDDEN: engineer must not send `design`/);
  });

  it('lets no one speak for another', async () => {
    const { code, err } = await inside().run('send', 'qa', '--as', 'user', '-m', 'x');
    expect(code).toBe(1);
    expect(err).toContain('E_INSIDE_TURN');
  });

  it.each([['up'], ['pause', 'qa'], ['unpause', 'qa'], ['cancel', 't1'], ['retry', 'abcd']])(
    'refuses %s',
    async (...argv) => {
      const fixture = inside();
      const { code, err } = await fixture.run(...argv);
      expect(code).toBe(1);
      expect(err).toContain(
        `error E_INSIDE_TURN: an agent cannot run \`${argv[0] ?? ''}\` inside its own turn`,
      );
      expect(fixture.disk.list('.mailroom/control') ?? []).toEqual([]);
    },
  );
});
