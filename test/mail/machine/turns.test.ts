import { describe, expect, it } from 'vitest';
import type { Staged } from '../../../src/mail/machine/event.ts';
import { team } from './protocols.ts';
import { written } from './texts.ts';
import { World } from './world.ts';

/** The final text of a turn, as a file that was not written. */
function spoken(text: string, line: string | null): { text: string; finalText: Staged } {
  const plain = { ...written('→ : answer').draft, type: null, subject: null, frontMatter: false, body: text };
  const draft = line === null ? plain : { ...written(line).draft, subject: null, body: text };
  return { text, finalText: { id: 'spoken', created: 0, name: 'final text', draft, problem: null, text } };
}

function torn(problem: string): Staged {
  return { id: 'torn', created: 0, name: 'torn.md', draft: null, problem, text: '---\ntype: [' };
}

/** The engineer is at a design. */
function designed(text = team): World {
  const world = new World(text);
  world.drop('user → architect: task');
  world.turn('architect', ['→ engineer: design']);
  world.acts();
  return world;
}

describe('what breaks the protocol', () => {
  it('goes back to its author with every reason, and nothing of it is sent', () => {
    const world = designed();
    world.turn('engineer', [
      '→ qa: design',
      '→ : delivery',
      '→ architect: report',
      torn('`to` must be a name'),
    ]);
    expect(world.acts()).toEqual([
      'engineer is corrected: design2.md: engineer must not send `design`; engineer may send `question` to architect or user; `review-request` to qa; `delivered` to user; `report` to user; ' +
        'delivery.md: there is no type `delivery`; did you mean `delivered`? (engineer may send `question` to architect or user; `review-request` to qa; `delivered` to user; `report` to user); ' +
        'report.md: `report` must not go from engineer to `architect` (it may go to `user`); ' +
        'torn.md: `to` must be a name',
    ]);
    expect(world.running('engineer')).toMatchObject({ attempt: 1, round: 1 });
    expect(world.running('engineer').lastResult?.staged).toHaveLength(4);
  });

  it('is corrected as often as the limit says; then the turn fails, is not tried again, and `user` is notified', () => {
    const world = designed(`${team}limits: { corrections: 1 }\n`);
    world.turn('engineer', ['→ architect: report']);
    world.turn('engineer', ['→ qa: design', torn('torn')]);
    expect(world.acts().at(-2)).toBe('engineer fails: E_FORBIDDEN');
    expect(world.at('design', 'engineer')).toBe('failed');
    expect(world.notices()).toContain('Turn t2 of engineer failed');
    expect(
      [...world.state.pendingProjections.values()].filter(({ kind }) => kind === 'refused'),
    ).toMatchObject([
      { id: 'design2', role: 'engineer', reason: { code: 'E_FORBIDDEN' } },
      { id: 'torn', text: '---\ntype: [' },
    ]);
    world.tick('1d');
    expect(world.processes()).toEqual([]);
  });

  it('counts corrections anew in each attempt', () => {
    const world = designed(`${team}limits: { corrections: 1 }\n`);
    world.turn('engineer', ['→ architect: report']);
    world.fail('engineer');
    world.tick('1m');
    expect(world.running('engineer')).toMatchObject({ attempt: 2, round: 0, problems: [] });
    world.turn('engineer', ['→ architect: report']);
    expect(world.running('engineer')).toMatchObject({ attempt: 2, round: 1 });
  });

  it('is also what a turn did outside its staging folder', () => {
    const world = designed();
    world.turn('engineer', ['→ user: report'], { violations: ['`x.md` was written to agents/qa/inbox'] });
    expect(world.acts()).toEqual(['engineer is corrected: `x.md` was written to agents/qa/inbox']);
  });

  it('keeps the time of the turn: a correction has what is left of it', () => {
    const world = designed();
    const { phase } = world.running('engineer');
    world.now += 60_000;
    world.turn('engineer', [torn('torn')]);
    expect(world.running('engineer').phase).toMatchObject({ since: phase.is === 'active' ? phase.since : 0 });
  });
});

describe('the final text', () => {
  it('is the answer where one is owed, to who asked', () => {
    const world = designed();
    world.turn('engineer', ['→ qa: review-request']);
    world.turn('qa', [], spoken('It is fine', '→ : review-feedback'));
    expect(world.acts().slice(-2)).toEqual(['qa → engineer: review-feedback', 'engineer takes spoken']);
    expect(world.state.mail.get('spoken')?.message).toMatchObject({
      inReplyTo: 'review-request',
      subject: 'It is fine',
      body: 'It is fine',
    });
  });

  it('is the answer although something else was staged', () => {
    const world = designed();
    world.turn('engineer', ['→ qa: review-request']);
    world.turn('qa', ['→ user: report'], spoken('It is fine', '→ : review-feedback'));
    expect(world.acts().slice(-3, -1)).toEqual(['qa → user: report', 'qa → engineer: review-feedback']);
  });

  it('says with front matter what it is: a request of its own, too', () => {
    const world = designed();
    world.turn('engineer', ['→ qa: review-request']);
    world.turn('qa', [], spoken('How?', '→ user: question'));
    expect(world.acts().at(-1)).toBe('qa → user: question');
  });

  it('is nothing where the answer was staged', () => {
    const world = designed();
    world.turn('engineer', ['→ qa: review-request']);
    world.turn('qa', ['→ engineer: review-feedback'], spoken('Done.', null));
    expect(world.acts().slice(-2)).toEqual([
      'qa → engineer: review-feedback',
      'engineer takes review-feedback',
    ]);
  });

  it.each(['', '  \n', 'nothing to send', '**Nothing to send.**', '`nothing to send`\n'])(
    'that says %j sends nothing, and owes no answer by that',
    (text) => {
      const world = designed();
      world.turn('engineer', [], text.trim() === '' ? { text } : spoken(text, null));
      expect(world.acts()[0]).toBe('engineer is done');
      const owing = designed();
      owing.turn('engineer', ['→ qa: review-request']);
      owing.turn('qa', [], text.trim() === '' ? { text } : spoken(text, null));
      expect(owing.acts().at(-1)).toContain(
        'qa is corrected: an answer is owed: `review-feedback` to engineer',
      );
    },
  );

  it('with front matter is a message where nothing is owed and nothing was staged', () => {
    const world = designed();
    world.turn('engineer', [], spoken('Done', '→ user: delivered'));
    expect(world.acts()[0]).toBe('engineer → user: delivered');
  });

  it.each([
    'Postgres or MySQL?',
    "You've hit your session limit",
    'Now I will create the file.',
    'It is done.',
  ])('that does not say its type is a correction, whatever the role could have meant: %s', (text) => {
    const protocol = `
roles: { one: {} }
messages:
  task: { from: [user], to: [one], reply: [done] }
  go: { from: [user], to: [one] }
  done: { from: [one], to: [user], closes: true }
`;
    const world = new World(protocol);
    const correction =
      'your final text has no `type`, so it is not sent: one may send `done` to user; `question` to the sender of your mail or user. ' +
      'Let its first line be `type: …`, to ask `type: question`, or say only `nothing to send`';
    world.drop('user → one: go');
    world.turn('one', [], spoken(text, null));
    expect(world.acts().slice(-1)).toEqual([`one is corrected: ${correction}`]);
    const owing = new World(protocol);
    owing.drop('user → one: task');
    owing.turn('one', [], spoken(text, null));
    expect(owing.acts().at(-1)).toBe(
      `one is corrected: an answer is owed: \`done\` to user, in reply to task (task); ${correction}`,
    );
    owing.turn('one', [], spoken(text, '→ : done'));
    expect(owing.acts()).toContain('one → user: done');
  });

  it('whose front matter cannot be read is a correction', () => {
    const world = designed();
    const finalText = { ...torn('`to` must be a name'), name: 'final text' };
    world.turn('engineer', [], { text: '---\n', finalText });
    expect(world.acts()).toEqual(['engineer is corrected: final text: `to` must be a name']);
    world.turn('engineer', ['→ qa: review-request']);
    world.turn('qa', [], { text: '---\n', finalText });
    expect(world.acts().at(-1)).toBe('qa is corrected: final text: `to` must be a name');
  });
});

describe('gates', () => {
  const gated = team.replace(
    'review-request: { from: [engineer], to: [qa], reply: [review-feedback] }',
    'review-request: { from: [engineer], to: [qa], reply: [review-feedback], gates: [{ run: [npm, test] }, { changed: ["src/**"] }] }',
  );

  it('run before the turn commits, in its slot', () => {
    const world = designed(gated);
    world.turn('engineer', ['→ qa: review-request', '→ user: report']);
    expect(world.processes()).toEqual(['engineer in task (checks)']);
    expect(world.decision.processes).toMatchObject([
      { key: 't2/1/0/checks', checks: [{ message: 'review-request' }, { check: { kind: 'changed' } }] },
    ]);
    expect(world.acts()).toEqual([]);
    world.checks('engineer');
    expect(world.acts()[0]).toBe('engineer → qa: review-request');
  });

  it('that fail are a correction', () => {
    const world = designed(gated);
    world.turn('engineer', ['→ qa: review-request']);
    world.checks('engineer', ['`npm test` ended with 1']);
    expect(world.acts()).toEqual(['engineer is corrected: `npm test` ended with 1']);
    world.turn('engineer', ['→ qa: review-request']);
    expect(world.processes()).toEqual(['engineer in task (checks)']);
  });

  it('are not run for what is not sent, nor for a person', () => {
    const world = designed(gated);
    world.turn('engineer', ['→ user: report']);
    expect(world.processes()).toEqual([]);
    world.drop('engineer → qa: review-request in task');
    expect(world.processes()).toEqual(['qa in task']);
  });

  it('of an invocation that is over count no more', () => {
    const world = designed(gated);
    world.turn('engineer', ['→ qa: review-request']);
    const at = { turn: 't2', attempt: 1, round: 1 };
    world.record({ type: 'checked', ...at, problems: ['late'], conflicts: false, left: null, met: [] });
    expect(world.processes()).toEqual(['engineer in task (checks)']);
  });
});

describe('a turn that fails', () => {
  it('is tried again after a while, as often as its role says', () => {
    const world = designed();
    for (let attempt = 1; attempt <= 2; attempt += 1) {
      world.fail('engineer');
      const wake = world.decision.wake ?? 0;
      expect(wake - world.now).toBeGreaterThan(0);
      expect(wake - world.now).toBeLessThanOrEqual(1000 * 2 ** (attempt - 1));
      world.now = wake;
      world.settle();
      expect(world.running('engineer')).toMatchObject({
        attempt: attempt + 1,
        lastFailure: { text: 'it broke' },
      });
    }
    world.fail('engineer');
    expect(world.acts().slice(-2)).toEqual(['engineer fails: E_TURN', 'task is quiet']);
    expect(world.at('design', 'engineer')).toBe('failed');
    expect(world.state.mail.get('design')?.deliveries.get('engineer')).toMatchObject({
      reason: { code: 'E_TURN', text: 'it broke' },
    });
    expect(world.notices()).toContain('Turn t2 of engineer failed');
  });

  it('waits no longer than half a minute, however often it failed', () => {
    const world = designed(team.replace('engineer: {}', 'engineer: { retries: 20 }'));
    for (let attempt = 1; attempt <= 20; attempt += 1) {
      world.fail('engineer');
      expect((world.decision.wake ?? 0) - world.now).toBeLessThanOrEqual(30_000);
      world.tick('31s');
    }
    expect(world.running('engineer').attempt).toBe(21);
  });

  it.each(['NON_RETRYABLE', 'FATAL'] as const)('as %s is not tried again', (errorClass) => {
    const world = designed();
    world.fail('engineer', { class: errorClass });
    expect(world.acts()[0]).toBe('engineer fails: E_TURN');
  });

  it('by a rate limit parks its provider until the reset, and costs no retry', () => {
    const world = designed(
      team.replace('engineer: {}', 'engineer: { retries: 0 }').replace('qa: {}', 'qa: { provider: other }'),
    );
    const reset = world.now + 7_200_000;
    world.fail('engineer', { class: 'RETRYABLE_RATE_LIMIT', until: reset });
    expect(world.acts()).toEqual(['agent is parked', 'engineer is put back']);
    expect(world.decision.wake).toBe(reset);
    world.drop('user → architect: task');
    expect(world.processes()).toEqual([]);
    world.drop('engineer → qa: review-request in task');
    expect(world.processes()).toEqual(['qa in task']);
    world.tick('2h');
    expect(world.running('engineer')).toMatchObject({ attempt: 2, failures: 0 });
  });

  it('by a rate limit that does not say until when is tried again after a minute', () => {
    const world = designed();
    world.fail('engineer', { class: 'RETRYABLE_RATE_LIMIT' });
    expect(world.decision.wake).toBe(world.now + 60_000);
    world.tick('1m');
    expect(world.running('engineer').attempt).toBe(2);
  });

  it('by rate limits one after the other rests twice as long each time, up to an hour, and fails in the end', () => {
    const rests = (until: (now: number) => number | null): number[] => {
      const world = designed(team.replace('engineer: {}', 'engineer: { retries: 0 }'));
      const found: number[] = [];
      for (; world.state.turns.size > 0; world.tick('2h')) {
        const named = until(world.now);
        world.fail('engineer', { class: 'RETRYABLE_RATE_LIMIT', ...(named !== null && { until: named }) });
        if (world.state.turns.size > 0) found.push(((world.decision.wake ?? 0) - world.now) / 1_000);
      }
      expect(world.acts()).toContain('engineer fails: E_TURN');
      const told = [...world.state.unread.values()].map(({ message }) => message.body).join('\n');
      expect(told).toContain('it broke (32 launches ended at the usage limit)');
      return found;
    };
    const minutes = [60, 120, 240, 480, 960, 1_920, ...Array.from({ length: 25 }, () => 3_600)];
    expect(rests(() => null)).toEqual(minutes);
    // What it names is over already: it has named nothing.
    expect(rests((now) => now)).toEqual(minutes);
    expect(rests((now) => now + 10_000).slice(0, 6)).toEqual([10, 10, 10, 10, 16, 32]);
  });

  it('by a rate limit costs nothing where no one knows what it cost', () => {
    const world = designed(team.replace('engineer: {}', 'engineer: { budget: { usd: 2 } }'));
    const limit = { class: 'RETRYABLE_RATE_LIMIT' } as const;
    world.fail('engineer', { ...limit, usage: { usd: null, tokens: null } });
    expect(world.state.threads.get('task')?.cost).toEqual({ usd: 0, tokens: 0, unpriced: 0 });
    world.tick('1m');
    world.fail('engineer', { ...limit, usage: { usd: 0.5, tokens: null } });
    expect(world.state.threads.get('task')?.cost).toMatchObject({ usd: 0.5, unpriced: 0 });
  });

  it('because the controller crashed counts as a failed attempt, and its reservation as spent', () => {
    const world = designed(team.replace('engineer: {}', 'engineer: { retries: 1, budget: { usd: 2 } }'));
    world.fail('engineer', { usage: { usd: null, tokens: null } });
    expect(world.state.threads.get('task')?.cost).toEqual({ usd: 2, tokens: 0, unpriced: 1 });
    world.tick('1m');
    world.fail('engineer', { usage: { usd: null, tokens: null } });
    expect(world.acts().at(-2)).toBe('engineer fails: E_TURN');
  });

  it('because the host stopped it on purpose is put back, uncounted, and nothing is spent', () => {
    const world = designed(team.replace('engineer: {}', 'engineer: { retries: 0, budget: { usd: 2 } }'));
    for (let attempt = 1; attempt <= 5; attempt += 1) {
      world.record({ type: 'stopped', turn: 't2', attempt, round: 0 });
      world.settle();
    }
    expect(world.running('engineer')).toMatchObject({ attempt: 6, failures: 0 });
    expect(world.state.threads.get('task')?.cost.usd).toBe(0);
  });

  it('of a role that is gone from the protocol ends in failed/', () => {
    const world = designed();
    world.fail('engineer');
    world.edit('roles: { other: {} }\nmessages: { task: { from: [user], to: [other] } }');
    expect(world.acts().slice(-2)).toEqual(['engineer fails: E_UNKNOWN_NAME', 'task is quiet']);
  });
});

describe('an invocation', () => {
  it('is known by its turn, attempt and round: what comes of another changes nothing', () => {
    const world = designed();
    expect(world.decision.processes.map(({ key }) => key)).toEqual(['t2/1/0']);
    world.turn('engineer', [torn('torn')]);
    expect(world.decision.processes.map(({ key }) => key)).toEqual(['t2/1/1']);
    const before = JSON.stringify(world.decision.processes);
    const result = world.running('engineer').lastResult!;
    for (const [attempt, round] of [
      [1, 0],
      [2, 1],
    ] as const) {
      world.record({ type: 'returned', turn: 't2', attempt, round, result });
      world.record({ type: 'stopped', turn: 't2', attempt, round });
    }
    world.settle();
    expect(JSON.stringify(world.decision.processes)).toBe(before);
  });

  it('remembers its process, and the first one the tree of the workspace', () => {
    const world = designed();
    const process = { pid: 7, startTime: '1', mark: 'm' };
    world.record({
      type: 'launched',
      turn: 't2',
      attempt: 1,
      round: 0,
      process,
      tree: 'first',
      entered: null,
    });
    world.fail('engineer');
    world.tick('1m');
    world.record({
      type: 'launched',
      turn: 't2',
      attempt: 2,
      round: 0,
      process,
      tree: 'second',
      entered: null,
    });
    expect(world.running('engineer').phase).toMatchObject({ launched: process });
    expect(world.state.threads.get('task')?.tree).toBe('first');
  });
});
