import { describe, expect, it } from 'vitest';
import { pickItem } from '../../src/mail/questions/positions.ts';
import { asked } from './asked.ts';
import { ProjectFixture } from './project-fixture.ts';
import { letter, team } from './team.ts';
import type { RunStatusDocument } from '../../src/documents/status.ts';

const run = '01a206be-3311-7576-8a55-fdcca0e1b40a';

/** A run whose gates wait, with who may approve them. */
function waiting(...gates: readonly (readonly [gate: string, ...approvers: string[]])[]): RunStatusDocument {
  return {
    run,
    workflow: 'ship',
    title: null,
    state: 'waiting',
    standing: { is: 'needs you', word: 'needs you: approval', for: [], until: null },
    started_by: 'person',
    person: 'ada',
    started_at: '2026-11-21T20:00:00.000Z',
    steps: [],
    gates: gates.map(([gate, ...approvers]) => ({
      gate,
      message: `May ${gate} run?`,
      approvers,
      choices: ['approve', 'reject'],
      fields: {},
      since: '2026-11-21T20:40:00.000Z',
      deadline: null,
      on_timeout: null,
      before: [],
      approve: `mailroom approve e1b40a ${gate}`,
      recorded: null,
    })),
    paused: null,
    why: null,
    resume: null,
    cost: { usd: 0, tokens: 0, unpriced: 0 },
  };
}

/** The answer of a person to a request, as a file. */
function answerTo(fixture: ProjectFixture, subject: string): string {
  return letter('answer', 'engineer', 'The second', `in_reply_to: ${fixture.id(subject)}\n`);
}

describe('inbox', () => {
  it('says that nothing waits', async () => {
    expect(await new ProjectFixture().run('inbox')).toMatchObject({
      code: 0,
      out: 'Nothing waits for you.\n',
    });
    expect((await new ProjectFixture().run('inbox', '--as', 'lead')).out).toBe('Nothing waits for lead.\n');
  });

  it('lists a request with its deadline, what follows, and the command that answers it', async () => {
    const fixture = asked({ lead: 'Which parser?' });
    fixture.now += 60_000;
    const id = fixture.id('Which parser?').slice(-6);
    expect((await fixture.run('inbox')).out.split('\n').slice(0, 4)).toEqual([
      '@1  question from engineer to lead: Which parser?',
      '    about: Do it',
      expect.stringMatching(
        /^ {4}since \d\d:45 \(1m \d\ds\); until \d\d:15 \(in 2[89]m \d\ds\), then the thread fails$/,
      ),
      `    mailroom reply ${id} --as lead --message "…"`,
    ]);
  });

  it('gives programs every field of an answer', async () => {
    const text = team
      .replace('reply: [answer]', 'reply: [answer, refusal]')
      .replace(
        'start:',
        '  refusal: { from: [user, lead, architect], to: [engineer, qa], fields: { why: { type: string, enum: [later, never], required: true } } }\nstart:',
      );
    const fixture = asked({ lead: 'Which parser?' }, text);
    const { document } = await fixture.json('inbox', '--as', 'lead');
    const id = fixture.id('Which parser?');
    expect(document).toEqual({
      schema: 1,
      as: 'lead',
      items: [
        {
          id,
          kind: 'request',
          thread: fixture.id('Do it'),
          thread_subject: 'Do it',
          turn: null,
          escalated_from: null,
          question: null,
          changes: null,
          run: null,
          before: [],
          from: 'engineer',
          type: 'question',
          subject: 'Which parser?',
          since: expect.stringMatching(/^2026-11-21T20:45:0\d\.\d{3}Z$/) as unknown,
          deadline: expect.stringMatching(/^2026-11-21T21:15:0\d\.\d{3}Z$/) as unknown,
          on_timeout: 'the thread fails',
          fields: {
            why: {
              type: 'string',
              enum: ['later', 'never'],
              required: true,
              default: null,
              description: null,
            },
          },
          reply_types: ['answer', 'refusal'],
          command: [
            `mailroom reply ${id.slice(-6)} --type answer --as lead --message "…"`,
            `mailroom reply ${id.slice(-6)} --type refusal --as lead --field 'why=later|never' --message "…"`,
          ].join('\n'),
        },
      ],
    });
    expect(await fixture.run('inbox', '--as', 'user')).toMatchObject({ out: 'Nothing waits for user.\n' });
  });

  it('lists gates for who may approve them, and notices last', async () => {
    const fixture = new ProjectFixture();
    fixture.drop('agents/user/inbox/x.md', 'What is this?\n');
    fixture.workflowStatus = { runs: [waiting(['ok', 'lead'], ['free'])], triggers: [], problems: [] };
    const kinds = async (...as: string[]) =>
      ((await fixture.json('inbox', ...as)).document as { items: { kind: string; id: string }[] }).items.map(
        ({ kind, id }) => (kind === 'approval' ? id.slice(run.length + 1) : kind),
      );
    expect(await kinds()).toEqual(['free', 'ok', 'notice']);
    expect(await kinds('--as', 'lead')).toEqual(['free', 'ok']);
    expect(await kinds('--as', 'user')).toEqual(['free', 'notice']);
  });

  it('lists the earliest deadline first, then what has none, and notices last', async () => {
    const text = team.replace(
      'start:',
      `  urgent: { from: [engineer], to: [lead], reply: [answer], blocking: true, timeout: 5m, on_timeout: proceed }
  unhurried: { from: [engineer], to: [lead], reply: [answer], blocking: true }
start:`,
    );
    const fixture = new ProjectFixture(text);
    fixture.drop('agents/user/inbox/x.md', 'What is this?\n');
    fixture.drop('agents/user/outbox/e.md', letter('errand', 'engineer', 'Do it'));
    const files = {
      'a.md': letter('unhurried', 'lead', 'Which colour?'),
      'b.md': letter('question', 'lead', 'Which parser?'),
      'c.md': letter('urgent', 'lead', 'Stop the press?'),
    };
    fixture.work('engineer', { files });
    const ship = waiting(['ok']);
    const deadline = new Date(fixture.now + 600_000).toISOString();
    const gates = ship.gates.map((gate) => ({ ...gate, deadline, on_timeout: 'it is approved' }));
    fixture.workflowStatus = { runs: [{ ...ship, gates }], triggers: [], problems: [] };
    const { items } = (await fixture.json('inbox')).document as { items: { subject: string }[] };
    expect(items.map(({ subject }) => subject)).toEqual([
      'Stop the press?',
      'May ok run?',
      'Which parser?',
      'Which colour?',
      expect.stringContaining('x.md') as unknown,
    ]);
  });

  it('says of an escalated request who was asked first', async () => {
    const fixture = asked(
      { lead: 'Which parser?' },
      team.replace('on_timeout: fail', 'on_timeout: escalate'),
    );
    const first = async () =>
      ((await fixture.json('inbox')).document as { items: { escalated_from: string | null }[] }).items[0]
        ?.escalated_from;
    expect(await first()).toBe(null);
    fixture.now += 31 * 60_000;
    fixture.look();
    expect(await first()).toBe('lead');
    expect((await fixture.run('inbox')).out).toContain('\n    escalated: lead did not answer in time\n');
  });

  it('follows what waits with --watch until somebody ends it', async () => {
    const fixture = asked({ lead: 'Which parser?' });
    fixture.meanwhile.push(
      () => undefined,
      () => fixture.drop('agents/lead/outbox/a.md', answerTo(fixture, 'Which parser?')),
      () => fixture.terminal.signal(),
    );
    const { code, out } = await fixture.run('inbox', '--watch');
    expect(code).toBe(0);
    expect(out).toMatch(/^@1 {2}question from engineer to lead: Which parser\?\n/);
    expect(out).toMatch(/\nNothing waits for you\.\n$/);
  });

  it('is drawn on the other screen of a terminal, where `q` ends it', async () => {
    const fixture = asked({ lead: 'Which parser?' });
    Object.assign(fixture.terminal, { interactive: true, height: 2 });
    fixture.meanwhile.push(
      () => undefined,
      () => fixture.terminal.press('x'),
      () => fixture.terminal.press('q'),
    );
    const { code, out } = await fixture.run('inbox', '--watch');
    expect(code).toBe(0);
    expect(out).toBe(
      '\u001b[?1049h\u001b[?25l' +
        '\u001b[H@1  question from engineer to lead: Which parser?\u001b[K\n… 3 more lines; q ends\u001b[K\u001b[J' +
        '\u001b[?25h\u001b[?1049l',
    );
    expect(fixture.terminal.listens).toBe(false);
  });

  it('breaks lines between words on a narrow terminal, and leaves a command whole', async () => {
    const fixture = asked({ lead: 'Which of the parsers does the new front end take from now on?' });
    fixture.terminal.interactive = true;
    fixture.terminal.width = 34;
    const lines = (await fixture.run('inbox')).out.split('\n');
    expect(lines.slice(0, 4)).toEqual([
      '@1  question from engineer to',
      '    lead: Which of the parsers',
      '    does the new front end take',
      '    from now on?',
    ]);
    const id = fixture.id('Which of the parsers does the new front end take from now on?').slice(-6);
    expect(lines).toContain(`    mailroom reply ${id} --as lead --message "…"`);
  });

  it('names requests and gates where either may be answered', () => {
    expect(() => pickItem([], ['request', 'approval'], null)).toThrow(
      'no request or gate waits for an answer',
    );
    expect(() => pickItem([], ['approval'], null)).toThrow('no gate waits for an answer');
  });

  it('refuses a role that is no person', async () => {
    expect(await new ProjectFixture().run('inbox', '--as', 'leads')).toMatchObject({
      code: 2,
      err: 'error E_TARGET: `leads` is not a human role\nhint: did you mean `lead`?\n',
    });
    expect((await new ProjectFixture().run('inbox', '--as', 'qa')).err).toContain('`qa` is not a human role');
  });
});

describe('reply without an id', () => {
  it('answers the only request, which then leaves the inbox of the person', async () => {
    const fixture = asked({ lead: 'Which parser?' });
    const id = fixture.id('Which parser?');
    const counted = async () => /^lead +\w+ +(\d+)/m.exec((await fixture.run('status')).out)?.[1];
    expect(await counted()).toBe('1');
    expect((await fixture.run('reply', '-m', 'The second.')).code).toBe(0);
    expect(await counted()).toBe('0');
    expect(fixture.state.mail.get(fixture.id('The second.'))?.message.inReplyTo).toBe(id);
    expect(fixture.state.mail.get(id)?.deliveries.get('lead')).toEqual({ at: 'processed' });
    const { message } = fixture.state.mail.get(id)!;
    expect(fixture.disk.list('agents/lead/inbox')).toEqual([]);
    expect(
      fixture.disk.list(`agents/lead/processed/${new Date(message.created).toISOString().slice(0, 7)}`),
    ).toHaveLength(1);
  });

  it('answers by its number in the list, and by `last`', async () => {
    const fixture = asked({ lead: 'Which parser?', user: 'And then?' });
    expect(await fixture.run('reply', '-m', 'x')).toMatchObject({
      code: 2,
      err:
        'error E_TARGET: 2 requests wait:\n  @1  engineer: Which parser?\n  @2  engineer: And then?\n' +
        'hint: say which one, for example @1\n',
    });
    fixture.environment = {};
    expect((await fixture.run('reply', '@3', '-m', 'x')).err).toContain(
      '`@3` is not a request that waits:\n  @1',
    );
    expect((await fixture.run('reply', '@2', '-m', 'Stop.')).code).toBe(0);
    fixture.environment = { MAILROOM_USER: 'lead' };
    expect(fixture.state.mail.get(fixture.id('Stop.'))?.message.inReplyTo).toBe(fixture.id('And then?'));
    expect((await fixture.run('reply', 'last', '-m', 'The first.')).code).toBe(0);
    expect(fixture.state.mail.get(fixture.id('The first.'))?.message.inReplyTo).toBe(
      fixture.id('Which parser?'),
    );
    expect(await fixture.run('reply', '-m', 'x')).toMatchObject({
      code: 2,
      err: 'error E_TARGET: no request waits for an answer\nhint: list everything with `mailroom inbox`\n',
    });
  });
});

describe('the command that the list prints', () => {
  it('is refused unchanged, and sends nothing', async () => {
    const fixture = asked({ lead: 'Which parser?' });
    expect(await fixture.run('reply', fixture.id('Which parser?').slice(-6), '--message', '…')).toMatchObject(
      {
        code: 2,
        err: 'error E_USAGE: `--message "…"` has no text yet\nhint: write your text in place of the …\n',
      },
    );
    expect((await fixture.run('inbox')).out).toContain('Which parser?');
  });
});

describe('a reply that no controller has accepted yet', () => {
  it('takes the request out of the list, for who answered it, until it is refused', async () => {
    const fixture = asked({ lead: 'Which parser?' });
    fixture.up = false;
    expect((await fixture.run('reply', '-m', 'The second.')).out).toContain('no controller runs');
    expect(fixture.disk.list('agents/lead/outbox')).toHaveLength(1);
    expect((await fixture.run('inbox')).out).toBe('Nothing waits for you.\n');
    expect((await fixture.run('reply', '-m', 'The first.')).err).toContain('no request waits for an answer');
    for (const name of fixture.disk.list('agents/lead/outbox') ?? [])
      fixture.disk.remove(`agents/lead/outbox/${name}`);
    expect((await fixture.run('inbox')).out).toContain('@1  question from engineer to lead: Which parser?');
  });
});

describe('approve without a gate', () => {
  it('names the gates where several wait by ID: a position would mean another entry of the inbox', async () => {
    const fixture = asked({ lead: 'Which parser?' });
    fixture.workflowStatus = { runs: [waiting(['ok', 'lead'], ['free'])], triggers: [], problems: [] };
    for (const verb of ['approve', 'reject'])
      expect(await fixture.run(verb)).toMatchObject({
        code: 2,
        err:
          'error E_TARGET: 2 gates wait:\n  e1b40a free  ship: May free run?\n  e1b40a ok  ship: May ok run?\n' +
          'hint: say which one, for example e1b40a free\n',
      });
    const asAnna = await fixture.run('approve', '@1', '--as', 'anna');
    expect(asAnna.err).toContain('`@1` is not a gate that waits:\n  e1b40a free  ');
    expect((await fixture.run('approve', '@1')).err).toContain(
      '`@1` is not a gate that waits:\n  e1b40a free  ',
    );
  });

  it('takes no word for the last gate that is no position', async () => {
    const fixture = new ProjectFixture();
    fixture.workflowStatus = { runs: [waiting(['ok'])], triggers: [], problems: [] };
    for (const word of ['@0', '@x', '@1x', '@'])
      expect((await fixture.run('approve', word)).err).toContain(`\`${word}\` is not a gate that waits:`);
  });

  it('names gates by words that mean the same whatever else waits, and in whatever run', async () => {
    const fixture = asked({ lead: 'Which parser?' });
    fixture.workflowStatus = { runs: [waiting(['ok'], ['free'])], triggers: [], problems: [] };
    expect((await fixture.run('approve', '@1')).err).toBe(
      'error E_TARGET: `@1` is not a gate that waits:\n  e1b40a free  ship: May free run?\n  e1b40a ok  ship: May ok run?\n' +
        'hint: say which one, for example e1b40a free\n',
    );
  });
});
