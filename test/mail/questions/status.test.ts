import process from 'node:process';
import { describe, expect, it } from 'vitest';
import { summaryOf } from '../../../src/mail/controller/mail-summary.ts';
import { listedThreads } from '../../../src/mail/questions/listed-threads.ts';
import { statusOf } from '../../../src/mail/questions/status.ts';
import { readProcess } from '../../../src/process/proc.ts';
import type { Launched } from '../../../src/kernel/launched.ts';
import { peers } from '../machine/protocols.ts';
import { World } from '../machine/world.ts';

const here = readProcess(process.pid)!;
const living: Launched = { pid: here.pid, startTime: here.startTime, mark: 'm' };
const dead: Launched = { ...living, startTime: `${living.startTime}0` };

/** What is shown of a turn that an agent of this process has, where a controller runs or does not. */
function shown(launched: Launched, holder: null | undefined) {
  const world = new World(peers('role'));
  world.drop('user → one: go');
  world.acts();
  const mail = summaryOf(world.state);
  const status = statusOf(
    { ...mail, processes: [['t1', launched]] },
    { protocol: world.protocol, now: 0, ...(holder === null && { holder }) },
  );
  const role = status.roles.find(({ name }) => name === 'one');
  return {
    turn: [status.turns[0]?.state, status.turns[0]?.standing.word],
    role: [role?.state, role?.running, role?.standing.word],
    thread: listedThreads(status)[0]?.standing.word,
  };
}

describe('a turn that ran when its controller ended', () => {
  it('is interrupted: neither it nor its role or thread runs', () => {
    expect(shown(dead, null)).toEqual({
      turn: ['interrupted', 'interrupted'],
      role: ['interrupted', 0, 'interrupted'],
      thread: 'interrupted',
    });
  });

  it('was left running where its process is there', () => {
    expect(shown(living, null)).toEqual({
      turn: ['left', 'left running'],
      role: ['interrupted', 0, 'interrupted'],
      thread: 'left running',
    });
  });

  it('runs for its own controller, and at a moment of the past', () => {
    expect(shown(dead, undefined)).toEqual({
      turn: ['running', 'running'],
      role: ['running', 1, 'running'],
      thread: 'running',
    });
  });
});
