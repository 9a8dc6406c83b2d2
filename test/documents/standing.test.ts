import { describe, expect, it } from 'vitest';
import {
  standingOfRole,
  standingOfRun,
  standingOfStep,
  standingOfThread,
  standingOfTurn,
  type Standing,
} from '../../src/documents/standing.ts';

const words = ({ is, word, for: whom, until }: Standing) =>
  [
    `${is}: ${word}`,
    ...(whom.length > 0 ? [`for ${whom.join(', ')}`] : []),
    ...(until === null ? [] : [until]),
  ].join('; ');

const gate = { approvers: ['ada', 'lead'], deadline: '12:00', recorded: null };
const later = { approvers: ['lead'], deadline: '11:00', recorded: null };
const answered = { ...gate, recorded: { choice: 'approve' } };

describe('how a run stands', () => {
  const running = { status: 'RUNNING', alive: true, steps: [], gates: [], paused: null };
  it.each([
    ['a step of it works', { ...running, steps: ['build'] }, 'working: running'],
    ['a step works beside a gate', { ...running, steps: ['build'], gates: [gate] }, 'working: running'],
    [
      'only gates are left',
      { ...running, gates: [gate, later] },
      'needs you: needs you: approval; for ada, lead; 11:00',
    ],
    ['its gate was answered', { ...running, gates: [answered] }, 'waiting: waiting'],
    ['it was paused', { ...running, paused: { by: 'ada' } }, 'waiting: paused'],
    ['no process hosts it', { ...running, alive: false, gates: [gate] }, 'waiting: stopped'],
    ['it has not begun', { ...running, status: 'PENDING' }, 'waiting: waiting'],
    ['it failed', { ...running, status: 'FAILED', alive: false }, 'failed: failed'],
    ['its time was over', { ...running, status: 'TIMED_OUT', alive: false }, 'failed: timed out'],
    ['it succeeded', { ...running, status: 'SUCCEEDED', alive: false }, 'done: succeeded'],
    ['it was cancelled', { ...running, status: 'CANCELLED', alive: false }, 'done: cancelled'],
  ])('%s', (_when, run, stands) => {
    expect(words(standingOfRun(run))).toBe(stands);
  });
});

describe('how a step stands', () => {
  it.each([
    ['RUNNING', null, 'working: running'],
    ['CHECKING', null, 'working: checking'],
    ['WAITING', gate, 'needs you: needs you: approval; for ada, lead; 12:00'],
    ['WAITING', answered, 'waiting: answered'],
    ['WAITING', null, 'needs you: needs you: approval'],
    ['PENDING', null, 'waiting: waiting'],
    ['READY', null, 'waiting: ready'],
    ['FAILED', null, 'failed: failed'],
    ['INCOMPLETE', null, 'failed: incomplete'],
    ['SUCCEEDED', null, 'done: succeeded'],
    ['SKIPPED', null, 'done: skipped'],
    ['CANCELLED', null, 'done: cancelled'],
  ])('%s', (status, asked, stands) => {
    expect(words(standingOfStep(status, asked, true))).toBe(stands);
  });

  it('is interrupted where it ran and no process hosts the run', () => {
    expect(words(standingOfStep('RUNNING', null, false))).toBe('waiting: interrupted');
    expect(words(standingOfStep('CHECKING', null, false))).toBe('waiting: interrupted');
    expect(words(standingOfStep('FAILED', null, false))).toBe('failed: failed');
  });
});

describe('how a turn stands', () => {
  it.each([
    ['running', null, false, 'working: running'],
    ['checking', null, false, 'working: checking'],
    ['landing', null, false, 'working: landing'],
    ['landing', null, true, 'needs you: needs you: landing'],
    ['asking', null, false, 'needs you: needs you: approval'],
    ['conflict', null, false, 'needs you: needs you: conflict'],
    ['queued', null, false, 'waiting: queued'],
    ['held', null, false, 'waiting: held'],
    ['interrupted', null, false, 'waiting: interrupted'],
    ['left', null, false, 'waiting: left running'],
    ['pending', '12:00', false, 'waiting: starts again; 12:00'],
    ['failed', null, false, 'waiting: starts again'],
  ])('%s', (state, again, asksToLand, stands) => {
    expect(words(standingOfTurn({ state, again }, asksToLand))).toBe(stands);
  });
});

const works = standingOfTurn({ state: 'running', again: null }, false);
const pends = standingOfTurn({ state: 'pending', again: '12:00' }, false);
const conflicts = standingOfTurn({ state: 'conflict', again: null }, false);
const wait = { roles: ['qa'], deadline: '13:00' };

describe('how a role stands', () => {
  const role = { person: false, state: 'idle', inbox: 0, failed: false, owes: [], waits: [] };
  const debt = { deadline: '12:00' };
  it.each([
    ['it has nothing to do', role, [], 'done: idle'],
    ['its last work failed', { ...role, failed: true }, [], 'failed: failed'],
    ['it has more to do than what failed', { ...role, failed: true, inbox: 1 }, [], 'waiting: waiting'],
    ['it tries again', { ...role, failed: true }, [pends], 'waiting: starts again; 12:00'],
    ['its mail does not move', { ...role, inbox: 1 }, [], 'waiting: waiting'],
    ['a person has read no notice', { ...role, person: true, inbox: 1 }, [], 'done: idle'],
    [
      'a person owes an answer',
      { ...role, person: true, owes: [debt] },
      [],
      'needs you: needs you: question; 12:00',
    ],
    ['a role owes an answer', { ...role, owes: [debt] }, [], 'done: idle'],
    ['it works', { ...role, state: 'running' }, [works], 'working: running'],
    [
      'one of its turns has a conflict',
      { ...role, state: 'running' },
      [works, conflicts],
      'needs you: needs you: conflict',
    ],
    ['its turn starts again', role, [pends], 'waiting: starts again; 12:00'],
    [
      'it waits for others',
      { ...role, state: 'waiting', waits: [wait] },
      [],
      'waiting: waiting; for qa; 13:00',
    ],
    ['it is paused', { ...role, state: 'paused', waits: [wait] }, [], 'waiting: paused'],
    ['it is parked', { ...role, state: 'parked' }, [], 'waiting: parked'],
  ])('%s', (_when, given, turns, stands) => {
    expect(words(standingOfRole(given, turns))).toBe(stands);
  });
});

describe('how a thread stands', () => {
  const open = { state: 'open', reason: null, failed: null };
  const still = { turns: [], questions: [], waits: [] };
  const question = { person: 'lead', deadline: '12:00' };
  const lost = { state: 'open', reason: null, failed: { code: 'E_AGENT', text: 'exit code 3' } };
  it.each([
    ['it waits for a role', open, { ...still, waits: [wait] }, 'waiting: waiting; for qa; 13:00'],
    ['a turn works', open, { ...still, turns: [pends, works] }, 'working: running'],
    ['a turn starts again', open, { ...still, turns: [pends] }, 'waiting: starts again; 12:00'],
    [
      'a turn has a conflict',
      open,
      { ...still, turns: [works, conflicts] },
      'needs you: needs you: conflict',
    ],
    [
      'a person was asked',
      open,
      { ...still, turns: [works], questions: [question] },
      'needs you: needs you: question; for lead; 12:00',
    ],
    ['its last turn failed', lost, still, 'failed: failed, not retried'],
    [
      'its last turn failed, and all is over',
      { ...lost, state: 'quiet' },
      still,
      'failed: failed, not retried',
    ],
    ['another turn works after that', lost, { ...still, turns: [works] }, 'working: running'],
    ['no work is left', { ...open, state: 'quiet' }, still, 'done: no work left'],
    ['it was closed', { ...lost, state: 'closed' }, still, 'done: closed'],
    ['it failed', { ...open, state: 'failed' }, still, 'failed: failed'],
    [
      'a person cancelled it',
      { ...open, state: 'failed', reason: { code: 'E_CANCELLED' } },
      still,
      'done: cancelled',
    ],
  ])('%s', (_when, thread, motion, stands) => {
    expect(words(standingOfThread(thread, motion))).toBe(stands);
  });
});
