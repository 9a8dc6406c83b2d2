import { beforeAll, describe, expect, it } from 'vitest';
import { ProjectFixture, type Told } from './project-fixture.ts';
import { letter } from './team.ts';
import type { MessageDocument } from '../../src/documents/mail.ts';

beforeAll(() => {
  process.env['TZ'] = 'UTC';
});

const old = `---
id: 01890000-0000-7000-8000-000000abcdef
type: task
from: user
to: architect
thread: 01890000-0000-7000-8000-000000abcdef
subject: Long ago
created: 2025-01-02T03:04:05.006Z
priority: high
---
It is done.
`;

function told(): ProjectFixture {
  const fixture = new ProjectFixture();
  fixture.drop('agents/architect/inbox/flag.md', '# Add a --json flag\n\nTo the list command.\nSoon.\n');
  fixture.work('architect', { files: { 'd.md': letter('design', 'engineer', 'How to add it') }, usd: 0.5 });
  fixture.work('engineer', { files: { 'r.md': letter('review-request', 'qa', 'Review') }, usd: 0.5 });
  const body = ['One.', 'Two.', 'Three.', 'Four.', 'Five.', ''].join('\n');
  const rest = 'fields: { verdict: approved }\n';
  fixture.work('qa', { files: { 'f.md': letter('review-feedback', 'engineer', 'Fine', rest, body) } });
  fixture.work('engineer', { files: { 'x.md': letter('delivered', 'user', 'There you are') }, usd: 0.5 });
  return fixture;
}

describe('trail', () => {
  it('tells the conversation, thread by thread', async () => {
    const { out, code } = await told().run('trail');
    expect(out).toMatchInlineSnapshot(`
      "Add a --json flag  thread …3779b1: closed, 5 messages, 4 turns, counted as $1.50 (1 not reported)

        user → architect  task  2026-11-21 20:45 …3779b1
          Add a --json flag
          To the list command.
          Soon.

        architect → engineer  design  2026-11-21 20:45 t1 …6ef362
          How to add it
          The text.

        engineer → qa  review-request  2026-11-21 20:45 t2 …dde6c4
          Review
          The text.

        qa → engineer  review-feedback  2026-11-21 20:45 t3 …4cda26
          Fine
          verdict: approved
          One.
          Two.
          Three.
          … 2 more lines

        engineer → user  delivered  2026-11-21 20:45 t4 …bbcd88
          There you are
          The text.
      "
    `);
    expect(code).toBe(0);
  });

  it('is an array of messages in order', async () => {
    const fixture = told();
    const { document } = (await fixture.json('trail')) as Told<MessageDocument[]>;
    expect(document.map(({ subject }) => subject)).toEqual([
      'Add a --json flag',
      'How to add it',
      'Review',
      'Fine',
      'There you are',
    ]);
    const thread = fixture.id('Add a --json flag');
    expect(document[3]).toEqual({
      id: fixture.id('Fine'),
      type: 'review-feedback',
      from: 'qa',
      to: ['engineer'],
      thread,
      in_reply_to: fixture.id('Review'),
      subject: 'Fine',
      created: '2026-11-21T20:45:03.180Z',
      commit: null,
      branch: null,
      landed: null,
      attachments: [],
      fields: { verdict: 'approved' },
      extra: {},
      body: 'One.\nTwo.\nThree.\nFour.\nFive.\n',
      path: expect.stringMatching(
        /^agents\/engineer\/processed\/2026-11\/.*-review-feedback-[0-9a-f-]{36}\.md$/,
      ),
      turn: 't3',
      host: null,
    });
    expect(document[0]).toMatchObject({ from: 'user', turn: null, in_reply_to: null });
    for (const { path } of document) expect(fixture.disk.look(path ?? '')?.kind).toBe('file');
  });

  it('shows one thread, named by a part of its id or of one of its messages', async () => {
    const fixture = told();
    fixture.drop('agents/architect/inbox/other.md', 'Something else\n');
    const last = fixture.id('There you are').slice(-6);
    const { document } = (await fixture.json('trail', last)) as Told<MessageDocument[]>;
    expect(document).toHaveLength(5);
    const { out } = await fixture.run('trail', fixture.id('Something else').slice(-6));
    expect(out).toContain('Something else');
    expect(out).not.toContain('Review');
  });

  it('finds in the folders what the journal has forgotten, and nothing twice', async () => {
    const fixture = told();
    fixture.disk.plant(
      'agents/user/sent/2025-01/20250102T030405006Z-task-01890000-0000-7000-8000-000000abcdef.md',
      old,
    );
    fixture.disk.plant(
      'agents/architect/processed/2025-01/20250102T030405006Z-task-01890000-0000-7000-8000-000000abcdef.md',
      old,
    );
    const { document } = (await fixture.json('trail')) as Told<MessageDocument[]>;
    expect(document.filter(({ subject }) => subject === 'Long ago')).toEqual([
      expect.objectContaining({
        path: 'agents/architect/processed/2025-01/20250102T030405006Z-task-01890000-0000-7000-8000-000000abcdef.md',
        extra: { priority: 'high' },
        turn: null,
      }),
    ]);
    expect(document[0]?.subject).toBe('Long ago');
    expect(document).toHaveLength(6);
  });

  it('shows whole messages with --full, and no character that steers the terminal', async () => {
    const fixture = told();
    fixture.drop('agents/architect/inbox/x.md', `Evil \u001b[2J\n${'word '.repeat(40)}\n`);
    const { out } = await fixture.run('trail', '--full');
    expect(out).toContain('    Four.\n    Five.\n');
    expect(out).not.toContain('\u001b');
    expect(out).toContain('word '.repeat(40).trim());
  });

  it('says that nothing was said', async () => {
    const fixture = new ProjectFixture();
    expect((await fixture.run('trail')).out).toBe('nothing was said yet\n');
    expect((await fixture.run('trail', '--json')).out).toBe('[]\n');
    expect(await fixture.run('trail', 'abcdef')).toMatchObject({
      code: 2,
      err: 'error E_TARGET: `abcdef` was not found; expected a thread or a message\nhint: list messages and threads with `mailroom trail`\n',
    });
  });

  it('shows itself again with --watch until somebody ends it', async () => {
    const fixture = told();
    fixture.meanwhile.push(
      () => {},
      () => fixture.disk.plant('agents/architect/inbox/new.md', 'One more\n'),
      () => fixture.terminal.signal(),
    );
    const { out, code } = await fixture.run('trail', '--watch');
    expect(code).toBe(0);
    expect(out.match(/Add a --json flag {2}thread/g)).toHaveLength(2);
    expect(out.match(/One more {2}thread/g)).toHaveLength(1);
  });
});
