import picocolors from 'picocolors';
import { beforeAll, describe, expect, it } from 'vitest';
import { ProjectFixture } from './project-fixture.ts';
import { letter } from './team.ts';

beforeAll(() => {
  process.env['TZ'] = 'UTC';
});

/** A whole thread, one event at each look. */
function feature(fixture: ProjectFixture): void {
  const rest = 'fields: { verdict: approved }\n';
  fixture.meanwhile.push(
    () => fixture.drop('agents/architect/inbox/a.md', 'Add a flag\n'),
    () => fixture.work('architect', { files: { 'd.md': letter('design', 'engineer', 'How') }, usd: 0.1 }),
    () => fixture.work('engineer', { files: { 'r.md': letter('review-request', 'qa', 'Look') }, usd: 0.2 }),
    () => fixture.work('qa', { files: { 'f.md': letter('review-feedback', 'engineer', 'Fine', rest) } }),
    () => fixture.work('engineer', { files: { 'x.md': letter('delivered', 'user', 'There') }, usd: 0.2 }),
  );
}

describe('up', () => {
  it('tells one line per event, and at last why nothing more happens', async () => {
    const fixture = new ProjectFixture();
    feature(fixture);
    const { code, out } = await fixture.run('up', '--until-idle');
    expect(out).toMatchInlineSnapshot(`
      "20:45:00 team: 5 roles
      20:45:00 the trail is off
      20:45:00 user → architect: task — Add a flag (…3779b1)
      20:45:00 architect starts t1 with 1 message
      20:45:01 architect ends t1 (1.1s, $0.10)
      20:45:01 architect → engineer: design — How (…6ef362)
      20:45:01 engineer starts t2 with 1 message
      20:45:02 engineer ends t2 (1.1s, $0.20)
      20:45:02 engineer → qa: review-request — Look (…dde6c4)
      20:45:02 qa starts t3 with 1 message
      20:45:03 qa ends t3 (1.1s)
      20:45:03 qa → engineer: review-feedback — Fine (…4cda26)
      20:45:03 engineer starts t4 with 1 message
      20:45:04 engineer ends t4 (1.1s, $0.20)
      20:45:04 engineer → user: delivered — There (…bbcd88)
      20:45:04 thread …3779b1 is closed — Add a flag (4 turns, counted as $0.50 (1 not reported))
      idle: done
      "
    `);
    expect(code).toBe(0);
    expect(fixture.options).toMatchObject({ untilIdle: true, record: null });
  });

  it('adds the project to the list of a person, unless a program waits for its end', async () => {
    for (const interactive of [true, false]) {
      const fixture = new ProjectFixture();
      fixture.terminal.interactive = interactive;
      await fixture.run('up', '--until-idle', '--plain');
      expect(fixture.known).toEqual(interactive ? [fixture.disk.root] : []);
    }
  });

  it('reports corrections, failed attempts, parked providers and what failed permanently', async () => {
    const fixture = new ProjectFixture();
    fixture.meanwhile.push(
      () => fixture.drop('agents/user/outbox/e.md', letter('errand', 'engineer', 'Do it')),
      () => fixture.work('engineer', { files: { 'w.md': letter('design', 'qa', 'Wrong') } }),
      () => fixture.work('engineer', { fails: 'the network is down:\n  no route to host' }),
      () => {
        fixture.now += 3_600_000;
        fixture.look();
      },
      () => fixture.work('engineer', { fails: 'too many requests', until: fixture.now + 7_200_000 }),
      () => {
        fixture.now += 7_300_000;
        fixture.look();
      },
      () => fixture.work('engineer', { fails: 'the network is down again:\n  no route to host\n- none' }),
    );
    const { code, out } = await fixture.run('up', '--until-idle');
    expect(out).toMatchInlineSnapshot(`
      "20:45:00 team: 5 roles
      20:45:00 the trail is off
      20:45:00 user → engineer: errand — Do it (…3779b1)
      20:45:00 engineer starts t1 with 1 message
      20:45:01 engineer t1 sent back for correction: w.md: engineer must not send \`design\`; engineer may send \`question\` to user or lead or architect; \`review-request\` to qa; \`delivered\` to user
      20:45:02 engineer t1 stopped: the network is down, again in 0.5s
      21:45:02 engineer t1 starts attempt 2
      21:45:03 engineer t1 stopped: too many requests, again in 1h 59m
      21:45:03 codex is rate limited for 1h 59m
      23:46:43 engineer t1 starts attempt 3
      23:46:44 Turn t1 of engineer failed: E_TURN: the network is down again
      23:46:44 Quiet: Do it: No work is left in this thread, and no message closed it.
      idle: failed (1 thread); see \`mailroom inbox\`
      "
    `);
    const notices = [...fixture.state.unread.values()].map(({ message }) => message.body);
    expect(notices.join()).toMatch(
      /The turn ended after 3 attempts\. Its messages are in agents\/engineer\/failed\/:\n- `mailroom retry \w{6}`: Do it\n/,
    );
    expect(code).toBe(1);
  });

  it('tells what people hold back and cancel, and what is refused', async () => {
    const fixture = new ProjectFixture();
    const ask = (verb: string, target: object) => () => {
      const id = fixture.newId();
      fixture.project().request({ id, at: fixture.now, by: 'ada', verb, target, now: false });
      fixture.look();
    };
    fixture.meanwhile.push(
      ask('pause', { kind: 'role', role: 'qa' }),
      ask('unpause', { kind: 'role', role: 'qa' }),
      () => fixture.drop('agents/user/inbox/x.md', 'What is this?\n'),
      () => fixture.drop('agents/user/outbox/e.md', letter('errand', 'engineer', 'Do it')),
      ask('cancel', { kind: 'turn', turn: 't1' }),
      ask('pause', { kind: 'role', role: 'engineer' }),
      () => fixture.drop('agents/user/outbox/f.md', letter('errand', 'engineer', 'And this')),
      () => {
        fixture.disk.remove('agents/engineer/inbox');
        fixture.look();
      },
    );
    expect((await fixture.run('up', '--until-idle')).out).toMatchInlineSnapshot(`
      "20:45:00 team: 5 roles
      20:45:00 the trail is off
      20:45:00 qa is paused by ada
      20:45:00 qa continues
      20:45:00 Refused: agents/user/inbox/x.md: the inbox of user is for what user receives; write to its outbox
      20:45:00 user → engineer: errand — Do it (…156075)
      20:45:00 engineer starts t1 with 1 message
      20:45:00 engineer t1 failed: cancelled by ada
      20:45:00 Quiet: Do it: No work is left in this thread, and no message closed it.
      20:45:00 engineer is paused by ada
      20:45:00 user → engineer: errand — And this (…f34739)
      20:45:00 The inbox of engineer is gone: E_MAIL_VANISHED: agents/engineer/inbox held waiting mail and is not there any more.
      20:45:00 the mail of engineer waits: its inbox is gone
      idle: stuck; see \`mailroom status\`
        engineer is paused by ada
          mailroom unpause engineer
        thread 156075: no work is left in the thread; engineer did not handle errand …156075: E_CANCELLED: cancelled by ada
          mailroom retry 156075
      "
    `);
  });

  it('ends with a document, and its events go to standard error', async () => {
    const fixture = new ProjectFixture();
    feature(fixture);
    const { code, out, err } = await fixture.run('up', '--until-idle', '--json');
    expect(JSON.parse(out)).toMatchObject({
      schema: 1,
      project: '/project',
      idle: 'done',
      failures: 0,
      threads: [{ subject: 'Add a flag', state: 'closed', turns: 4 }],
    });
    expect(err).toContain('architect starts t1');
    expect(code).toBe(0);
  });

  it('ends with exit code 1 and names what the disk refuses', async () => {
    const fixture = new ProjectFixture();
    fixture.meanwhile.push(() => {
      fixture.disk.remove('agents/engineer/inbox');
      fixture.disk.plant('agents/engineer/inbox', 'no folder');
      fixture.look();
    });
    const { code, out } = await fixture.run('up', '--until-idle', '--json');
    const problems = ['cannot list agents/engineer/inbox: not a directory'];
    expect(JSON.parse(out)).toMatchObject({ failures: 0, problems });
    expect(code).toBe(1);
  });

  it('says who is waited for', async () => {
    const fixture = new ProjectFixture();
    fixture.meanwhile.push(
      () => fixture.drop('agents/user/outbox/e.md', letter('errand', 'engineer', 'Do it')),
      () => fixture.work('engineer', { files: { 'q.md': letter('question', 'user', 'Which?') } }),
    );
    expect((await fixture.run('up', '--until-idle')).out).toMatch(
      /\nidle: waiting for user; see `mailroom inbox`\n$/,
    );
  });

  it('says that somebody is waited for once the protocol cannot be read any more', async () => {
    const fixture = new ProjectFixture();
    fixture.meanwhile.push(
      () => fixture.drop('agents/user/outbox/e.md', letter('errand', 'engineer', 'Do it')),
      () => {
        fixture.work('engineer', { files: { 'q.md': letter('question', 'user', 'Which?') } });
        fixture.text = 'name: [';
      },
    );
    expect((await fixture.run('up', '--until-idle')).out).toMatch(/\nidle: waiting for a person; see /);
  });

  it('stops in good order on the first signal: 0, or 130 where it should have gone on', async () => {
    for (const [argv, code] of [
      [['up'], 0],
      [['up', '--until-idle'], 130],
    ] as const) {
      const fixture = new ProjectFixture();
      fixture.meanwhile.push(() => fixture.terminal.signal());
      const ran = await fixture.run(...argv);
      expect(ran.code).toBe(code);
      expect(ran.out).toMatch(/Stopping. Press Ctrl-C again to quit immediately.\nstopped\n$/);
      expect(fixture.ended).toEqual(['stop']);
    }
  });

  it('lets turns finish with --drain, and ends at once on the second signal', async () => {
    const fixture = new ProjectFixture();
    fixture.meanwhile.push(
      () => fixture.terminal.signal(),
      () => fixture.terminal.signal(),
    );
    const { err } = await fixture.run('up', '--drain');
    expect(fixture.ended).toEqual(['drain']);
    expect(fixture.terminal.exits).toEqual([130]);
    expect(err).toContain('ended at once');
  });

  it('starts nothing with a protocol that is wrong', async () => {
    const fixture = new ProjectFixture();
    fixture.text = fixture.text.replace('from: [qa]', 'from: [nobody]');
    const { code, err } = await fixture.run('up');
    expect(code).toBe(2);
    expect(err).toMatch(/^protocols\/team\.yaml:23:12: error E_UNKNOWN_NAME/);
    expect(fixture.options).toBeNull();
  });

  it('records into a folder beside the caller', async () => {
    const fixture = new ProjectFixture();
    await fixture.run('up', '--record', 'tapes');
    expect(fixture.options).toMatchObject({ record: '/project/tapes', untilIdle: false });
    // As a service does, it is in the list of its user.
    expect(fixture.known).toEqual([fixture.disk.root]);
  });
});

describe('up on a terminal', () => {
  it('redraws a block below the lines, cut to the width, and takes it away at the end', async () => {
    const fixture = new ProjectFixture();
    fixture.terminal.interactive = true;
    fixture.terminal.width = 60;
    feature(fixture);
    fixture.meanwhile.splice(3);
    const { out } = await fixture.run('up');
    const screen = draw(out);
    expect(screen.frames.at(-1)).toMatchInlineSnapshot(`
      [
        "── 1 running · 1 waiting · 1 open thread · $0.30 today ──",
        "engineer   waiting  waits for qa for 0s (review-request …d…",
        "qa         running  t3 runs for 0s; owes engineer an answe…",
        "? keys",
      ]
    `);
    expect(screen.last.at(-1)).toBe('stopped');
    expect(Math.max(...screen.frames.flat().map((line) => line.length))).toBeLessThan(60);
    expect(screen.last.join('\n')).not.toContain('── ');
  });

  it('shows why turns are held to the end of the reason, once', async () => {
    const fixture = new ProjectFixture();
    fixture.terminal.interactive = true;
    fixture.terminal.width = 60;
    feature(fixture);
    fixture.meanwhile.splice(3);
    const problem =
      'this machine cannot start a process: no room (EAGAIN); it is tried again every second until there is';
    fixture.meanwhile.push(() => fixture.drop('agents/architect/inbox/b.md', 'More\n'));
    fixture.held = ['t1', 't2', 't3', 't4'].map((work) => ({ work, problem }));
    const { frames } = draw((await fixture.run('up')).out);
    const block = frames
      .at(-1)
      ?.join('\n')
      .replaceAll(/\n {2,}/g, ' ');
    expect(block).toContain(problem);
    expect(block).toMatch(/architect +held +t4 is held[^]*qa +held +t3 is held/);
    expect(block?.split('no room')).toHaveLength(2);
    expect(Math.max(...frames.flat().map((line) => line.length))).toBeLessThan(60);
  });

  it('is plain with --plain', async () => {
    const fixture = new ProjectFixture();
    fixture.terminal.interactive = true;
    feature(fixture);
    expect((await fixture.run('up', '--plain')).out).not.toContain('\u001b');
  });
});

const escape = '\u001b[';

/** What a terminal would show: the lines that were left at the end, and each version of the block at the bottom. */
function draw(out: string): { last: string[]; frames: string[][] } {
  const lines: string[] = [];
  const frames: string[][] = [];
  const parts = out.replaceAll(`\r${escape}0J`, '').split(escape);
  for (const [index, part] of parts.entries()) {
    const up = index === 0 ? null : /^(\d+)A/.exec(part);
    if (up) frames.push(lines.splice(lines.length - Number(up[1])));
    lines.push(
      ...part
        .slice(up?.[0].length ?? 0)
        .split('\n')
        .slice(0, -1),
    );
  }
  return { last: lines, frames };
}

describe('up without a terminal', () => {
  const said = async (environment: Record<string, string>, ...options: string[]) => {
    const fixture = new ProjectFixture();
    fixture.environment = environment;
    fixture.meanwhile.push(
      () => fixture.drop('agents/architect/inbox/a.md', 'Add a flag\n'),
      () => void (fixture.now += 40_000),
      () => fixture.work('architect', { files: { 'd.md': letter('design', 'engineer', 'How') } }),
    );
    const { out } = await fixture.run('up', '--until-idle', ...options);
    return out.split('\n').filter((line) => line.includes('still running'));
  };

  it('says where $CI is set what has been running for long', async () => {
    expect(await said({ CI: 'true' })).toEqual([
      expect.stringMatching(/^20:45:40 still running: architect t1 .*40s/) as unknown,
    ]);
    expect(await said({})).toEqual([]);
    expect(await said({ CI: 'true' }, '--heartbeat', 'off')).toEqual([]);
    expect(await said({}, '--heartbeat', '1m')).toHaveLength(1);
  });
});

describe('up, of requests that no one answers in time', () => {
  const asks = (policy: string) =>
    new ProjectFixture(
      `name: pair
version: '1'
roles: { engineer: { provider: codex }, lead: { provider: human } }
messages:
  errand: { from: [user], to: [engineer] }
  question: { from: [engineer], to: [lead], reply: [answer], blocking: true, timeout: 30m, on_timeout: ${policy} }
  answer: { from: [lead, user], to: [engineer] }
`,
    );
  const overdue = async (fixture: ProjectFixture) => {
    fixture.meanwhile.push(
      () => fixture.drop('agents/user/outbox/e.md', letter('errand', 'engineer', 'Do it')),
      () => fixture.work('engineer', { files: { 'q.md': letter('question', 'lead', 'Which parser?') } }),
      () => {
        fixture.now += 1_900_000;
        fixture.look();
      },
    );
    const { out } = await fixture.run('up', '--until-idle');
    return out.split('\n').filter((line) => /answer/.test(line));
  };

  it('says who is asked as well', async () => {
    const fixture = asks('escalate');
    const lines = await overdue(fixture);
    const id = fixture.id('Which parser?').slice(-6);
    expect(lines).toEqual([
      `21:16:41 lead has not answered question from engineer — Which parser? (…${id}): user is asked as well`,
    ]);
  });

  it('says who continues without an answer', async () => {
    expect(await overdue(asks('proceed'))).toEqual([
      '21:16:41 No answer from lead: Which parser?: engineer continues without it',
    ]);
  });

  it('says that the thread fails', async () => {
    const fixture = asks('fail');
    const lines = await overdue(fixture);
    const id = fixture.id('Which parser?').slice(-6);
    expect(lines).toEqual([
      `21:16:41 Thread failed: Do it: E_TIMEOUT: lead has not answered in time: Which parser? (…${id})`,
    ]);
  });

  it.each(['escalate', 'proceed', 'fail'])('prints the line in bold with on_timeout: %s', async (policy) => {
    const [plain = ''] = await overdue(asks(policy));
    const { bold, dim, yellow } = picocolors.createColors(true);
    const fixture = asks(policy);
    fixture.terminal.colours = picocolors.createColors(true);
    expect(await overdue(fixture)).toEqual([`${dim('21:16:41')} ${bold(yellow(plain.slice(9)))}`]);
  });
});
