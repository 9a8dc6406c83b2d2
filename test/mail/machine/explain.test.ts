import { describe, expect, it } from 'vitest';
import { MailExplainer } from '../../../src/mail/machine/explain/explain.ts';
import type { MailWhy } from '../../../src/mail/machine/explain/words.ts';
import { joined, team } from './protocols.ts';
import { World } from './world.ts';

const pair = `
roles:
  backend: { provider: claude, capabilities: [READ, EDIT], retries: 1 }
  frontend: { provider: codex, capabilities: [READ, EDIT] }
messages:
  task: { from: [user], to: [backend, frontend] }
  delivered: { from: [backend, frontend], to: [user], closes: true }
`;

function explainer({ state, protocol, now }: World): MailExplainer {
  return new MailExplainer(state, protocol, now);
}

/** What is said of a role, or of one copy, and what a person can do. */
function said(why: MailWhy): string {
  const { code, reason, act } = why;
  return `${code}: ${reason}${act === null ? '' : ` (${act.do})`}`;
}

const role = (world: World, name: string) => explainer(world).role(name);
const thread = (world: World, id: string) => explainer(world).thread(world.state.threads.get(id)!);
const message = (world: World, id: string) => explainer(world).message(world.state.mail.get(id)!);

describe('why a role does not move', () => {
  it('says that it has no mail, or works', () => {
    const world = new World(pair);
    expect(said(role(world, 'backend'))).toBe('no_mail: backend has no mail');
    world.drop('user → backend: task');
    const why = role(world, 'backend');
    expect(said(why)).toBe('running: backend works in turn t1');
    expect(why.cause).toEqual({ record: 't1', at: world.now });
  });

  it('names who is paused: everything, a role, a thread', () => {
    const world = new World(pair);
    world.command({ verb: 'pause', target: { kind: 'role', role: 'backend' }, now: false });
    const pausedAt = world.state.now;
    // Without mail, too.
    expect(said(role(world, 'backend'))).toBe('paused: backend is paused by ada (unpause)');
    expect(said(role(world, 'frontend'))).toBe('no_mail: frontend has no mail');
    world.drop('user → backend: task');
    expect(role(world, 'backend')).toEqual({
      code: 'paused',
      reason: 'backend is paused by ada',
      cause: { record: 'ada', at: pausedAt },
      until: null,
      act: { do: 'unpause', target: { kind: 'role', role: 'backend' } },
    });
    world.command({ verb: 'pause', target: { kind: 'all' }, now: false });
    expect(said(role(world, 'backend'))).toBe('paused: everything is paused by ada (unpause)');
    expect(said(role(world, 'frontend'))).toBe('paused: everything is paused by ada (unpause)');
    expect(said(role(world, 'user'))).toBe('no_mail: user has no mail');
    world.command({ verb: 'unpause', target: { kind: 'all' }, now: false });
    world.turn('backend', ['→ user: delivered']);
    world.command({ verb: 'pause', target: { kind: 'thread', thread: 'task' }, now: false });
    world.drop('user → frontend: task in task');
    expect(said(role(world, 'frontend'))).toBe('paused: thread …task is paused by ada (unpause)');
    world.command({ verb: 'unpause', target: { kind: 'thread', thread: 'task' }, now: false });
    expect(said(role(world, 'frontend'))).toBe('running: frontend works in turn t2');
  });

  it('names the turn that holds the workspace', () => {
    const world = new World(pair);
    world.drop('user → backend: task');
    world.tick('1m');
    world.drop('user → frontend: task');
    const why = role(world, 'frontend');
    expect(said(why)).toBe('workspace: the workspace is held by turn t1 of backend');
    expect(why.cause).toEqual({ record: 't1', at: world.now - 60_000 });
    world.turn('backend', ['→ user: delivered']);
    expect(said(role(world, 'frontend'))).toBe('running: frontend works in turn t2');
  });

  it('names the slots that are in use', () => {
    const world = new World(team);
    world.drop('user → architect: task');
    world.drop('user → architect: task');
    expect(said(message(world, 'task2'))).toBe('concurrency: the only slot of architect is in use');
    const narrow = new World(`${team}\nlimits: {}\n`.replace('limits: {}\n', ''));
    narrow.protocol = { ...narrow.protocol, concurrency: 1 };
    narrow.drop('user → architect: task');
    narrow.turn('architect', ['→ engineer: design']);
    narrow.drop('user → architect: task');
    const why = role(narrow, 'architect');
    expect(said(why)).toBe('slots_taken: the only slot of the project is in use by engineer');
    expect(why.cause).toEqual({ record: 't2', at: narrow.now });
  });

  it('names the runs that use the slots of the project, and one of their steps', () => {
    const world = new World(pair.replaceAll('READ, EDIT', 'READ'));
    world.protocol = { ...world.protocol, concurrency: 3 };
    world.drop('user → backend: task');
    const first = { record: 'r1/build', at: world.now };
    world.command({ verb: 'pause', target: { kind: 'all' }, now: false });
    world.drop('user → frontend: task');
    world.state.paused.all = null;
    const beside = (agents: number) =>
      new MailExplainer(world.state, world.protocol, world.now, { agents, first }).role('frontend');
    expect(said(beside(1))).toBe('due: nothing holds frontend back');
    expect(said(beside(2))).toBe(
      'slots_taken: all 3 slots of the project are in use by backend and runs of workflows',
    );
    expect(beside(2).cause).toEqual({ record: 't1', at: world.now });
    world.turn('backend', ['→ user: delivered']);
  });

  it('says that its own turns use the slots of the project', () => {
    const world = new World(pair.replaceAll('READ, EDIT]', 'READ], concurrency: 2'));
    world.protocol = { ...world.protocol, concurrency: 1 };
    world.drop('user → backend: task');
    world.drop('user → backend: task');
    expect(said(message(world, 'task2'))).toBe('concurrency: the only slot of the project is in use');
  });

  it('says that its program lacks a login, also of the thread, and what repeats the message', () => {
    const world = new World(pair);
    world.drop('user → backend: task');
    const at = world.now;
    world.fail('backend', { class: 'NON_RETRYABLE', reason: { code: 'E_LOGIN', text: 'run `claude`' } });
    const text = 'backend did not handle task …task: E_LOGIN: run `claude`';
    expect(role(world, 'backend')).toEqual({
      code: 'login_missing',
      reason: text,
      cause: { record: 't1', at },
      until: null,
      act: { do: 'retry', message: 'task', role: 'backend' },
    });
    expect(said(thread(world, 'task'))).toBe(`login_missing: no work is left in the thread; ${text} (retry)`);
    // Tried again in vain, it has failed since then, and in that turn.
    world.tick('5m');
    world.command({ verb: 'retry', message: world.state.mail.get('task')!.message, role: 'backend' });
    world.fail('backend', { class: 'NON_RETRYABLE', reason: { code: 'E_LOGIN', text: 'run `claude`' } });
    expect(role(world, 'backend').cause).toEqual({ record: 't2', at: at + 300_000 });
    expect(said(message(world, 'task'))).toBe(
      'login_missing: backend did not handle it: E_LOGIN: run `claude` (retry)',
    );
    world.drop('user → frontend: task in task');
    world.turn('frontend', ['→ user: delivered']);
    expect(said(thread(world, 'task'))).toBe('closed: delivered …ivered closed the thread');
  });

  it('names the rate limited provider, and when its limit ends', () => {
    const world = new World(pair);
    world.drop('user → backend: task');
    const until = world.now + 3_600_000;
    world.fail('backend', { class: 'RETRYABLE_RATE_LIMIT', until });
    const why = role(world, 'backend');
    expect(said(why)).toBe('usage_limit: claude is rate limited');
    expect(why.until).toBe(until);
    world.now = until;
    world.settle();
    expect(said(role(world, 'backend'))).toBe('running: backend works in turn t1');
  });

  it('names the failure before another attempt, and when that starts', () => {
    const world = new World(pair);
    world.drop('user → backend: task');
    world.fail('backend');
    const why = role(world, 'backend');
    expect(said(why)).toBe('backoff: turn t1 of backend failed and starts again: E_TURN: it broke');
    expect(why.until).toBe(world.decision.wake);
  });

  it('names the reservation that leaves no money', () => {
    const world = new World(
      `${pair}limits: { budget: { day: { usd: 3 } } }\n`.replace(
        /capabilities: \[READ, EDIT\]/g,
        'capabilities: [READ], budget: { usd: 2 }',
      ),
    );
    world.drop('user → backend: task');
    world.drop('user → frontend: task');
    expect(said(role(world, 'frontend'))).toBe(
      'budget: the rest of the budget is reserved for running turns',
    );
    expect(role(world, 'frontend').cause?.record).toBe('t1');
  });

  it('says that its inbox is gone', () => {
    const world = new World(pair);
    world.command({ verb: 'pause', target: { kind: 'role', role: 'backend' }, now: false });
    world.drop('user → backend: task');
    world.record({ type: 'vanished', role: 'backend', notices: [] });
    world.command({ verb: 'unpause', target: { kind: 'thread', thread: 'task' }, now: false });
    world.state.paused.roles.delete('backend');
    expect(said(role(world, 'backend'))).toBe(
      'inbox_missing: the inbox of backend is gone, with mail in it (unpause)',
    );
  });

  it('says which request blocks its mail, who owes the answer, and why that is not given', () => {
    const world = new World(team);
    world.drop('user → architect: task');
    world.turn('architect', ['→ engineer: design']);
    world.turn('engineer', ['→ qa: review-request']);
    world.drop('user → architect: task');
    world.turn('architect', ['→ engineer: design']);
    expect(said(role(world, 'engineer'))).toBe(
      'blocked_by_request: a request of engineer blocks its other mail; engineer waits for qa to answer ' +
        'review-request …equest; qa works in turn t3',
    );
    world.turn('qa', ['→ user: question']);
    const why = role(world, 'engineer');
    expect(said(why)).toBe(
      'blocked_by_request: a request of engineer blocks its other mail; engineer waits for qa to answer ' +
        'review-request …equest; user has not answered question …estion of qa (reply)',
    );
    expect(why.act).toEqual({ do: 'reply', request: 'question', as: 'user' });
    expect(said(role(world, 'qa'))).toBe(
      'waiting_for_user: user has not answered question …estion of qa (reply)',
    );
    expect(role(world, 'qa').until).toBe(world.now + 30 * 60_000);
    expect(said(role(world, 'user'))).toBe(
      'waiting_for_user: user has not answered question …estion of qa (reply)',
    );
    world.drop('user → qa: answer re question');
    expect(said(role(world, 'qa'))).toBe('running: qa works in turn t5');
  });

  it('names what a join lacks, and who sends it', () => {
    const world = new World(joined);
    world.drop('user → architect: task');
    world.turn('architect', ['→ backend: backend-task', '→ frontend: frontend-task']);
    world.turn('backend', ['→ integrator: backend-done']);
    expect(said(role(world, 'integrator'))).toBe(
      'join_incomplete: integrator also needs `frontend-done` from frontend; frontend works in turn t3',
    );
    world.turn('frontend', ['→ integrator: frontend-done']);
    expect(said(role(world, 'integrator'))).toBe('running: integrator works in turn t4');
  });

  it('names the answer of a person that the sender of what a join lacks waits for', () => {
    const world = new World(joined);
    world.drop('user → architect: task');
    world.turn('architect', ['→ backend: backend-task', '→ frontend: frontend-task']);
    world.turn('backend', ['→ integrator: backend-done']);
    world.turn('frontend', ['→ user: question']);
    const why = role(world, 'integrator');
    expect(said(why)).toMatch(/^join_incomplete: .* from frontend; user has not answered question /);
    expect(why.act).toMatchObject({ do: 'reply', as: 'user' });
  });

  it('says that the protocol has it no more', () => {
    const world = new World(pair);
    world.command({ verb: 'pause', target: { kind: 'role', role: 'frontend' }, now: false });
    world.drop('user → frontend: task');
    world.edit(pair.replace(/^ {2}frontend.*\n/m, '').replace(/, frontend/g, ''));
    expect(said(role(world, 'frontend'))).toBe('role_removed: the protocol has no role `frontend` any more');
  });
});

describe('why a message does not move', () => {
  it('says what comes first in its thread', () => {
    const world = new World(pair);
    world.drop('user → backend: task');
    world.drop('user → backend: task in task');
    expect(said(message(world, 'task2'))).toBe('turn_open: turn t1 of backend comes first in this thread');
  });

  it('says that others of its thread come first, and what holds those', () => {
    const world = new World(pair);
    world.drop('user → frontend: task');
    world.drop('user → backend: task');
    world.drop('user → backend: task in task2');
    expect(said(message(world, 'task3'))).toBe(
      'queued: task …task2 comes first; the workspace is held by turn t1 of frontend',
    );
  });

  it('says that answers are picked up together', () => {
    const world = new World(team.replace('question:\n', 'question:\n    blocking: false\n'));
    world.drop('user → architect: task');
    world.turn('architect', ['→ engineer: design']);
    world.turn('engineer', ['→ qa: review-request', '→ user: question']);
    world.turn('qa', ['→ engineer: review-feedback']);
    expect(said(message(world, 'review-feedback'))).toBe(
      'answers_incomplete: engineer picks up all answers together; user has not answered question …estion of engineer (reply)',
    );
  });

  it('says where it ended: handled, unread, failed, withdrawn', () => {
    const world = new World(pair);
    world.drop('user → backend: task');
    world.turn('backend', ['→ user: delivered']);
    expect(said(message(world, 'task'))).toBe('handled: backend has handled it');
    expect(said(message(world, 'delivered'))).toBe('unread: user has not read it');
    expect(said(role(world, 'user'))).toBe('unread: user has one unread message');
    world.drop('user → backend: task');
    world.fail('backend', { class: 'NON_RETRYABLE' });
    expect(said(message(world, 'task2'))).toBe('failed: backend did not handle it: E_TURN: it broke (retry)');
    world.command({ verb: 'pause', target: { kind: 'all' }, now: false });
    world.drop('user → backend: task');
    world.record({ type: 'withdrawn', message: 'task3', recipient: 'backend', notices: [] });
    expect(said(message(world, 'task3'))).toBe(
      'withdrawn: its file was removed from the inbox of backend before it was picked up (retry)',
    );
  });
});

describe('why a thread does not move', () => {
  it('names who works, whom it waits for, and how it ended', () => {
    const world = new World(team);
    world.drop('user → architect: task');
    expect(said(thread(world, 'task'))).toBe('running: architect works in turn t1');
    world.turn('architect', ['→ engineer: design']);
    world.turn('engineer', ['→ user: question']);
    expect(said(thread(world, 'task'))).toBe(
      'waiting_for_user: user has not answered question …estion of engineer (reply)',
    );
    world.drop('user → engineer: answer re question');
    world.turn('engineer', ['→ user: delivered']);
    expect(said(thread(world, 'task'))).toBe('closed: delivered …ivered closed the thread');
  });

  it('says that nothing is left in it, and how a person continues it', () => {
    const world = new World(team);
    world.drop('user → architect: task');
    world.turn('architect', ['→ user: report']);
    const why = thread(world, 'task');
    expect(said(why)).toBe('quiet: no work is left in the thread, and no message closed it (send)');
    expect(why.act).toEqual({ do: 'send', to: 'architect', thread: 'task', type: null });
  });

  it('says why it failed, and that its last turn may still close it', () => {
    const world = new World(
      `${pair}limits: { turns_per_thread: 1 }\n`.replace(
        /capabilities: \[READ, EDIT\]/g,
        'capabilities: [READ]',
      ),
    );
    world.drop('user → backend: task');
    world.drop('user → frontend: task in task');
    expect(said(message(world, 'task2'))).toBe(
      'last_turn: the thread has used its 1 turns, and t1 may still close it',
    );
    world.turn('backend');
    expect(said(thread(world, 'task'))).toBe(
      'failed: the thread failed: E_TURNS: the thread has used up its 1 turns (retry)',
    );
  });
});

describe('why a turn does not move', () => {
  it('names its gates', () => {
    const world = new World(pair.replace('closes: true', 'closes: true, gates: [{ run: [npm, test] }]'));
    world.drop('user → backend: task');
    world.turn('backend', ['→ user: delivered']);
    expect(said(role(world, 'backend'))).toBe('checking: the gates of turn t1 of backend run');
  });
});
