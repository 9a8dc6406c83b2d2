import { beforeAll, describe, expect, it } from 'vitest';
import { diskError } from '../../src/disk/disk.ts';
import { ProjectFixture, type Told } from './project-fixture.ts';
import { letter, team } from './team.ts';
import { heldBecause } from '../../src/host/host-waits.ts';
import type { WhyDocument } from '../../src/documents/mail.ts';
import type { StatusDocument, TriggerStatus } from '../../src/documents/status.ts';

beforeAll(() => {
  process.env['TZ'] = 'UTC';
});

/** An engineer that waits for a person, with more mail before it. */
function asking(): ProjectFixture {
  const fixture = new ProjectFixture();
  fixture.drop('agents/user/outbox/e.md', letter('errand', 'engineer', 'Do it'));
  fixture.work('engineer', { files: { 'q.md': letter('question', 'user', 'Which parser?') } });
  fixture.drop('agents/user/outbox/f.md', letter('errand', 'engineer', 'Do more'));
  fixture.now += 130_000;
  return fixture;
}

async function code(fixture: ProjectFixture, word: string): Promise<string> {
  const { document } = (await fixture.json('why', word)) as Told<WhyDocument>;
  return `${document.state} ${document.code}: ${document.reason}`;
}

describe('why', () => {
  it('says in one sentence what holds a role, since and until when, and what to do', async () => {
    const { out, code: exit } = await asking().run('why', 'engineer');
    expect(out).toMatchInlineSnapshot(`
      "a request of engineer blocks its other mail; user has not answered question …6ef362 of engineer.
        state    waiting
        cause    …6ef362, 20:45 (2m 10s ago)
        until    21:15 (in 27m 49s)
        command  mailroom reply 6ef362 --message "…"
      "
    `);
    expect(exit).toBe(0);
  });

  it('is a document', async () => {
    const fixture = asking();
    const { document } = (await fixture.json('why', 'engineer')) as Told<WhyDocument>;
    const request = fixture.id('Which parser?');
    expect(document).toEqual({
      schema: 1,
      target: 'engineer',
      state: 'waiting',
      reason:
        `a request of engineer blocks its other mail; ` +
        `user has not answered question …${request.slice(-6)} of engineer`,
      code: 'blocked_by_request',
      cause: { record: request, at: '2026-11-21T20:45:01.060Z' },
      until: '2026-11-21T21:15:01.060Z',
      command: `mailroom reply ${request.slice(-6)} --message "…"`,
      sub_threads: [],
    });
  });

  it('stands in status beside what waits, with the same words', async () => {
    const fixture = asking();
    const { document } = (await fixture.json('status')) as Told<StatusDocument>;
    const { document: engineer } = (await fixture.json('why', 'engineer')) as Told<WhyDocument>;
    const { schema, target, state, sub_threads: children, ...sentence } = engineer;
    expect([schema, target, state, children]).toEqual([1, 'engineer', 'waiting', []]);
    expect(document.roles.find(({ name }) => name === 'engineer')?.why).toEqual(sentence);
    expect(document.threads.map(({ why }) => why?.code)).toEqual(['waiting_for_user', 'blocked_by_request']);
    expect(document.roles.find(({ name }) => name === 'qa')?.why).toBeNull();
    const { out } = await fixture.run('status');
    expect(out).toContain('  a request of engineer blocks its other mail; user has not answered question');
    expect(out).toContain('Do it (user has not answered question');
  });

  it('of an ended turn says why it failed, and never proposes what must fail again', async () => {
    const limited = team
      .replaceAll(/(provider: (?:claude|codex)[^}]*) \}/g, '$1, budget: { usd: 2 } }')
      .concat('limits: { budget: { thread: { usd: 2 } } }\n');
    const fixture = new ProjectFixture(limited);
    fixture.drop('agents/user/outbox/e.md', letter('errand', 'engineer', 'Do it'));
    fixture.work('engineer', { fails: 'no such module', usd: 1 });
    fixture.now += 60_000;
    fixture.look();
    const id = fixture.id('Do it').slice(-6);
    const { document } = (await fixture.json('why', 't1')) as Told<WhyDocument>;
    expect(document).toMatchObject({ state: 'failed', code: 'failed', command: null });
    expect(document.reason).toBe(
      `engineer did not handle errand …${id} in turn t1: E_BUDGET: the rest of the budget of the thread is ` +
        'too small: $1.00 of $2.00 are spent, and it may cost $2.00; what failed first: no such module; raise `limits.budget.thread` first, then ' +
        `\`mailroom retry ${id}\``,
    );
  });

  it('takes messages, threads and turns, by their ends', async () => {
    const fixture = asking();
    const end = (subject: string) => fixture.id(subject).slice(-6);
    expect(await code(fixture, end('Which parser?'))).toMatch(
      /^unread waiting_for_user: user has not answered/,
    );
    // The first message of a thread is handled, and its ID is that of the thread.
    expect(await code(fixture, end('Do it'))).toMatch(/^open waiting_for_user: user has not answered/);
    expect(await code(fixture, end('Do more'))).toMatch(/^inbox blocked_by_request: /);
    expect(await code(fixture, 't1')).toBe('ended handled: turn t1 has ended');
    fixture.drop('agents/architect/inbox/x.md', 'Plan it\n');
    expect(await code(fixture, 't2')).toBe('running running: architect works in turn t2');
  });

  it('lists what an unknown target could be', async () => {
    const { code: exit, err } = await asking().run('why', 'enginer');
    expect(exit).toBe(2);
    expect(err).toContain('did you mean `engineer`?');
  });

  it('without a controller names what a person must do first, and then the controller', async () => {
    const fixture = asking();
    fixture.up = false;
    expect(await code(fixture, 'qa')).toBe('idle no_mail: qa has no mail');
    expect(await code(fixture, 'engineer')).toMatch(/^waiting blocked_by_request: /);
    await fixture.run('reply', '-m', 'The first');
    const { document } = (await fixture.json('why', 'engineer')) as Told<WhyDocument>;
    expect(document).toMatchObject({
      code: 'host_not_running',
      reason: 'no controller runs; what is recorded takes effect when one starts',
      command: 'mailroom up',
    });
    expect(await code(fixture, 'qa')).toBe('idle no_mail: qa has no mail');
  });

  it('names a pause that is recorded while no controller runs, until it is taken back', async () => {
    const fixture = asking();
    fixture.up = false;
    fixture.environment = { MAILROOM_USER: 'ada' };
    const paused = (what: string) => `${what} is paused by ada, from the start of the next controller`;
    await fixture.run('pause', 'qa');
    expect(await code(fixture, 'qa')).toBe(`idle paused: ${paused('qa')}`);
    expect((await fixture.run('why', 'qa')).out).toMatch(/\n {2}command {2}mailroom unpause qa\n$/);
    expect(await code(fixture, 'engineer')).not.toContain('is paused by');
    await fixture.run('unpause', 'qa');
    expect(await code(fixture, 'qa')).toBe('idle no_mail: qa has no mail');
    const thread = fixture.id('Do more');
    await fixture.run('pause', thread);
    expect(await code(fixture, thread)).toBe(`inbox paused: ${paused(`thread …${thread.slice(-6)}`)}`);
    await fixture.run('pause', 'all');
    expect(await code(fixture, 'qa')).toBe(`idle paused: ${paused('everything')}`);
  });

  it('names files that are no mail yet: in an inbox, and recorded in an outbox', async () => {
    const fixture = asking();
    fixture.disk.plant('agents/qa/inbox/half.md', 'Half a\n');
    expect(await code(fixture, 'qa')).toBe('idle not_accepted: agents/qa/inbox/half.md is not accepted yet');
    fixture.up = false;
    fixture.disk.plant('agents/user/outbox/a.md', letter('task', 'architect', 'Plan it'));
    expect(await code(fixture, 'architect')).toBe(
      'idle host_not_running: no controller runs; what is recorded takes effect when one starts',
    );
  });

  it('says why a file is no mail yet: it is still written, or cannot be read', async () => {
    const fixture = asking();
    const [half, secret] = ['agents/qa/inbox/half.md', 'agents/qa/inbox/secret.md'];
    fixture.disk.plant(half, 'Half a\n');
    fixture.disk.written.set(half, { by: 'process 12 (sh)' });
    const writes = `${half} is incomplete: process 12 (sh) has it open for writing`;
    expect(await code(fixture, 'qa')).toBe(`idle not_accepted: ${writes}`);
    fixture.disk.remove(half);
    fixture.disk.plant(secret, 'Mine\n');
    const read = fixture.disk.read.bind(fixture.disk);
    fixture.disk.read = (path, ...rest) => {
      if (path === secret) throw diskError('read', path, new Error('EACCES: permission denied, open'));
      return read(path, ...rest);
    };
    expect(await code(fixture, 'qa')).toBe(`idle not_accepted: cannot read ${secret}: permission denied`);
    fixture.up = false;
    expect(await code(fixture, 'qa')).toBe(
      `idle host_not_running: no controller runs; cannot read ${secret}: permission denied`,
    );
    expect((await fixture.run('status')).out).toContain(`cannot read ${secret}: permission denied`);
    fixture.disk.read = read;
    expect((await fixture.run('status')).out).not.toContain('cannot read');
  });

  it('names what the controller reports, or that it follows an older protocol, where nothing else holds it', async () => {
    const fixture = new ProjectFixture();
    fixture.host.hold();
    fixture.drop('agents/architect/inbox/x.md', 'Plan it\n');
    expect(await code(fixture, 'architect')).toBe('idle due: nothing holds architect back');
    fixture.text += '\n';
    expect(await code(fixture, 'architect')).toBe(
      'idle protocol_changed: the controller still follows the protocol that it read at its start; `mailroom status` says who changed what since',
    );
    fixture.problems = ['E_DISK: agents/architect/role.md cannot be read'];
    expect(await code(fixture, 'architect')).toBe(
      'idle host_problem: E_DISK: agents/architect/role.md cannot be read',
    );
    expect((await fixture.run('why', 'architect')).out).toMatch(/\n {2}command {2}mailroom doctor\n$/);
  });

  it('chooses what is said of the role, then what holds all work, and never the folders of others', async () => {
    const fixture = new ProjectFixture();
    fixture.host.hold();
    fixture.drop('agents/architect/inbox/x.md', 'Plan it\n');
    const trail = 'the trail cannot be written';
    const other = 'E_DISK: agents/qa/inbox: permission denied';
    const own = 'E_DISK: agents/architect/inbox: permission denied';
    const all = heldBecause('no room (EAGAIN)');
    const chosen = async (...problems: string[]) => {
      fixture.problems = problems;
      return code(fixture, 'architect');
    };
    expect(await chosen(other)).toBe('idle due: nothing holds architect back');
    expect(await chosen(other, trail)).toBe(`idle host_problem: ${trail}`);
    expect(await chosen(other, trail, all)).toBe(`idle host_problem: ${all}`);
    expect(await chosen(other, trail, all, own)).toBe(`idle host_problem: ${own}`);
  });

  it.each([
    ['inbox', 'permission denied'],
    ['inbox', 'not a directory'],
    ['outbox', 'too many symbolic links encountered'],
  ])('says why the %s of a role cannot be listed, with a controller and without: %s', async (box, why) => {
    const fixture = new ProjectFixture();
    const place = `agents/qa/${box}`;
    fixture.host.look();
    fixture.disk.beforeRead = (path) => {
      if (path === place) throw diskError('list', path, new Error(why));
    };
    const reason = `cannot list ${place}: ${why}`;
    fixture.problems = [reason];
    expect(await code(fixture, 'qa')).toBe(`idle not_accepted: ${reason}`);
    expect(await code(fixture, 'engineer')).toBe('idle no_mail: engineer has no mail');
    fixture.up = false;
    expect(await code(fixture, 'qa')).toBe(`idle host_not_running: no controller runs; ${reason}`);
    expect(await code(fixture, 'engineer')).toBe('idle no_mail: engineer has no mail');
    expect((await fixture.run('status')).out).toContain(`problem     ${reason}\n`);
  });

  it('gives a file the reason that is about it, and not about another one', async () => {
    const fixture = new ProjectFixture();
    fixture.host.look();
    fixture.disk.plant('agents/qa/inbox/x.md', 'Check it\n');
    fixture.problems = ['cannot accept agents/qa/inbox/x.md.md: it is a folder'];
    expect(await code(fixture, 'qa')).toBe('idle not_accepted: agents/qa/inbox/x.md is not accepted yet');
    fixture.problems = [...fixture.problems, 'cannot accept agents/qa/inbox/x.md: permission denied'];
    expect(await code(fixture, 'qa')).toBe(
      'idle not_accepted: cannot accept agents/qa/inbox/x.md: permission denied',
    );
  });

  it('a turn that the machine holds is held in every view, with one reason', async () => {
    const fixture = new ProjectFixture();
    fixture.drop('agents/architect/inbox/x.md', 'Plan it\n');
    const reason = heldBecause('no room (EAGAIN)');
    fixture.held = [{ work: 't1', problem: reason }];
    const cause = { record: 't1' };
    for (const word of ['architect', 't1', fixture.id('Plan it')]) {
      const { document } = (await fixture.json('why', word)) as Told<WhyDocument>;
      expect(document).toMatchObject({ code: 'host_problem', reason, cause, command: 'mailroom doctor' });
    }
    const { document } = (await fixture.json('status')) as Told<StatusDocument>;
    expect(document.turns).toMatchObject([{ id: 't1', state: 'held', held: reason }]);
    const role = document.roles.find(({ name }) => name === 'architect');
    expect(role).toMatchObject({ state: 'held', running: 0, why: { code: 'host_problem', reason } });
    expect((await fixture.run('status')).out).toContain(`t1 is held for 0s: ${reason}\n`);
    expect((await fixture.run('show', 't1')).out).toContain(`t1 is held for 0s: ${reason}\n`);
  });

  it('explains a trigger by its name: what it waits for, until when, or why it starts nothing', async () => {
    const fixture = new ProjectFixture();
    const plain = {
      workflow: 'workflows/ship.yaml',
      name: 'nightly',
      kind: 'cron',
      active: true,
      why: null,
      next: '2026-11-22T03:00:00.000Z',
      last: { run: '01a1ffda-f528-7000-8000-000000dde6c4', at: '2026-11-21T20:45:02.140Z' },
      waiting: false,
      cools_until: null,
    } as const;
    const asked = async (change: Partial<TriggerStatus>, word = 'nightly') => {
      const triggers = [
        { ...plain, ...change },
        { ...plain, name: 'hook', workflow: 'workflows/b/x.yaml' },
      ];
      fixture.workflowStatus = { runs: [], problems: [], triggers };
      const { document } = (await fixture.json('why', word)) as Told<WhyDocument>;
      const { until, cause } = document;
      return {
        said: `${document.state} ${document.code}: ${document.reason}`,
        until,
        cause: cause?.record ?? null,
      };
    };
    expect(await asked({})).toEqual({
      said: 'active no_event: the trigger waits for its time',
      until: plain.next,
      cause: null,
    });
    expect(await asked({ waiting: true })).toMatchObject({
      said: 'waiting other_run: its request waits until the run in progress has ended',
      cause: plain.last.run,
    });
    const cools = '2026-11-21T21:00:00.000Z';
    expect(await asked({ waiting: true, cools_until: cools }, 'ship/nightly')).toMatchObject({
      said: 'waiting cooldown: its request waits for the end of the cooldown',
      until: cools,
    });
    expect(await asked({ kind: 'webhook', next: null })).toMatchObject({
      said: 'active no_event: the trigger waits for what it looks for',
      until: null,
    });
    expect(await asked({ active: false, next: null, why: 'it has `enabled: false`' })).toMatchObject({
      said: 'not active not_active: the trigger starts nothing: it has `enabled: false`',
      until: null,
    });
    expect((await fixture.run('why', 'b/x/hook')).code).toBe(0);
  });

  it('asks which trigger is meant where two workflows have one of that name', async () => {
    const fixture = new ProjectFixture();
    const other = {
      kind: 'webhook',
      active: true,
      why: null,
      next: null,
      last: null,
      waiting: false,
    } as const;
    const triggers = ['ship', 'test'].map((name) => ({
      ...other,
      name: 'hook',
      workflow: `workflows/${name}.yaml`,
      cools_until: null,
    }));
    fixture.workflowStatus = { runs: [], problems: [], triggers };
    const { err, code: exit } = await fixture.run('why', 'hook');
    expect(err).toContain('2 workflows have a trigger `hook`');
    expect(err).toContain('name one of them: `ship/hook`, `test/hook`');
    expect(exit).toBe(2);
    expect((await fixture.run('why', 'test/hook')).code).toBe(0);
    expect((await fixture.run('why', 'test/other')).code).toBe(2);
  });
});
