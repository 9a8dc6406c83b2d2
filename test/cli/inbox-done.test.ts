import { describe, expect, it } from 'vitest';
import { asked } from './asked.ts';
import type { ProjectFixture } from './project-fixture.ts';

describe('inbox --done', () => {
  /** A project with notices about files, and a request. */
  function noticed(...files: string[]): ProjectFixture {
    const fixture = asked({ user: 'Which parser?' });
    for (const file of files) fixture.drop(`agents/user/inbox/${file}`, 'What is this?\n');
    return fixture;
  }
  const kinds = async (fixture: ProjectFixture) =>
    ((await fixture.json('inbox')).document as { items: { kind: string }[] }).items.map(({ kind }) => kind);

  it('moves every notice to what is handled, and loses none', async () => {
    const fixture = noticed('x.md', 'y.md');
    expect(await fixture.run('inbox', '--done')).toMatchObject({
      code: 0,
      out: '2 notices put away, in processed/.\n',
    });
    expect(fixture.disk.list('agents/user/processed/2026-11')).toHaveLength(2);
    expect(await kinds(fixture)).toEqual(['request']);
    for (const _ of [1, 2, 3]) {
      fixture.now += 60_000;
      fixture.look();
    }
    expect([...fixture.state.unread.values()].map(({ message }) => message.type)).toEqual(['question']);
    expect((await fixture.run('inbox', '--done')).out).toBe('There is no notice.\n');
  });

  it('takes effect in the list before a controller has seen it', async () => {
    const fixture = noticed('x.md', 'y.md');
    fixture.up = false;
    const { document } = await fixture.json('inbox', '--done=@2');
    expect(document).toEqual({ schema: 1, done: [expect.any(String)], before: [] });
    expect(await kinds(fixture)).toEqual(['request', 'notice']);
  });

  it.each([true, false])(
    'puts away the others where one was put away before; a controller: %s',
    async (up) => {
      const fixture = noticed('x.md', 'y.md');
      fixture.up = up;
      const ids = [...fixture.state.unread.values()]
        .filter(({ message }) => message.type !== 'question')
        .map(({ message }) => message.id);
      const [first = '', second = ''] = ids;
      expect((await fixture.json('inbox', `--done=${first.slice(-6)}`)).document).toMatchObject({
        done: [first],
      });
      if (up)
        for (const _ of [1, 2, 3]) {
          fixture.now += 60_000;
          fixture.look();
        }
      const again = `--done=${first.slice(-6)},${second}`;
      expect((await fixture.json('inbox', again)).document).toEqual({
        schema: 1,
        done: [second],
        before: [first],
      });
      expect((await fixture.run('inbox', again)).out).toBe(
        `Put away before: ${first.slice(-6)}, ${second.slice(-6)}.\n`,
      );
      expect((await fixture.run('inbox', `--done=${first},abcdef`)).err).toContain('no notice is `abcdef`');
    },
  );

  it('refuses what waits for an answer, and what is not there, and moves nothing', async () => {
    const fixture = noticed('x.md');
    const id = fixture.id('Which parser?').slice(-6);
    expect(await fixture.run('inbox', `--done=@2,${id}`)).toMatchObject({
      code: 1,
      err: expect.stringContaining(`${id} waits for you: it is not a notice`) as unknown,
    });
    expect(await fixture.run('inbox', '--done=@7')).toMatchObject({
      err: expect.stringContaining('no notice is `@7`') as unknown,
    });
    expect(await fixture.run('inbox', '--done', '--watch')).toMatchObject({ code: 2 });
    expect(await kinds(fixture)).toEqual(['request', 'notice']);
  });
});
