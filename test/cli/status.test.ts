import { beforeAll, describe, expect, it } from 'vitest';
import { workflowLines } from '../../src/cli/workflow-status-text.ts';
import { FakeTerminal } from './fake-terminal.ts';
import { ProjectFixture, type Told } from './project-fixture.ts';
import { letter, team } from './team.ts';
import type { StatusDocument } from '../../src/documents/status.ts';

beforeAll(() => {
  process.env['TZ'] = 'UTC';
});

/** An engineer that waits for qa, which has the request before it. */
function reviewing(): ProjectFixture {
  const fixture = new ProjectFixture();
  fixture.drop('agents/architect/inbox/flag.md', '# Add a --json flag\n\nTo the list command.\n');
  fixture.work('architect', { files: { 'd.md': letter('design', 'engineer', 'How to add it') }, usd: 0.12 });
  fixture.work('engineer', {
    files: { 'r.md': letter('review-request', 'qa', 'Review of the flag') },
    usd: 1,
  });
  fixture.now += 130_000;
  return fixture;
}

describe('status', () => {
  it.each([
    ['', null],
    ['limits: { budget: { day: { usd: 50 } } }\n', { usd: 50, tokens: null }],
    ['limits: { budget: { day: { usd: 2.5, tokens: 9000 } } }\n', { usd: 2.5, tokens: 9_000 }],
    ['limits: { budget: { thread: { usd: 50 } } }\n', null],
  ])('has the limit of a day of its protocol: %j', async (limits, limit) => {
    const fixture = new ProjectFixture(
      `${team.replaceAll('capabilities:', 'budget: { usd: 1, tokens: 100 }, capabilities:')}${limits}`,
    );
    const { document } = await fixture.json('status');
    expect((document as StatusDocument).cost.limit).toEqual(limit);
  });

  it('shows who runs, who waits for whom since when, and what it cost', async () => {
    const fixture = reviewing();
    const { out, code } = await fixture.run('status');
    expect(out).toMatchInlineSnapshot(`
      "controller  process 4242 on box for 47m 12s
      today       $1.12

      ROLE       STATE    INBOX  TURNS  COST   NOW
      user       idle         0      0
      architect  idle         0      1  $0.12
      engineer   waiting      0      1  $1.00  waits for qa for 2m 10s (review-request …dde6c4)
      qa         running      0      1         t3 runs for 2m 10s; owes engineer an answer to review-request …dde6c4
      lead       idle         0      0

      THREAD   STATE  MESSAGES  TURNS  COST   SUBJECT
      …3779b1  open          3      3  $1.12  Add a --json flag
      "
    `);
    expect(code).toBe(0);
  });

  it('redraws what fits on a terminal with --watch, the newest threads of those that are open', async () => {
    const fixture = new ProjectFixture();
    for (let each = 0; each < 20; each++)
      fixture.drop(
        `agents/architect/inbox/${String(each)}.md`,
        `# Thread ${String(each)} ${'long '.repeat(30)}\n`,
      );
    Object.assign(fixture.terminal, { interactive: true, width: 80, height: 16 });
    fixture.meanwhile.push(
      () => undefined,
      () => Object.assign(fixture.terminal, { height: 30 }),
      () => fixture.terminal.signal(),
    );
    const { code, out } = await fixture.run('status', '--watch');
    expect(code).toBe(0);
    expect(out.endsWith('\u001b[?25h\u001b[?1049l')).toBe(true);
    const frames = out
      .split('\u001b[H')
      .slice(1)
      .map((each) => each.split('\n'));
    expect(frames.map((each) => each.length <= 16)).toEqual([true, true, false]);
    expect(frames.every((each) => each.length <= 30)).toBe(true);
    expect(frames[0]?.join('\n')).toContain('older open threads; --threads lists them');
    expect(frames[0]?.join('\n')).toContain('Thread 19 ');
    expect(out).not.toContain('Thread 0 ');
  });

  it('follows itself where no terminal is', async () => {
    const fixture = reviewing();
    fixture.meanwhile.push(
      () => undefined,
      () => fixture.terminal.signal(),
    );
    const { out } = await fixture.run('status', '--watch');
    expect(out.match(/^controller/gm)).toHaveLength(2);
    expect(out).not.toContain('\u001b');
  });

  it('lists the newest threads and says how many more there are; with --threads, all', async () => {
    const fixture = new ProjectFixture();
    for (let number = 1; number <= 60; number += 1)
      fixture.drop(`agents/architect/inbox/${String(number)}.md`, `Task ${String(number)}\n`);
    const subjects = (out: string) =>
      [...out.matchAll(/Task (\d+)(?: \(|$)/gm)].map(([, number]) => Number(number));
    const { out } = await fixture.run('status');
    expect(subjects(out)).toEqual(Array.from({ length: 50 }, (_none, index) => index + 11));
    expect(out).toContain('\n10 older open threads; --threads lists them\n');
    expect(subjects((await fixture.run('status', '--threads')).out)).toHaveLength(60);
    const { document } = (await fixture.json('status')) as Told<StatusDocument>;
    expect(document.threads).toHaveLength(60);
  });

  it('says that the protocol cannot be read instead of that there are no roles', async () => {
    const fixture = new ProjectFixture();
    fixture.text = 'name: [';
    const { out } = await fixture.run('status');
    expect(out).toMatch(
      /^problem +the protocol cannot be read, and so no roles: it has 1 problem; `mailroom check` shows/m,
    );
    expect(out).not.toContain('no roles yet');
  });

  it('is a document', async () => {
    const fixture = reviewing();
    const { document } = (await fixture.json('status')) as Told<StatusDocument>;
    const request = fixture.id('Review of the flag');
    const thread = fixture.id('Add a --json flag');
    expect(document).toMatchObject({
      schema: 1,
      controller: { pid: 4242, host: 'box', since: '2026-11-21T20:00:00.000Z', triggers: true },
      protocol_changed: false,
      parked: [],
      recorded: 0,
      problems: [],
    });
    const engineer = document.roles.find(({ name }) => name === 'engineer');
    expect(engineer).toEqual({
      name: 'engineer',
      person: false,
      standing: { is: 'waiting', word: 'waiting', for: ['qa'], until: null },
      state: 'waiting',
      running: 0,
      inbox: 0,
      waiting_for: { roles: ['qa'], messages: [request], since: engineer?.waiting_for?.since },
      waits: [
        {
          thread,
          blocks: 'role',
          roles: ['qa'],
          messages: [request],
          types: ['review-request'],
          since: engineer?.waiting_for?.since,
          deadline: null,
        },
      ],
      owes: [],
      turns: 1,
      cost: { usd: 1, tokens: 0, unpriced: 0 },
      why: null,
    });
    const qa = document.roles.find(({ name }) => name === 'qa');
    expect(qa).toMatchObject({ state: 'running', running: 1, inbox: 0 });
    expect(qa?.owes).toEqual([
      {
        message: request,
        thread,
        type: 'review-request',
        to: 'engineer',
        subject: 'Review of the flag',
        deadline: null,
      },
    ]);
    expect(document.threads).toMatchObject([{ id: thread, state: 'open', messages: 3, turns: 3 }]);
    expect(document.turns).toMatchObject([{ id: 't3', role: 'qa', state: 'running', attempt: 1 }]);
  });
});

describe('status --all', () => {
  it('shows each project of the list, names those that are gone, and drops them on request', async () => {
    const fixture = new ProjectFixture();
    fixture.known = ['/project', '/gone/shop'];
    const { code, out } = await fixture.run('status', '--all');
    expect(out).toBe(
      [
        'PROJECT   UP   RUNNING  OPEN  FOR YOU  TODAY  PROBLEMS',
        '/project  yes        0     0        0',
        'gone  /gone/shop',
        'To remove them from the list: mailroom status --all --drop-gone',
        '',
      ].join('\n'),
    );
    expect(code).toBe(0);
    expect(fixture.known).toHaveLength(2);
    expect((await fixture.run('status', '--all', '--drop-gone')).out).toContain('gone  /gone/shop: removed');
    expect(fixture.known).toEqual(['/project']);
    const { document } = await fixture.json('status', '--all');
    expect(document).toMatchObject({
      schema: 1,
      list: '/home/ada/.config/mailroom/projects',
      projects: [{ root: '/project', status: { schema: 1 }, problem: null }],
      gone: [],
      dropped: false,
    });
  });

  it('says where the list is if it is empty, and what does not fit to it', async () => {
    const fixture = new ProjectFixture();
    expect((await fixture.run('status', '--all')).out).toContain(
      'no projects are listed in /home/ada/.config/mailroom/projects',
    );
    expect((await fixture.run('status', '--all', '--watch')).code).toBe(2);
    expect((await fixture.run('status', '--drop-gone')).code).toBe(2);
  });
});

it('says until when what a trigger asked for waits for its cooldown', () => {
  const trigger = { workflow: 'w.yaml', name: 'hook', kind: 'webhook', active: true, why: null } as const;
  const rest = { next: null, last: null, waiting: true };
  const lines = (cools: string | null) =>
    workflowLines(
      { runs: [], triggers: [{ ...trigger, ...rest, cools_until: cools }] },
      { now: 0, colours: new FakeTerminal(() => 0).colours },
    ).join('\n');
  expect(lines('1970-01-01T00:05:00.000Z')).toMatch(/queued: cooldown until .*00:05.*, in 5m/);
  expect(lines(null)).toContain('queued behind the running one');
});
