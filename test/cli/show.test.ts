import { beforeAll, describe, expect, it } from 'vitest';
import type { RunCard } from '../../src/letters/letters.ts';
import { ProjectFixture, type Told } from './project-fixture.ts';
import { letter } from './team.ts';
import type { Shown } from '../../src/documents/mail.ts';

beforeAll(() => {
  process.env['TZ'] = 'UTC';
});

function asking(): ProjectFixture {
  const fixture = new ProjectFixture();
  fixture.drop('agents/user/outbox/e.md', letter('errand', 'engineer', 'Do it'));
  const question = letter('question', '[user, architect]', 'Which parser?', 'attachments: [src/a.ts]\n');
  fixture.work('engineer', { files: { 'q.md': question }, usd: 0.25 });
  return fixture;
}

describe('show', () => {
  it('tells everything about a message', async () => {
    const fixture = asking();
    const { out } = await fixture.run('show', fixture.id('Which parser?').slice(-6));
    expect(out).toMatchInlineSnapshot(`
      "Which parser?
      message    01a1ffda-f104-7000-8000-0000006ef362
      type       question
      from       engineer, in turn t1
      to         user, architect
      sent       2026-11-21 20:45
      thread     01a1ffda-ecf4-7000-8000-0000003779b1: open — Do it
      attached   src/a.ts
      file       agents/user/inbox/20261121T204501060Z-question-01a1ffda-f104-7000-8000-0000006ef362.md
      user       unread  (agents/user/inbox/20261121T204501060Z-question-01a1ffda-f104-7000-8000-0000006ef362.md)
      architect  claimed by t2  (agents/architect/inbox/20261121T204501060Z-question-01a1ffda-f104-7000-8000-0000006ef362.md)
      asks for   answer, until 21:15
                 user: open; may be answered by user
                 architect: open; may be answered by architect

      The text.
      "
    `);
  });

  it('is a document', async () => {
    const fixture = asking();
    const id = fixture.id('Which parser?');
    const { document } = (await fixture.json('show', id)) as Told<Shown>;
    expect(document).toMatchObject({
      schema: 1,
      kind: 'message',
      message: { id, turn: 't1', attachments: ['src/a.ts'] },
      copies: [
        { role: 'user', at: 'unread', turn: null, reason: null },
        { role: 'architect', at: 'claimed', turn: 't2', reason: null },
      ],
      request: {
        replies: ['answer'],
        blocks: 'role',
        deadline: '2026-11-21T21:15:01.060Z',
        asks: [
          { recipient: 'user', state: 'open', candidates: ['user'], by: null },
          { recipient: 'architect', state: 'open', candidates: ['architect'], by: null },
        ],
      },
      thread: { id: fixture.id('Do it'), state: 'open' },
    });
  });

  it('says why a message failed', async () => {
    const fixture = asking();
    await fixture.run('cancel', 't2');
    const { out } = await fixture.run('show', fixture.id('Which parser?'));
    expect(out).toMatch(/architect {2}failed: E_CANCELLED: cancelled by .* \(agents\/architect\/failed\//);
  });

  it('tells everything about a turn, while it runs and when it is over', async () => {
    const fixture = asking();
    expect((await fixture.run('show', 't1')).out).toMatchInlineSnapshot(`
      "t1 of engineer
      state   over
      thread  01a1ffda-ecf4-7000-8000-0000003779b1

      attempt 1
      prompt  .mailroom/turns/t1/1/prompt.md
      result  done, exit 0, 1.5s, $0.25

      sent:
      …6ef362  engineer → user, architect: question — Which parser?
      "
    `);
    expect((await fixture.run('show', 't2')).out).toMatchInlineSnapshot(`
      "t2 of architect
      state   t2 runs for 0s
      thread  01a1ffda-ecf4-7000-8000-0000003779b1
      input   …6ef362

      attempt 1
      prompt  .mailroom/turns/t2/1/prompt.md
      result  none yet
      "
    `);
    const { document } = (await fixture.json('show', 't1')) as Told<Shown>;
    expect(document).toMatchObject({
      kind: 'turn',
      id: 't1',
      turn: null,
      sent: [{ subject: 'Which parser?' }],
      invocations: [{ attempt: 1, round: 0, prompt: '.mailroom/turns/t1/1/prompt.md', result: { exit: 0 } }],
    });
    expect(await fixture.run('show', 't99')).toMatchObject({ code: 2 });
  });

  it('says that a turn failed, and where to read what can be done', async () => {
    const fixture = asking();
    for (let attempt = 0; attempt < 3; attempt += 1) {
      fixture.work('architect', { fails: 'no such module' });
      fixture.now += 600_000;
      fixture.look();
    }
    const { out } = await fixture.run('show', 't2');
    expect(out).toContain('\nstate  failed; `mailroom why t2` says what can be done\n');
    expect(out).toContain('attempt failed, and could be retried: no such module');
  });

  it('tells a thread, where only its files are left', async () => {
    const fixture = new ProjectFixture();
    const id = '01890000-0000-7000-8000-000000abcdef';
    const text = `---\nid: 01890000-0000-7000-8000-000000123456\ntype: design\nfrom: architect\nto: engineer\nthread: ${id}\nsubject: Long ago\ncreated: 2025-01-02T03:04:05.006Z\n---\nX\n`;
    const path =
      'agents/engineer/failed/2025-01/20250102T030405006Z-design-01890000-0000-7000-8000-000000123456.md';
    fixture.disk.plant(path, text);
    fixture.disk.plant(`${path}.reason.txt`, 'E_TURN: it broke\n');
    const { document } = (await fixture.json('show', 'abcdef')) as Told<Shown>;
    expect(document).toMatchObject({ kind: 'thread', id, thread: null, messages: [{ path }], turns: [] });
    expect((await fixture.run('show', 'abcdef')).out).toMatchInlineSnapshot(`
      "Long ago
      thread  01890000-0000-7000-8000-000000abcdef
      state   over

      …123456  architect → engineer: design — Long ago
      "
    `);
    const message = (await fixture.json('show', '123456')) as Told<Shown>;
    expect(message.document).toMatchObject({
      kind: 'message',
      copies: [{ role: 'engineer', at: 'failed', path, reason: 'E_TURN: it broke' }],
    });
  });

  it('hints at the nearest of all that it can show', async () => {
    const fixture = new ProjectFixture();
    fixture.drop('agents/architect/inbox/a.md', 'Begin\n');
    const id = fixture.id('Begin').slice(-6);
    fixture.runs = [{ run: 'the-run-8c1d02' } as RunCard];
    const meant = async (word: string) => (await fixture.run('show', word)).err;
    expect(await meant('relase/ship')).toBe(
      'error E_TARGET: `relase/ship` was not found; expected a message, a thread, a run, a turn (t1) or a workflow\n' +
        'hint: did you mean `release/ship`?\n',
    );
    expect(await meant(`${id.slice(0, 5)}x`)).toContain(`hint: did you mean \`${id}\`?`);
    expect(await meant('8c1d03')).toContain('hint: did you mean `8c1d02`?');
  });

  it('shows a file that was refused', async () => {
    const fixture = new ProjectFixture();
    fixture.drop('agents/user/inbox/x.md', 'What is this?\n');
    const [name = ''] = (fixture.disk.list('agents/user/failed/2026-11') ?? []).filter((each) =>
      each.endsWith('.md'),
    );
    const { out, code } = await fixture.run('show', name.slice(-9, -3));
    expect(code).toBe(0);
    expect(out).toMatch(
      /^not accepted as a message\nfile .*-refused-.*\nreason {2}E_\w+: .*write to its outbox\n\nWhat is this\?\n$/,
    );
  });

  it('shows none of several refused files that a word may mean', async () => {
    const fixture = new ProjectFixture();
    const folder = 'agents/user/failed/2025-01/20250102T030405006Z-refused';
    const paths = ['1', '2'].map((mark) => `${folder}-01890000-0000-7000-8000-00000${mark}abcdef.md`);
    for (const path of paths) fixture.disk.plant(path, 'What is this?\n');
    expect(await fixture.run('show', 'abcdef')).toMatchObject({
      code: 2,
      err: [
        'error E_TARGET: `abcdef` may be any of these:',
        ...paths.map((path) => `  ${path}`),
        'hint: give the whole id, or more letters of its end\n',
      ].join('\n'),
    });
    const { document } = (await fixture.json('show', '1abcdef')) as Told<Shown>;
    expect(document).toMatchObject({ kind: 'refused', path: paths[0] });
  });
});
