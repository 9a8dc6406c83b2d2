import { describe, expect, it } from 'vitest';
import { formatMessage } from '../../src/mail/format/read-message.ts';
import { ProjectFixture } from './project-fixture.ts';
import { letter, team } from './team.ts';

const withRefusal = team.replace('reply: [answer]', 'reply: [answer, refusal]').replace(
  'start:',
  `  refusal:
    from: [user, lead, architect]
    to: [engineer, qa]
    fields: { why: { type: string, enum: [later, never], required: true }, note: { type: string } }
start:`,
);

/** The engineer has asked somebody something. */
function askedOf(to: string, text = withRefusal): ProjectFixture {
  const fixture = new ProjectFixture(text);
  fixture.drop('agents/user/outbox/e.md', letter('errand', 'engineer', 'Do it'));
  fixture.work('engineer', { files: { 'q.md': letter('question', to, 'Which parser?') } });
  if (to.includes('lead')) fixture.environment = { MAILROOM_USER: 'lead' };
  return fixture;
}

const inboxOf = (fixture: ProjectFixture, role: string) => {
  const folder = `agents/${role}/inbox`;
  const [name = ''] = fixture.disk.list(folder) ?? [];
  const path = `${folder}/${name}`;
  return { name, path, text: fixture.disk.read(path, 1_000_000)?.toString() ?? '' };
};

const questionOf = (fixture: ProjectFixture) => fixture.state.mail.get(fixture.id('Which parser?'))!.message;

describe('the file of a request in the inbox of a person', () => {
  it('ends with how to answer it, by command and by file', () => {
    const fixture = askedOf('lead');
    const message = questionOf(fixture);
    const { text } = inboxOf(fixture, 'lead');
    expect(text.startsWith(`${formatMessage(message)}\n<!-- mailroom: not part of the message (`)).toBe(true);
    const guide = text.slice(formatMessage(message).length);
    expect(guide.replaceAll(/\([0-9a-f]{8}\)/g, '(sum)')).toBe(`
<!-- mailroom: not part of the message (sum) -->

## What you may send

- \`answer\` to engineer, qa
- \`refusal\` to engineer, qa; fields: \`why\`: "later" | "never", required; \`note\` (string)

## What you owe

- \`answer\` or \`refusal\` in answer to engineer, with \`in_reply_to: ${message.id}\`; its subject: \`Which parser?\`

Without an answer until 2026-11-21 21:15 UTC, the thread fails.

To answer, replace the values and run one of these

\`\`\`sh
mailroom reply ${message.id.slice(-6)} --as lead --type answer --message "…"
mailroom reply ${message.id.slice(-6)} --as lead --type refusal --field 'why=later|never' --message "…"
\`\`\`

or write a new file \`agents/lead/outbox/answer.md\`:

\`\`\`text
---
type: "<answer | refusal>"
in_reply_to: ${message.id}
fields:
  why: "<later | never>" # only for refusal
---
Your text.
\`\`\`

Text that you write into this file here is not sent.

<!-- mailroom: end (sum) -->
`);
  });

  it('lists what may be sent, with its fields, in the words of the prompt of an agent', () => {
    const asks = (text: string): ProjectFixture => {
      const fixture = new ProjectFixture(text);
      fixture.drop('agents/user/outbox/e.md', letter('errand', 'engineer', 'Do it'));
      fixture.work('engineer', { files: { 'r.md': letter('review-request', 'qa', 'Look') } });
      return fixture;
    };
    const person = asks(
      team.replace('qa: { provider: claude, capabilities: [READ] }', 'qa: { provider: human }'),
    );
    const own =
      '- `review-feedback` to engineer; fields: `verdict`: "approved" | "changes_requested", required\n';
    expect(inboxOf(person, 'qa').text).toContain(own);
    expect(asks(team).runner.promptOf('qa')).toContain(own);
  });

  it('names the person in the command where several may answer', () => {
    const fixture = askedOf('[user, lead]', team);
    const id = fixture.id('Which parser?').slice(-6);
    expect(inboxOf(fixture, 'lead').text).toContain(`mailroom reply ${id} --as lead --message "…"`);
    expect(inboxOf(fixture, 'user').text).toContain(`mailroom reply ${id} --as user --message "…"`);
  });

  it('says the same to who is asked after the deadline, without one', () => {
    const fixture = askedOf('lead', team.replace('on_timeout: fail', 'on_timeout: escalate'));
    expect(inboxOf(fixture, 'lead').text).toMatch(/Without an answer until .* UTC, user is asked as well\./);
    fixture.now += 31 * 60_000;
    fixture.look();
    const { text } = inboxOf(fixture, 'user');
    expect(text).toContain('There is no deadline.');
    expect(text).toContain(`mailroom reply ${fixture.id('Which parser?').slice(-6)} --as user`);
  });

  it('says that the thread fails where no other role can be asked', () => {
    const escalated = team.replace('on_timeout: fail', 'on_timeout: escalate');
    for (const to of ['user', '[user, lead]'])
      expect(inboxOf(askedOf(to, escalated), 'user').text).toMatch(
        /Without an answer until .* UTC, the thread fails\./,
      );
    const fixture = askedOf('user', escalated);
    const thread = fixture.state.mail.get(fixture.id('Which parser?'))?.message.thread ?? '';
    fixture.now += 31 * 60_000;
    fixture.look();
    expect(fixture.state.threads.get(thread)?.state).toBe('failed');
  });

  it('is the message alone for agents, among what was sent, and once it is answered', async () => {
    const fixture = askedOf('[lead, architect]', team);
    const message = questionOf(fixture);
    const file = (folder: string) => {
      const [name = ''] = fixture.disk.list(folder) ?? [];
      return fixture.disk.read(`${folder}/${name}`, 1_000_000)?.toString();
    };
    expect(inboxOf(fixture, 'architect').text).toBe(formatMessage(message));
    expect(file('agents/engineer/sent/2026-11')).toBe(formatMessage(message));
    expect((await fixture.run('reply', '-m', 'The second.')).code).toBe(0);
    expect(file('agents/lead/processed/2026-11')).toBe(formatMessage(message));
    expect(fixture.disk.list('agents/lead/inbox')).toEqual([]);
    const shown = (await fixture.json('show', message.id)).document as { message: { body: string } };
    expect(shown.message.body).toBe('The text.\n');
  });

  it('has no block where nothing is to be answered', () => {
    const fixture = new ProjectFixture();
    fixture.drop('agents/user/inbox/x.md', 'What is this?\n');
    expect(inboxOf(fixture, 'user').text).not.toContain('<!-- mailroom');
  });
});

describe('that file and the hands of a person', () => {
  it('is read when removed, and unread when it returns unchanged, with its block or without', () => {
    for (const returns of [(text: string) => text, (text: string) => text.split('\n<!-- ')[0] ?? '']) {
      const fixture = askedOf('lead');
      const { id } = questionOf(fixture);
      const { path, text } = inboxOf(fixture, 'lead');
      const place = () => fixture.state.mail.get(id)?.deliveries.get('lead')?.at;
      fixture.disk.remove(path);
      fixture.look();
      fixture.now += 2_000;
      fixture.look();
      expect(place()).toBe('read');
      fixture.drop(path, returns(text));
      expect(place()).toBe('unread');
      expect(inboxOf(fixture, 'lead').text).toBe(text);
    }
  });

  it('may be edited: the message stays as it was sent', async () => {
    const fixture = askedOf('lead', team);
    const message = questionOf(fixture);
    const { path, text } = inboxOf(fixture, 'lead');
    fixture.drop(path, text.replace('The text.', 'Another text.'));
    expect(questionOf(fixture)).toEqual(message);
    expect((await fixture.run('reply', '-m', 'The second.')).code).toBe(0);
    const [name = ''] = fixture.disk.list('agents/lead/processed/2026-11') ?? [];
    expect(fixture.disk.read(`agents/lead/processed/2026-11/${name}`, 1_000_000)?.toString()).toBe(
      formatMessage(message),
    );
  });

  it('answers when it is copied into the outbox, with what was written above and below the block', () => {
    const fixture = askedOf('lead', team);
    const { text } = inboxOf(fixture, 'lead');
    const head = `---\ntype: answer\nin_reply_to: ${fixture.id('Which parser?')}\nsubject: Mine\n---\n`;
    const body = text.slice(text.indexOf('The text.'));
    fixture.drop(
      'agents/lead/outbox/a.md',
      `${head}${body.replace('The text.\n', '> The text.\n\nThe first.\n')}\nBye\n`,
    );
    expect(fixture.state.mail.get(fixture.id('Mine'))?.message.body).toBe(
      '> The text.\n\nThe first.\n\nBye\n',
    );
  });

  it('refuses the file that it prints while the placeholders are in it, and names the choices', () => {
    const fixture = askedOf('lead');
    const { text } = inboxOf(fixture, 'lead');
    const example = /```text\n(---\ntype: [^`]*)```/.exec(text)?.[1] ?? '';
    const reasons = (file: string) => {
      fixture.drop('agents/lead/outbox/answer.md', file);
      const names = (fixture.disk.list('agents/lead/failed/2026-11') ?? []).filter((name) =>
        name.endsWith('.reason.txt'),
      );
      return fixture.disk.read(`agents/lead/failed/2026-11/${names.at(-1) ?? ''}`, 10_000)?.toString();
    };
    expect(reasons(example)).toContain('there is no type `<answer | refusal>`');
    expect(reasons(example.replace('<answer | refusal>', 'refusal'))).toContain(
      'field `why` must be one of "later", "never"',
    );
    fixture.drop(
      'agents/lead/outbox/answer.md',
      example.replace('<answer | refusal>', 'refusal').replace('<later | never>', 'never'),
    );
    expect(fixture.state.mail.get(fixture.id('Your text.'))?.message).toMatchObject({
      type: 'refusal',
      inReplyTo: fixture.id('Which parser?'),
      fields: { why: 'never' },
    });
  });
});
