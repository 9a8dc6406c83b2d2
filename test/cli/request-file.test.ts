import { describe, expect, it } from 'vitest';
import { formatMessage } from '../../src/mail/format/read-message.ts';
import { Bench } from './bench.ts';
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
function askedOf(to: string, text = withRefusal): Bench {
  const bench = new Bench(text);
  bench.drop('agents/user/outbox/e.md', letter('errand', 'engineer', 'Do it'));
  bench.work('engineer', { files: { 'q.md': letter('question', to, 'Which parser?') } });
  return bench;
}

const inboxOf = (bench: Bench, role: string) => {
  const folder = `agents/${role}/inbox`;
  const [name = ''] = bench.disk.list(folder) ?? [];
  const path = `${folder}/${name}`;
  return { name, path, text: bench.disk.read(path, 1_000_000)?.toString() ?? '' };
};

const questionOf = (bench: Bench) => bench.state.mail.get(bench.id('Which parser?'))!.message;

describe('the file of a request in the inbox of a person', () => {
  it('ends with how to answer it, by command and by file', () => {
    const bench = askedOf('lead');
    const message = questionOf(bench);
    const { text } = inboxOf(bench, 'lead');
    expect(text.startsWith(`${formatMessage(message)}\n<!-- mailroom: not part of the message (`)).toBe(true);
    const guide = text.slice(formatMessage(message).length);
    expect(guide.replaceAll(/\([0-9a-f]{8}\)/g, '(sum)')).toBe(`
<!-- mailroom: not part of the message (sum) -->

## What you may send

- \`answer\` to engineer, qa
- \`refusal\` to engineer, qa; fields: \`why\`: "later" | "never", required; \`note\` (string)

## What you owe

- \`answer\` or \`refusal\` to engineer, with \`in_reply_to: ${message.id}\`; its subject: \`Which parser?\`

Without an answer until 2026-11-21 21:15 UTC, the thread fails.

To answer, replace the values and run one of these

\`\`\`sh
mailroom reply ${message.id.slice(-6)} --type answer --message "…"
mailroom reply ${message.id.slice(-6)} --type refusal --field 'why=later|never' --message "…"
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

  it('names the person in the command where several may answer', () => {
    const bench = askedOf('[user, lead]', team);
    const id = bench.id('Which parser?').slice(-6);
    expect(inboxOf(bench, 'lead').text).toContain(`mailroom reply ${id} --as lead --message "…"`);
    expect(inboxOf(bench, 'user').text).toContain(`mailroom reply ${id} --as user --message "…"`);
  });

  it('says the same to who is asked after the deadline, without one', () => {
    const bench = askedOf('lead', team.replace('on_timeout: fail', 'on_timeout: escalate'));
    expect(inboxOf(bench, 'lead').text).toMatch(/Without an answer until .* UTC, user is asked as well\./);
    bench.now += 31 * 60_000;
    bench.look();
    const { text } = inboxOf(bench, 'user');
    expect(text).toContain('There is no deadline.');
    expect(text).toContain(`mailroom reply ${bench.id('Which parser?').slice(-6)} --as user`);
  });

  it('is the message alone for agents, among what was sent, and once it is answered', async () => {
    const bench = askedOf('[lead, architect]', team);
    const message = questionOf(bench);
    const file = (folder: string) => {
      const [name = ''] = bench.disk.list(folder) ?? [];
      return bench.disk.read(`${folder}/${name}`, 1_000_000)?.toString();
    };
    expect(inboxOf(bench, 'architect').text).toBe(formatMessage(message));
    expect(file('agents/engineer/sent/2026-11')).toBe(formatMessage(message));
    expect((await bench.run('reply', '-m', 'The second.')).code).toBe(0);
    expect(file('agents/lead/processed/2026-11')).toBe(formatMessage(message));
    expect(bench.disk.list('agents/lead/inbox')).toEqual([]);
    const shown = (await bench.json('show', message.id)).document as { message: { body: string } };
    expect(shown.message.body).toBe('The text.\n');
  });

  it('has no block where nothing is to be answered', () => {
    const bench = new Bench();
    bench.drop('agents/user/inbox/x.md', 'What is this?\n');
    expect(inboxOf(bench, 'user').text).not.toContain('<!-- mailroom');
  });
});

describe('that file and the hands of a person', () => {
  it('is read when removed, and unread when it returns unchanged, with its block or without', () => {
    for (const returns of [(text: string) => text, (text: string) => text.split('\n<!-- ')[0] ?? '']) {
      const bench = askedOf('lead');
      const { id } = questionOf(bench);
      const { path, text } = inboxOf(bench, 'lead');
      const place = () => bench.state.mail.get(id)?.deliveries.get('lead')?.at;
      bench.disk.remove(path);
      bench.look();
      bench.now += 2_000;
      bench.look();
      expect(place()).toBe('read');
      bench.drop(path, returns(text));
      expect(place()).toBe('unread');
      expect(inboxOf(bench, 'lead').text).toBe(text);
    }
  });

  it('may be edited: the message stays as it was sent', async () => {
    const bench = askedOf('lead', team);
    const message = questionOf(bench);
    const { path, text } = inboxOf(bench, 'lead');
    bench.drop(path, text.replace('The text.', 'Another text.'));
    expect(questionOf(bench)).toEqual(message);
    expect((await bench.run('reply', '-m', 'The second.')).code).toBe(0);
    const [name = ''] = bench.disk.list('agents/lead/processed/2026-11') ?? [];
    expect(bench.disk.read(`agents/lead/processed/2026-11/${name}`, 1_000_000)?.toString()).toBe(
      formatMessage(message),
    );
  });

  it('answers when it is copied into the outbox, with what was written above and below the block', () => {
    const bench = askedOf('lead', team);
    const { text } = inboxOf(bench, 'lead');
    const head = `---\ntype: answer\nin_reply_to: ${bench.id('Which parser?')}\nsubject: Mine\n---\n`;
    const body = text.slice(text.indexOf('The text.'));
    bench.drop(
      'agents/lead/outbox/a.md',
      `${head}${body.replace('The text.\n', '> The text.\n\nThe first.\n')}\nBye\n`,
    );
    expect(bench.state.mail.get(bench.id('Mine'))?.message.body).toBe('> The text.\n\nThe first.\n\nBye\n');
  });

  it('refuses the file that it prints while the placeholders are in it, and names the choices', () => {
    const bench = askedOf('lead');
    const { text } = inboxOf(bench, 'lead');
    const example = /```text\n(---\ntype: [^`]*)```/.exec(text)?.[1] ?? '';
    const reasons = (file: string) => {
      bench.drop('agents/lead/outbox/answer.md', file);
      const names = (bench.disk.list('agents/lead/failed/2026-11') ?? []).filter((name) =>
        name.endsWith('.reason.txt'),
      );
      return bench.disk.read(`agents/lead/failed/2026-11/${names.at(-1) ?? ''}`, 10_000)?.toString();
    };
    expect(reasons(example)).toContain('there is no type `<answer | refusal>`');
    expect(reasons(example.replace('<answer | refusal>', 'refusal'))).toContain(
      'field `why` must be one of "later", "never"',
    );
    bench.drop(
      'agents/lead/outbox/answer.md',
      example.replace('<answer | refusal>', 'refusal').replace('<later | never>', 'never'),
    );
    expect(bench.state.mail.get(bench.id('Your text.'))?.message).toMatchObject({
      type: 'refusal',
      inReplyTo: bench.id('Which parser?'),
      fields: { why: 'never' },
    });
  });
});
